import { mkdir, realpath } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import {
  asWindlassError,
  millis,
  RequestError,
  Secret,
  seconds,
  TerminalError,
  waitUntil,
  type Duration,
} from '@windlass/foundation';
import type { LabNetwork, MachineNic, MachineFleet, MachineSpec, MachineVolume } from '../machine-fleet.js';
import { debianMirror, type AskMirror, type DebianMirror } from '../debian/apt-sources.js';
import { baseRoot, SUITE } from '../debian/base-root.js';
import { isPartedByDocker } from './bridge-filter.js';
import { Cache } from '../debian/cache.js';
import { requireContainerMachine } from './container-machine.js';
import { makeCgroup } from './cgroups.js';
import type { Finished } from '../debian/command.js';
import { setDiskFull, setSshRefused } from './faults.js';
import { FileLock } from '../debian/file-lock.js';
import { guestNode } from './guest-node.js';
import { accountOf } from '../debian/guest-ids.js';
import type { GuestCredentials } from './guest-seed.js';
import { requireHostPackages } from './host-packages.js';
import { requireCapableMachine } from './machine-check.js';
import { Machine, type ExecOptions, type MachineLab } from './machine.js';
import { claimBridge } from './network.js';
import { realPackages } from '../debian/real-packages.js';
import { RepositoryServer } from './repository-server.js';
import { repository } from '../debian/repository.js';
import { DEFAULT_IMAGES, type ImageRoots } from './root-images.js';
import type { ImageVariant } from './variants.js';
import { DEFAULT_FIRST_BOOT, type FirstBoot } from './first-boot.js';
import { MachineImages } from './machine-images.js';
import { PROXY_PORT, ProxyServer } from './proxy-server.js';
import { ServedImages } from '../kubernetes/image-layout.js';
import { realKubernetesPackages } from '../kubernetes/packages.js';
import type { RealKubernetes } from '../kubernetes/real-kubernetes.js';
import { requireRoomForPods } from '../kubernetes/room-for-pods.js';
import { madeImages } from '../registry/registry-image.js';
import { RegistryServer } from '../registry/registry-server.js';
import { REGISTRY_HOSTS } from '../registry/served-images.js';
import type { StandinPackage } from '../debian/standin-package.js';
import { placeOf, sweep, type LabPlace } from './sweep.js';

export interface HostFleetOptions {
  /** The lab's data folder; made if it is not there. One lab at a time may use it, and its VMs' disks lie in it. */
  dataDir: string;
  /** Where roots and packages are kept from lab to lab, such as `~/.cache/windlass/lab`. */
  cacheDir: string;
  log: (line: string) => void;
  /** Packages that the lab builds itself. */
  standins: readonly StandinPackage[];
  /** Account of every VM; `ubuntu` with the password `ubuntu` by default, as the samples have it. */
  credentials?: GuestCredentials;
  /** Asked where this machine gets Debian from, when its apt does not say and something is to be fetched. */
  askMirror?: AskMirror;
  /** Further software image names; they win over {@link DEFAULT_IMAGES}. */
  images?: ImageRoots;
  /** What images are whose name says no variant; `plain` by default. */
  variant?: ImageVariant;
  /** How long what takes long on `first-boot` images takes; {@link DEFAULT_FIRST_BOOT} by default. */
  firstBoot?: FirstBoot;
  /** Whether containers can run in the VMs, which have cgroups with limits then; see docs/lab-hosts.md. */
  containers?: boolean;
  /** A real Kubernetes: its packages are in the lab's repository, its images are all that the lab's registries have but a registry's own, and containers run. */
  kubernetes?: RealKubernetes;
  /** The name of the one registry that there is, a site's own: VMs know no name of the internet's then. It has what clusters need below `kubernetes/`. */
  siteRegistry?: string;
}

/** What listens on the bridge. */
interface LabServer {
  stop(): Promise<void>;
}

const containersOf = async ({ containers, kubernetes }: HostFleetOptions, place: LabPlace) =>
  containers === true || kubernetes !== undefined ? requireContainerMachine(place.cgroups) : undefined;

const realPrograms = ({ kubernetes }: HostFleetOptions): StandinPackage[] =>
  kubernetes === undefined ? [] : realKubernetesPackages(kubernetes.binaries);

const realImages = async ({ kubernetes }: HostFleetOptions): Promise<ServedImages | undefined> =>
  kubernetes === undefined ? undefined : ServedImages.open(kubernetes.images);

/** The machines of a lab: Debian in namespaces, real from systemd upwards, on a bridge of their own. See docs/lab-hosts.md. */
export class HostFleet implements MachineFleet {
  private readonly machines = new Map<string, Machine>();
  private stopping: Promise<void> | undefined;

  private constructor(
    /** The subnet that the VMs' addresses must lie in. */
    readonly network: LabNetwork,
    /** Address of the lab's package repository, reachable from its VMs: `http://10.77.3.1`. */
    readonly repositoryUrl: string,
    /** The lab's web proxy, which leads to the lab's own servers: `http://10.77.3.1:3128`. */
    readonly proxyUrl: string,
    private readonly lab: MachineLab,
    private readonly images: MachineImages,
    private readonly close: () => Promise<void>,
  ) {}

