import { createHash, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { driverBench, FakeVims, hookContextOf, INSTANCE, packagesOf, vnfc } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { HostFleet, installHostPackages, sharedCache } from '@windlass/lab';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { registryParts } from '@windlass/registry-mgmt';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';
import { storageParts } from '@windlass/storage-mgmt';
import { rigFolder } from '../../support/rig-folder.js';

export const IMAGE_PATH = 'Files/images/private_registry.tar';
export const DATA = { volumeId: '7d0f5b1e-3c55-4c7e-9c61-0f1f6a2b9e01', device: '/dev/vdb', sizeGiB: 1 };

/** Fresh VMs of the lab, and the driver with real SSH to make a registry of one. */
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
    url: (port: number): string => `http://${address}:${port}`,
    end: async (): Promise<void> => {
      hosts.close();
      await fleet.stop();
      await rm(dataDir, { recursive: true });
    },
    /** The registry's VM: a fresh one at the same address, in the place of the one before. */
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
    /** As a kernel or a policy would: containerd asks this runc, and no container starts. */
    refuseContainers: async ({ resourceId }: Vnfc): Promise<void> => {
      const runc = '/usr/local/sbin/runc';
      const script = `printf '#!/bin/sh\\necho "containers: not on this machine" >&2\\nexit 1\\n' > ${runc} && chmod 755 ${runc}`;
      const { status } = await fleet.exec(resourceId, ['sh', '-c', script]);
      if (status !== 0) throw new Error(`${runc} could not be written`);
    },
    /** Runs the plan of a hook on the VM; gives what the operation is told. */
    run: async (
      vm: Vnfc,
      params: JsonObject,
      archive: Buffer | undefined,
      hook: Partial<HookContext> = {},
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
        // Jobs are an operation's.
        hook: hookContextOf({ operationId: randomUUID(), vnfcs: [vm], volumes, files, ...hook }),
        params,
        hosts,
        packages,
        others: storageParts.actions({ hosts, vims, packages }),
      });
      await runner.run().catch((error: unknown) => {
        process.stderr.write(`${lines.slice(-40).join('\n')}\n`);
        throw error;
      });
      process.stderr.write(`${[...runner.seconds].map(([step, took]) => `${step} ${took.toFixed(1)} s`).join('\n')}\n`);
      return [...runner.outputs.values()].flatMap((output) => ((output as JsonObject | null)?.notes ?? []) as string[]);
    },
  };
}
