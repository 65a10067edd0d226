import { createHash, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { connectRegistries, type RegistryInput } from '@windlass/driver-kit';
import { driverBench, FakeVims, hookContextOf, INSTANCE, packagesOf, vnfc, type PlanRunner } from '@windlass/driver-kit/testing';
import { minutes, type JsonObject } from '@windlass/foundation';
import { GUEST_NODE, HostFleet, installHostPackages, sharedCache } from '@windlass/lab';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { registryParts } from '@windlass/registry-mgmt';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';
import { stepOf, type Plan } from '@windlass/saga';
import { storageParts } from '@windlass/storage-mgmt';
import { PULL_IMAGE } from '../../registries/support/pull-image.js';
import { rigFolder } from '../../support/rig-folder.js';

export const IMAGE_PATH = 'Files/images/private_registry.tar';
/** The name of the driver's parameters in a request. */
export const PARAM_OF_REGISTRY = 'private_registry_installation_param';
export const DATA = { volumeId: '7d0f5b1e-3c55-4c7e-9c61-0f1f6a2b9e01', device: '/dev/vdb', sizeGiB: 1 };

/** Starts new VMs of the lab, and the driver with real SSH that makes a registry of one. */
export async function registryLab() {
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  await installHostPackages(log);
  const dataDir = await rigFolder('windlass-registry-');
  const fleet = await HostFleet.start({ dataDir, cacheDir: sharedCache(), log, standins: [], containers: true });
  const hosts = new RemoteHosts({ hostKeys: new MemoryHostKeys() });
  const address = fleet.network.gateway.replace(/\d+$/, '30');
  let lives = 0;
  return {
    fleet,
    dataDir,
    address,
    url: (port: number): string => `http://${address}:${port}`,
    end: async (): Promise<void> => {
      hosts.close();
      await fleet.stop();
      await rm(dataDir, { recursive: true });
    },
    /** Starts the registry's VM, or replaces it by a new one at the same address. */
    boot: async (volumes: (typeof DATA)[] = []): Promise<Vnfc> => {
      if (lives > 0) await fleet.destroy(`server-registry-${lives}`);
      lives += 1;
      const serverId = `server-registry-${lives}`;
      const nics = [{ mac: 'fa:16:3e:00:05:30', address, prefixLength: 24, allowedAddresses: [] }];
      await fleet.boot({ serverId, name: 'vm-registry', imageName: 'debian-12', nics, volumes });
      await fleet.ready(serverId);
      const named = volumes.map(({ volumeId: resourceId, device }) => ({ name: 'data', resourceId, device }));
      return vnfc('registry', 'CP1', address, { resourceId: serverId, volumes: named });
    },
    /** Puts a failing runc in the place of the real one: containerd can start no container, as where a kernel or a policy refuses. */
    refuseContainers: async ({ resourceId }: Vnfc): Promise<void> => {
      const runc = '/usr/local/sbin/runc';
      const script = `printf '#!/bin/sh\\necho "containers: not on this machine" >&2\\nexit 1\\n' > ${runc} && chmod 755 ${runc}`;
      const { status } = await fleet.exec(resourceId, ['sh', '-c', script]);
      if (status !== 0) throw new Error(`${runc} could not be written`);
    },
    /** Runs a line of shell on a VM as root. Returns the output. */
    said: async ({ resourceId }: Vnfc, script: string): Promise<string> => {
      const { stdout } = await fleet.exec(resourceId, ['sh', '-c', script], { within: minutes(4) });
      return stdout.trim();
    },
    /** Runs the plan of a hook on the VM. Returns the results for the operation; `lines` has the steps' progress. */
    run: async (
      vm: Vnfc,
      params: JsonObject,
      archive: Buffer | undefined,
      { hook = {}, requestParams = params, shown = [] }: RunOptions = {},
    ): Promise<string[]> => {
      const sha256 = createHash('sha256')
        .update(archive ?? '')
        .digest('hex');
      const files = archive === undefined ? [] : [{ path: IMAGE_PATH, size: archive.length, sha256, firstLine: '' }];
      const volumes = (vm.volumes ?? []).map((volume) => ({ ...volume, vnfcId: vm.id }));
      const packages = packagesOf(archive === undefined ? {} : { [IMAGE_PATH]: archive });
      const vims = new FakeVims(() => INSTANCE);
      const { runner, lines } = driverBench({
        parts: registryParts,
        // Each run is a new operation, so that its jobs run again.
        hook: hookContextOf({ operationId: randomUUID(), vnfcs: [vm], volumes, files, ...hook }),
        params,
        requestParams,
        hosts,
        packages,
        others: storageParts.actions({ hosts, vims, packages }),
      });
      await performed(runner, lines);
      shown.push(...lines, JSON.stringify([...runner.outputs]));
      return [...runner.outputs.values()].flatMap((output) => ((output as JsonObject | null)?.notes ?? []) as string[]);
    },
    /** Starts a VM with Debian's containerd, which knows these registries as a cluster's node does. */
    node: async (registries: RegistryInput[], files: Readonly<Record<string, string>>): Promise<Vnfc> => {
      const own = fleet.network.gateway.replace(/\d+$/, '31');
      const nics = [{ mac: 'fa:16:3e:00:05:31', address: own, prefixLength: 24, allowedAddresses: [] }];
      await fleet.boot({ serverId: NODE, name: 'node', imageName: 'debian-12', nics, volumes: [] });
      await fleet.ready(NODE);
      const install = 'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends containerd';
      const { status, stderr } = await fleet.exec(NODE, ['sh', '-c', install], { within: minutes(4) });
      if (status !== 0) throw new Error(`containerd could not be installed: ${stderr}`);
      const node = vnfc('node', 'CP1', own, { resourceId: NODE, createdAt: null });
      const machine = { name: 'node', sshCp: 'CP1', username: 'ubuntu', password: 'ubuntu', vnfc: node };
      const root = stepOf(connectRegistries, {
        id: 'connect',
        target: 'node',
        traits: { undoable: false },
        input: { instance: INSTANCE, machine, registries },
      });
      const { runner, lines } = driverBench({
        parts: { ...registryParts, driver: { ...registryParts.driver, plan: () => ({ root }) as Plan } },
        hook: hookContextOf({ operationId: randomUUID(), vnfcs: [node] }),
        params: {},
        hosts,
        packages: packagesOf(files),
      });
      await performed(runner, lines);
      return node;
    },
    /** The answer of a node's containerd to a kubelet that wants an image; empty where the image is there. */
    pulled: async ({ resourceId }: Vnfc, image: string): Promise<string> => {
      const { stdout, stderr } = await fleet.exec(resourceId, [GUEST_NODE, '-e', PULL_IMAGE, image], { within: minutes(2) });
      return `${stdout}${stderr}`.trim();
    },
  };
}

const NODE = 'server-node';

/** More options of a run. */
export interface RunOptions {
  hook?: Partial<HookContext>;
  /** The parameters of the operation's own request; the instantiation's unless given. */
  requestParams?: JsonObject;
  /** Takes the lines that people see of the operation. */
  shown?: string[];
}

async function performed(runner: Pick<PlanRunner, 'run' | 'seconds'>, lines: readonly string[]): Promise<void> {
  await runner.run().catch((error: unknown) => {
    process.stderr.write(`${lines.slice(-40).join('\n')}\n`);
    throw error;
  });
  process.stderr.write(`${[...runner.seconds].map(([step, took]) => `${step} ${took.toFixed(1)} s`).join('\n')}\n`);
}
