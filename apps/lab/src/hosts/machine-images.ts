import type { MachineSpec } from '../machine-fleet.js';
import { RELEASES_HOST } from '../registry/served-images.js';
import { newerStandins } from '../standins/packages.js';
import type { DebianMirror } from '../debian/apt-sources.js';
import { cloudRoot } from './cloud-root.js';
import type { Cache } from '../debian/cache.js';
import { firstBootFiles, type FirstBoot } from './first-boot.js';
import { guestHostname, type GuestCredentials, type GuestRepository } from './guest-seed.js';
import { Hostility } from './hostility.js';
import type { MachineImage } from './machine.js';
import { newerPackages } from './newer-packages.js';
import { PROXY_PORT } from './proxy-server.js';
import type { RealPackages } from '../debian/real-packages.js';
import { repository } from '../debian/repository.js';
import type { RepositoryServer } from './repository-server.js';
import { layersOf, rootOf, type ImageRoots } from './root-images.js';
import type { ImageVariant } from './variants.js';
import type { StandinPackage } from '../debian/standin-package.js';

export interface ImageParts {
  cache: Cache;
  log: (line: string) => void;
  mirrorOf: () => Promise<DebianMirror>;
  images: ImageRoots;
  /** Of images whose name says no variant. */
  variant: ImageVariant;
  base: string;
  real: RealPackages;
  standins: readonly StandinPackage[];
  /** Among them are kubectl and the CNI plugins, so that no later Debian's are needed. */
  hasRealKubernetes: boolean;
  server: RepositoryServer;
  repository: GuestRepository;
  gateway: string;
  credentials: GuestCredentials;
  firstBoot: FirstBoot;
}

/** What each software image is in this lab. Roots and packages that an image has beyond the base are made when the first VM wants them. */
export class MachineImages {
  /** By the VM's address, as its requests show it. */
  readonly #around = new Map<string, Hostility>();
  #newer: Promise<GuestRepository> | undefined;

  constructor(private readonly parts: ImageParts) {}

  /** What a VM boots; from here on its requests are answered as its image has it. */
  of(spec: MachineSpec): MachineImage {
    const { log, images, base, cache, mirrorOf } = this.parts;
    const { root, variant = this.parts.variant, remark } = rootOf(spec.imageName, images);
    if (remark !== undefined) log(`${spec.name}: ${remark}`);
    const around = variant === 'hostile' ? new Hostility() : undefined;
    for (const { address } of spec.nics) {
      if (around === undefined) this.#around.delete(address);
      else this.#around.set(address, around);
    }
    return {
      layers: async () => layersOf(root, variant === 'first-boot' ? await cloudRoot(cache, base, log, mirrorOf) : base, cache),
      remarks: [...(remark === undefined ? [] : [remark]), `an image of the variant ${variant}`],
      repository: () => (variant === 'newer' ? this.#newerRepository() : Promise.resolve(this.parts.repository)),
      hasCloudInit: variant === 'first-boot',
      files: this.#files(spec, variant),
      names: variant === 'hostile' ? [RELEASES_HOST] : [],
    };
  }

  intercepts = (vm: string, path: string): boolean => this.#around.get(vm)?.interceptsDownload(path) === true;

  refusesTo =
    (vm: string) =>
    (image: string): boolean =>
      this.#around.get(vm)?.refusesImage(image) === true;

  #files(spec: MachineSpec, variant: ImageVariant): Record<string, string> {
    const { gateway, credentials, firstBoot } = this.parts;
    if (variant === 'hostile')
      return { 'etc/apt/apt.conf.d/00windlass-lab-proxy': `Acquire::http::Proxy "http://${gateway}:${PROXY_PORT}";\n` };
    if (variant !== 'first-boot') return {};
    const { serverId, name, userData, publicKeys = [] } = spec;
    return firstBootFiles({ serverId, hostname: guestHostname(name), userData, publicKeys }, credentials, firstBoot);
  }

  #newerRepository(): Promise<GuestRepository> {
    this.#newer ??= this.#makeNewer().catch((error: unknown) => {
      // The next VM tries again.
      this.#newer = undefined;
      throw error;
    });
    return this.#newer;
  }

  /** All that the lab's repository has, with the later packages beside it: apt takes the later. */
  async #makeNewer(): Promise<GuestRepository> {
    const { cache, base, log, mirrorOf, real, standins, server, hasRealKubernetes } = this.parts;
    const newer = await newerPackages(cache, base, log, mirrorOf);
    const more = { pool: newer.pool, index: newer.index };
    const made = await repository(cache, [real, more], [...standins, ...(hasRealKubernetes ? [] : newerStandins(newer))]);
    return { url: server.serve('newer', made), key: made.key, preinstalled: made.preinstalled };
  }
}
