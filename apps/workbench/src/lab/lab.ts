import {
  defaultImages,
  installHostPackages,
  OpenStackEmulator,
  HostFleet,
  REAL_KUBERNETES_VERSIONS,
  realKubernetes,
  standinPackages,
  type FirstBoot,
  type HostFleetOptions,
  type ImageVariant,
} from '@windlass/lab';
import { createInterface } from 'node:readline/promises';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { secretIn, writeSecret } from '@windlass/windlass';
import { randomBytes } from 'node:crypto';
import { LAB_KUBERNETES, type LabKubernetes } from './lab-kubernetes.js';
import { keptPort, onPort } from './lab-port.js';
import { labFolder, LabRun, reclaimRuns } from './lab-run.js';

/** A lab that runs: an OpenStack and the machines that its servers are. */
export interface RunningLab {
  keystoneUrl: string;
  user: string;
  project: string;
  password: string;
  passwordFile: string;
  /** A file with the `OS_*` variables of the tenant, for a shell to read. */
  openrc: string;
  /** Of the VNFM's own user at Keystone. */
  vnfmPasswordFile: string;
  networkName: string;
  imageName: string;
  /** The version of a real Kubernetes that its package repository has; undefined where stand-ins are there. */
  kubernetesVersion: string | undefined;
  emulator: OpenStackEmulator;
  fleet: HostFleet;
  stop(): Promise<void>;
}

/** The image of the samples. */
const UBUNTU = 'ubuntu-22.04-server-cloudimg-amd64';

/** Images that are there from the start (docs/lab-openstack.md): those of the emulator, and that of the samples. */
export const LAB_IMAGES: readonly string[] = [...defaultImages, UBUNTU];

export { LAB_KUBERNETES, type LabKubernetes };

/** The older patch release, so that there is one to go on to. */
const OLDER_REAL = REAL_KUBERNETES_VERSIONS[1];

/** @throws TerminalError `lab.kubernetes` where a real one can't be had, saying what is missing */
async function realParts(
  cacheDir: string,
  log: (line: string) => void,
): Promise<Pick<HostFleetOptions, 'standins' | 'kubernetes'>> {
  return { standins: [], kubernetes: await realKubernetes({ cacheDir, log }) };
}

/** Asks whoever sits at the terminal; nobody where there is none. */
async function askAtTerminal(suite: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const stop = new AbortController();
  // While it reads, the terminal's Ctrl-C is a key.
  terminal.once('SIGINT', () => {
    stop.abort();
    process.kill(process.pid, 'SIGINT');
  });
  try {
    const question = `apt on this machine names no mirror of Debian ${suite}. The URL of one: `;
    return await terminal.question(question, { signal: stop.signal });
  } finally {
    terminal.close();
  }
}

export interface LabOptions {
  /** Made if it is not there. */
  dataDir: string;
  /** What is kept between runs. */
  cache: string;
  say: (line: string) => void;
  /** What images are whose name says no variant; `plain` by default. */
  image?: ImageVariant;
  /** How long what takes long on `first-boot` images takes. */
  firstBoot?: FirstBoot;
  /** What the package repository and the registries have; `stand-in` by default. */
  kubernetes?: LabKubernetes;
  /** The name of the one registry that there is, a site's own: machines know no registry of the internet then; see docs/lab-hosts.md. */
  siteRegistry?: string;
  /** Whether users see on which compute host a server is; by default administrators alone do. */
  showHost?: boolean;
  /** Who ends it notes that itself; otherwise it is noted for as long as the lab runs. */
  run?: LabRun;
}

/** Starts the lab in a data folder. What labs left whose process died, in whatever folder, is removed first. */
export async function startLab(options: LabOptions): Promise<RunningLab> {
  const { dataDir, cache, say, run } = options;
  await installHostPackages(say);
  await reclaimRuns(cache, say);
  await mkdir(join(dataDir, 'secrets'), { recursive: true, mode: 0o700 });
  const own = run === undefined ? await LabRun.begin(cache, await realpath(dataDir), false) : undefined;
  try {
    const lab = await startParts(options);
    return {
      ...lab,
      stop: async () => {
        await lab.stop();
        await own?.end();
      },
    };
  } catch (error) {
    await own?.end();
    throw error;
  }
}

async function startParts(options: LabOptions): Promise<RunningLab> {
  const { dataDir, cache, say, image, firstBoot, kubernetes, showHost, siteRegistry } = options;
  const cacheDir = join(cache, 'lab');
  const fleet = await HostFleet.start({
    dataDir: labFolder(dataDir),
    cacheDir,
    log: say,
    askMirror: askAtTerminal,
    ...(kubernetes === 'real' ? await realParts(cacheDir, say) : { standins: await standinPackages() }),
    ...(image === undefined ? {} : { variant: image }),
    ...(firstBoot === undefined ? {} : { firstBoot }),
    ...(siteRegistry === undefined ? {} : { siteRegistry }),
  });
  try {
    const passwordFile = join(dataDir, 'secrets', 'openstack-password');
    const password = await secretIn(passwordFile, () => randomBytes(18).toString('base64url'));
    const vnfmPasswordFile = join(dataDir, 'secrets', 'keystone-vnfm');
    const vnfmPassword = await secretIn(vnfmPasswordFile, () => randomBytes(18).toString('base64url'));
    const start = (port: number) =>
      OpenStackEmulator.start({
        network: fleet.network,
        fleet,
        port,
        speed: 'instant',
        password,
        vnfmPassword,
        images: [...LAB_IMAGES],
        ...(showHost === undefined ? {} : { showHost }),
      });
    const emulator = await onPort(await keptPort(dataDir), start, say);
    const openrc = join(dataDir, 'secrets', 'openrc');
    await writeSecret(openrc, openrcOf(emulator));
    return {
      keystoneUrl: emulator.url,
      openrc,
      user: emulator.tenant.user,
      project: emulator.tenant.project,
      password,
      passwordFile,
      vnfmPasswordFile,
      networkName: 'net0',
      imageName: UBUNTU,
      kubernetesVersion: kubernetes === 'real' ? OLDER_REAL : undefined,
      emulator,
      fleet,
      stop: async () => {
        await emulator.stop();
        await fleet.stop();
      },
    };
  } catch (error) {
    await fleet.stop();
    throw error;
  }
}

/** What OpenStack's clients need to be told: the catalog names the rest, the VNFM too. The values need no quoting. */
const openrcOf = ({ url, tenant }: OpenStackEmulator): string =>
  Object.entries({
    OS_AUTH_URL: url,
    OS_IDENTITY_API_VERSION: '3',
    OS_REGION_NAME: 'RegionOne',
    OS_USERNAME: tenant.user,
    OS_PASSWORD: tenant.password,
    OS_PROJECT_NAME: tenant.project,
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_DOMAIN_NAME: 'Default',
  })
    .map(([name, value]) => `export ${name}=${value}`)
    .join('\n');
