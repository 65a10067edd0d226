import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { PackageFiles } from '@windlass/driver-kit';
import { driverBench } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { defaultSettings, k8sParts } from '@windlass/k8s-mgmt';
import { hookContext, vnfc } from '@windlass/k8s-mgmt/testing';
import { HostFleet, installHostPackages, standinPackages, type MachineSpec } from '@windlass/lab';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';

const CACHE = path.join(os.homedir(), '.cache/windlass/lab');

export interface LabClusterOptions {
  params: JsonObject | ((fleet: HostFleet) => JsonObject);
  /** Images of masters and workers, in that order. */
  images: string[];
  /** How many of them are masters; one unless given. Several share a virtual address, whose port is called `vip_CP`. */
  masters?: number;
  hook?: Partial<HookContext>;
  packages?: PackageFiles;
  /** Lets whoever has its private half in, as cloud-init does with `ssh_authorized_keys`. */
  publicKey?: string;
}

/** Fresh VMs of the lab, and the driver with real SSH to make a cluster of them. */
export async function labCluster({ params: given, images, masters = 1, hook = {}, packages, publicKey }: LabClusterOptions) {
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  await installHostPackages(log);
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'windlass-k8s-'));
  const fleet = await HostFleet.start({
    dataDir,
    cacheDir: CACHE,
    log,
    standins: await standinPackages(),
  });
  const params = typeof given === 'function' ? given(fleet) : given;
  const hosts = new RemoteHosts({ hostKeys: new MemoryHostKeys() });
  const end = async (): Promise<void> => {
    hosts.close();
    await fleet.stop();
    await rm(dataDir, { recursive: true });
  };
  try {
    const vip = masters > 1 ? addressIn(fleet, VIP) : undefined;
    const vnfcs = await Promise.all(images.map((image, index) => bootNode(fleet, image, { index, masters, vip })));
    const sharedCps = vip === undefined ? [] : [{ name: 'vip_CP', resourceId: 'port-vip', addresses: [vip], floatingIp: null }];
    if (publicKey !== undefined) await Promise.all(vnfcs.map(({ resourceId }) => authorize(fleet, resourceId, publicKey)));
    const parts = k8sParts({ ...defaultSettings, kubernetesAptUrl: undefined });
    const files = packages === undefined ? {} : { packages };
    const { vims, runner, lines } = driverBench({
      parts,
      hook: hookContext(params, 0, { vnfcs, sharedCps, ...hook }),
      params,
      hosts,
      ...files,
    });
    /** The plan of a later operation's hook, on the VMs that there are by then. */
    const operation = (more: Partial<HookContext>) =>
      driverBench({
        parts,
        hook: hookContext(params, 0, { vnfcs, sharedCps, ...hook, ...more }),
        params,
        requestParams: {},
        hosts,
        ...files,
      });
    /** Another VM. */
    const boot = async (image: string): Promise<Vnfc> => {
      const vnfc = await bootNode(fleet, image, { index: vnfcs.length, masters, vip });
      vnfcs.push(vnfc);
      return vnfc;
    };
    /** A fresh VM in the place of one, with its address. */
    const replace = async (image: string, index: number): Promise<void> => {
      await fleet.destroy(vnfcs[index]!.resourceId);
      vnfcs[index] = await bootNode(fleet, image, { index, masters, vip }, { resourceId: `fresh-${index}` });
    };
    return { fleet, hosts, vims, runner, vnfcs, vip, lines, operation, boot, replace, end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function authorize(fleet: HostFleet, serverId: string, publicKey: string): Promise<void> {
  const script = 'install -d -m 0700 -o ubuntu /home/ubuntu/.ssh && echo "$1" > /home/ubuntu/.ssh/authorized_keys';
  await fleet.exec(serverId, ['sh', '-c', script, 'sh', publicKey]);
}

/** The last byte of the virtual address. */
const VIP = 200;

const addressIn = (fleet: HostFleet, last: number): string => fleet.network.firstAddress.replace(/\d+$/, String(last));

interface NodeToBoot {
  index: number;
  masters: number;
  vip: string | undefined;
}

/** The first ones are the masters. */
async function bootNode(
  fleet: HostFleet,
  imageName: string,
  { index, masters, vip }: NodeToBoot,
  more: Partial<Vnfc> = {},
): Promise<Vnfc> {
  const address = addressIn(fleet, 10 + index);
  const role = index < masters ? 'master' : 'worker';
  const node = vnfc(role, index, address, more);
  const allowedAddresses = vip === undefined || role === 'worker' ? [] : [vip];
  const mac = `fa:16:3e:00:01:${(10 + index).toString(16).padStart(2, '0')}`;
  const spec: MachineSpec = {
    serverId: node.resourceId,
    name: node.name,
    imageName,
    nics: [{ mac, address, prefixLength: 24, allowedAddresses }],
    volumes: [],
  };
  await fleet.boot(spec);
  await fleet.ready(spec.serverId);
  return node;
}