  /**
   * Sweeps what a killed lab of the same data folder left, and makes all that the machines share: root, repository, bridge.
   * The first start on a machine takes one to two minutes, later ones well under a second.
   * @throws TerminalError `lab.machine`, `lab.disk`, `lab.cgroups`, `lab.kernel`, `lab.host-packages`, `lab.in-use`, `lab.network`, `lab.standin`, `lab.no-mirror`, `lab.registry`, `lab.proxy`, each one sentence with what to do.
   */
  static async start(options: HostFleetOptions): Promise<HostFleet> {
    const cgroups = await requireCapableMachine();
    await requireHostPackages();
    await mkdir(options.dataDir, { recursive: true });
    const place = placeOf(await realpath(options.dataDir), cgroups);
    const { dataDir } = place;
    if (options.kubernetes !== undefined) await requireRoomForPods(options.dataDir);
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    const lock = await FileLock.tryTake(path.join(dataDir, 'lock'));
    if (lock === undefined)
      throw new TerminalError('lab.in-use', `another lab uses ${options.dataDir}; stop it or choose another data folder`);
    const servers: LabServer[] = [];
    const close = async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await sweep(place);
      await lock.release();
    };
    try {
      const left = await sweep(place);
      if (left.length > 0) options.log(`removed what a lab that was killed had left: ${left.join(', ')}`);
      return await HostFleet.build(options, place, servers, close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** @param servers those that it has started, also where it fails after that */
  private static async build(
    options: HostFleetOptions,
    place: LabPlace,
    servers: LabServer[],
    close: () => Promise<void>,
  ): Promise<HostFleet> {
    const { log } = options;
    const cache = await Cache.open(options.cacheDir, log);
    let mirror: Promise<DebianMirror> | undefined;
    const mirrorOf = () => (mirror ??= debianMirror(SUITE, options.askMirror));
    const base = await baseRoot(cache, log, mirrorOf);
    const real = await realPackages(cache, base, log, mirrorOf);
    const containers = await containersOf(options, place);
    const standins = [...options.standins, ...(containers === undefined ? [] : [containers.package]), ...realPrograms(options)];
    const packages = await repository(cache, [real], standins);
    const node = await guestNode(cache);
    await makeCgroup(place.cgroup);
    const bridge = await claimBridge(place.identity);
    if (await isPartedByDocker()) {
      log(
        'note: Docker filters bridged packets here, so the VMs reach the lab but not each other; to change that: sysctl -w net.bridge.bridge-nf-call-iptables=0',
      );
    }
    const { gateway } = bridge.network;
    const server = await RepositoryServer.start(gateway, packages);
    servers.push(server);
    const credentials = options.credentials ?? { user: 'ubuntu', password: new Secret('ubuntu') };
    const images = new MachineImages({
      ...{ cache, log, mirrorOf, base, real, server, gateway, credentials },
      images: { ...DEFAULT_IMAGES, ...options.images },
      variant: options.variant ?? 'plain',
      standins,
      hasRealKubernetes: options.kubernetes !== undefined,
      repository: { url: server.url, key: packages.key, preinstalled: packages.preinstalled },
      firstBoot: options.firstBoot ?? DEFAULT_FIRST_BOOT,
    });
    const { siteRegistry: site } = options;
    const contents = { made: madeImages(packages), images: await realImages(options), site };
    const registries = await RegistryServer.start(gateway, images.refusesTo, contents);
    servers.push(registries);
    servers.push(await ProxyServer.start({ address: gateway, port: PROXY_PORT, intercepts: images.intercepts }));
    let links = 0;
    let accounts = 0;
    const lab: MachineLab = {
      machines: path.join(place.dataDir, 'machines'),
      volumes: path.join(place.dataDir, 'volumes'),
      cgroup: place.cgroup,
      bridge: bridge.name,
      gateway,
      node,
      credentials,
      internet: { address: gateway, hosts: site === undefined ? REGISTRY_HOSTS : [site], authority: registries.authority },
      nextAccount: () => accountOf(place.identity.firstAccount, accounts++),
      nextLink: () => `${place.identity.linkPrefix}${(links++).toString(36)}`,
      containers,
      log,
    };
    await mkdir(lab.machines, { mode: 0o711 });
    return new HostFleet(bridge.network, server.url, `http://${gateway}:${PROXY_PORT}`, lab, images, close);
  }

  async boot(spec: MachineSpec): Promise<void> {
    if (this.stopping !== undefined) throw new TerminalError('lab.stopping', `the lab is stopping and boots no ${spec.name}`);
    let machine = this.machines.get(spec.serverId);
    if (machine === undefined) {
      checkServerId(spec.serverId);
      // Registered before anything is waited for, so that a second boot and a destroy meet this one.
      machine = new Machine(this.lab, spec, this.images.of(spec));
      this.machines.set(spec.serverId, machine);
    }
    await machine.boot();
  }

  async destroy(serverId: string): Promise<void> {
    const machine = this.machines.get(serverId);
    if (machine === undefined) return;
    await machine.destroy();
    // Unless somebody has booted it anew while it went.
    if (!machine.isWanted) this.machines.delete(serverId);
  }

  async reboot(serverId: string): Promise<void> {
    await this.machine(serverId).reboot();
  }

  async shutDown(serverId: string): Promise<void> {
    await this.machine(serverId).shutDown();
  }

  async attachVolume(serverId: string, volume: MachineVolume): Promise<void> {
    await this.machine(serverId).attachVolume(volume);
  }

  async detachVolume(serverId: string, volumeId: string): Promise<void> {
    await this.machines.get(serverId)?.detachVolume(volumeId);
  }

  async replug(serverId: string, nics: MachineNic[]): Promise<void> {
    await this.machine(serverId).replug(nics);
  }

  /**
   * Waits until the VM's sshd says its name on the VM's first address.
   * @throws TransientError `wait.timeout` with what was seen last.
   */
  async ready(serverId: string, within: Duration = seconds(30)): Promise<void> {
    const [address] = this.addresses(serverId);
    if (address === undefined) throw new TerminalError('lab.network', `the VM ${serverId} has no nic to reach its sshd by`);
    await waitUntil(
      async (seen) => {
        const banner = await firstWords(address);
        seen(banner);
        return banner.startsWith('SSH-2.0-') ? true : undefined;
      },
      { for: `sshd on ${address}`, within, every: millis(20), growth: 1.3, atMost: millis(500) },
    );
  }

  /**
   * Runs a program in a VM as its root, past the network and sshd.
   * @throws TerminalError `lab.command-failed` when it was not done in time; its exit status is in the answer.
   */
  async exec(serverId: string, argv: readonly string[], options: ExecOptions = {}): Promise<Finished> {
    return await this.machine(serverId).exec(argv, options);
  }

  /** What a VM printed when it started, and its journal; of a VM that is off too. */
  async consoleLog(serverId: string): Promise<string> {
    return await this.machine(serverId).consoleLog();
  }

  /** The VM's own addresses, first nic first. */
  addresses(serverId: string): string[] {
    return this.machine(serverId).addresses;
  }

  /** False for a VM that powered itself off or died. */
  isRunning(serverId: string): boolean {
    return this.machine(serverId).isRunning;
  }

  /** Fault: every process of the VM stops where it is. Its kernel side still answers pings and takes connections, as a hung host does. */
  async hang(serverId: string): Promise<void> {
    await this.machine(serverId).freeze(true);
  }

  /** Ends {@link hang}. */
  async thaw(serverId: string): Promise<void> {
    await this.machine(serverId).freeze(false);
  }

  /** Fault: takes the VM off the network; what is sent to it is lost. */
  async drop(serverId: string): Promise<void> {
    await this.machine(serverId).setLinks(false);
  }

  /** Ends {@link drop}. */
  async restore(serverId: string): Promise<void> {
    await this.machine(serverId).setLinks(true);
  }

  /** Fault: the VM refuses new connections to its sshd; open sessions stay. */
  async refuseSsh(serverId: string): Promise<void> {
    await setSshRefused(this.machine(serverId), true);
  }

  /** Ends {@link refuseSsh}. */
  async acceptSsh(serverId: string): Promise<void> {
    await setSshRefused(this.machine(serverId), false);
  }

  /** Fault: a folder of the VM, such as `/var`, becomes a disk without a free byte. */
  async fillDisk(serverId: string, folder: string): Promise<void> {
    await setDiskFull(this.machine(serverId), folder, true);
  }

  /** Ends {@link fillDisk}. */
  async freeDisk(serverId: string, folder: string): Promise<void> {
    await setDiskFull(this.machine(serverId), folder, false);
  }

  /** Destroys every VM and removes all of the lab from the machine but its cache. Once is enough; a second call waits for the first. */
  stop(): Promise<void> {
    this.stopping ??= this.end();
    return this.stopping;
  }

  private async end(): Promise<void> {
    const ends = await Promise.allSettled([...this.machines.keys()].map((serverId) => this.destroy(serverId)));
    await this.close();
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw asWindlassError(failed.reason);
  }

  private machine(serverId: string): Machine {
    const machine = this.machines.get(serverId);
    if (machine === undefined) throw new RequestError(404, 'lab.machine-unknown', `the lab has no VM ${serverId}`);
    return machine;
  }
}

/** A server's id becomes the name of folders and cgroups. */
function checkServerId(serverId: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(serverId))
    throw new RequestError(400, 'lab.machine-id', `'${serverId}' is no server id`);
}

/** What a host says first on port 22, or why it says nothing. */
function firstWords(address: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: address, port: 22, timeout: seconds(1) });
    const done = (words: string) => {
      socket.destroy();
      resolve(words);
    };
    socket.once('data', (chunk) => done(chunk.toString('latin1').trim()));
    socket.once('timeout', () => done('no answer in 1 s'));
    socket.once('error', (error) => done(error.message));
    socket.once('end', () => done('closed without a word'));
  });
}
