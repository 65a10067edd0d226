import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { PackageFiles } from '@windlass/driver-kit';
import { driverBench } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { defaultSettings, k8sParts } from '@windlass/k8s-mgmt';
import { hookContext, vnfc } from '@windlass/k8s-mgmt/testing';
import {
  HostFleet,
  installHostPackages,
  realKubernetes,
  sharedCache,
  standinPackages,
  type HostFleetOptions,
  type MachineSpec,
} from '@windlass/lab';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';
import { evidence } from '@windlass/foundation/testing';
import { rigFolder } from '../../support/rig-folder.js';

export interface LabClusterOptions {
  params: JsonObject | ((fleet: HostFleet) => JsonObject);
  /** The images of the masters, and then of the workers. */
  images: string[];
  /** The number of masters; one unless given. Several masters share a virtual address, whose port is named `vip_CP`. */
  masters?: number;
  hook?: Partial<HookContext>;
  packages?: PackageFiles;
  /** A key that may log in, as with cloud-init's `ssh_authorized_keys`. */
  publicKey?: string;
  /** `real`: the real Kubernetes in the place of the stand-ins. */
  kubernetes?: 'real';
  /** The VMs' places in the subnet, in the order of the images; from 10 on unless given. */
  places?: number[];
}

/** Starts new VMs of the lab, and the driver with real SSH that makes a cluster of them. */
export async function labCluster(options: LabClusterOptions) {
  const { params: given, images, masters = 1, hook = {}, packages, publicKey, places = [] } = options;
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  await installHostPackages(log);
  const dataDir = await rigFolder('windlass-k8s-');
  const fleet = await HostFleet.start({ dataDir, cacheDir: sharedCache(), log, ...(await programsOf(options, log)) });
  const params = typeof given === 'function' ? given(fleet) : given;
  const hosts = new RemoteHosts({ hostKeys: new MemoryHostKeys() });
  const end = async (): Promise<void> => {
    hosts.close();
    await fleet.stop();
    await rm(dataDir, { recursive: true });
  };
  try {
    const vip = masters > 1 ? addressIn(fleet, VIP) : undefined;
    const place = (index: number) => ({ index, at: places[index] ?? 10 + index, masters, vip });
    const vnfcs = await Promise.all(images.map((image, index) => bootNode(fleet, image, place(index))));
    const sharedCps = vip === undefined ? [] : [{ name: 'vip_CP', resourceId: 'port-vip', addresses: [vip], floatingIp: null }];
    if (publicKey !== undefined) await Promise.all(vnfcs.map(({ resourceId }) => authorize(fleet, resourceId, publicKey)));
    const version = options.kubernetes === 'real' ? { kubernetesVersion: REAL_VERSION } : {};
    const parts = k8sParts({ ...defaultSettings, ...version, kubernetesAptUrl: undefined });
    const files = packages === undefined ? {} : { packages };
    const bench = (of: Partial<HookContext>, requestParams: JsonObject) =>
      driverBench({
        parts,
        hook: hookContext(params, 0, { vnfcs, sharedCps, ...hook, ...of }),
        params,
        requestParams,
        hosts,
        ...files,
      });
    const { vims, runner, lines } = bench({}, params);
    // Each operation has a new id: jobs of one operation are not run again.
    /** The plan of a later operation's hook, on the present VMs. */
    const operation = (of: Partial<HookContext>, requestParams: JsonObject = {}) =>
      bench({ operationId: randomUUID(), ...of }, requestParams);
    /** Starts another VM: a worker, unless a role is given. */
    const boot = async (image: string, role?: 'master'): Promise<Vnfc> => {
      const vnfc = await bootNode(fleet, image, { ...place(vnfcs.length), ...(role === undefined ? {} : { role }) });
      vnfcs.push(vnfc);
      return vnfc;
    };
    let lives = 1;
    /** Replaces a VM by a new one with the same address. */
    const replace = async (image: string, index: number): Promise<Vnfc> => {
      await fleet.destroy(vnfcs[index]!.resourceId);
      return (vnfcs[index] = await bootNode(fleet, image, { ...place(index), life: ++lives }));
    };
    return { fleet, hosts, vims, runner, vnfcs, vip, lines, operation, boot, replace, end };
  } catch (error) {
    await evidence.setAside(dataDir);
    await end();
    throw error;
  }
}

async function authorize(fleet: HostFleet, serverId: string, publicKey: string): Promise<void> {
  const script = 'install -d -m 0700 -o ubuntu /home/ubuntu/.ssh && echo "$1" > /home/ubuntu/.ssh/authorized_keys';
  await fleet.exec(serverId, ['sh', '-c', script, 'sh', publicKey]);
}

/** One of the two versions of the real Kubernetes in the lab. */
const REAL_VERSION = '1.34.4';

async function programsOf(
  { kubernetes }: LabClusterOptions,
  log: (line: string) => void,
): Promise<Pick<HostFleetOptions, 'standins' | 'kubernetes'>> {
  if (kubernetes === undefined) return { standins: await standinPackages() };
  return { standins: [], kubernetes: await realKubernetes({ cacheDir: sharedCache(), log }) };
}

/** The last byte of the virtual address. */
const VIP = 200;

const addressIn = (fleet: HostFleet, last: number): string => fleet.network.firstAddress.replace(/\d+$/, String(last));

interface NodeToBoot {
  index: number;
  /** The last byte of the VM's address. */
  at: number;
  masters: number;
  vip: string | undefined;
  /** The role; by the index unless given. */
  role?: 'master';
  /** The number of VMs that have had this place, with this one; one unless given. */
  life?: number;
}

/** Starts a VM. The first VMs are the masters. */
async function bootNode(fleet: HostFleet, imageName: string, node: NodeToBoot): Promise<Vnfc> {
  const { index, at, masters, vip, life = 1 } = node;
  const address = addressIn(fleet, at);
  const role = node.role ?? (index < masters ? 'master' : 'worker');
  const made = vnfc(role, index, address, { resourceId: `server-${role}-${index}${life === 1 ? '' : `-life-${life}`}` });
  const allowedAddresses = vip === undefined || role === 'worker' ? [] : [vip];
  const mac = `fa:16:3e:00:01:${at.toString(16).padStart(2, '0')}`;
  const spec: MachineSpec = {
    serverId: made.resourceId,
    name: made.name,
    imageName,
    nics: [{ mac, address, prefixLength: 24, allowedAddresses }],
    volumes: [],
  };
  await fleet.boot(spec);
  await fleet.ready(spec.serverId);
  return made;
}
