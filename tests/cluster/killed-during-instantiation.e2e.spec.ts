import { minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import type { StepView } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCluster, startDeployed, type Deployed } from '../support/deployed.js';
import { Reaper } from '../support/killed-services.js';
import { ONCE_CLEANED_UP } from '../support/cleaned-up.js';

let deployed: Deployed;

beforeAll(async () => {
  // A renewal that is late on a busy machine is a loss, and nothing here is about how many end a step.
  deployed = await startDeployed({ ENGINE_LEASE: '3s', ENGINE_MAX_LOSSES: '20' });
});

afterAll(() => deployed.close());

describe('a cluster whose services are killed while it is made', () => {
  it('is there in the end, each job run once, and is taken away without a trace', async () => {
    const { api, lab } = deployed;
    const before = JSON.stringify(lab.emulator.inventory());
    const { path, request } = await newCluster(deployed);
    const reaper = new Reaper(deployed, {
      'infra-driver': 'create-stack',
      'saga-coordinator': 'install-runtime',
      'vim-registry': 'install-runtime',
      'k8s-mgmt': 'install-kubernetes',
      'lcm-api': 'init-control-plane',
    });
    lab.emulator.faults.add({
      kind: 'slow-stack',
      stackName: `vnf-${path.split('/').at(-1) ?? ''}`,
      delayMs: seconds(4),
      times: 1,
    });
    const opOccPath = await api.accept(`${path}/instantiate`, request);
    const opOcc = await api.follow(opOccPath, minutes(6), reaper.look);
    const spared = await reaper.spared();
    expect(opOcc, JSON.stringify(opOcc)).toMatchObject({ operationState: 'COMPLETED' });
    expect(spared, 'services that were never killed').toEqual([]);

    const operation = `/windlass/v1/operations/${opOccPath.split('/').at(-1) ?? ''}`;
    const { warnings = [] } = await api.get<{ warnings?: string[] }>(operation);
    expect(
      warnings.filter((warning) => warning.startsWith('no pod has tried the cluster')),
      'stand-ins run none',
    ).toEqual([expect.stringContaining('none://containerd')]);
    const steps = await api.get<StepView[]>(`${operation}/steps`);
    expect(steps.filter(({ state }) => state !== 'done')).toEqual([]);
    const instance = await api.get(path);
    const { vnfcResourceInfo } = instance.instantiatedVnfInfo as unknown as {
      vnfcResourceInfo: { vduId: string; computeResource: { resourceId: string } }[];
    };
    expect(vnfcResourceInfo.map(({ vduId }) => vduId).sort()).toEqual(['masterNode', 'workerNode', 'workerNode']);
    for (const { computeResource } of vnfcResourceInfo) {
      const { stdout } = await lab.fleet.exec(computeResource.resourceId, [
        'grep',
        '-c',
        'Commandline:.*kubeadm',
        '/var/log/apt/history.log',
      ]);
      expect(stdout.trim(), 'installations of kubeadm on one node').toBe('1');
    }
    const master = vnfcResourceInfo.find(({ vduId }) => vduId === 'masterNode')?.computeResource.resourceId ?? '';
    const kubectl = ['kubectl', '--kubeconfig', '/etc/kubernetes/admin.conf', 'get', 'nodes', '--no-headers'];
    await waitUntil(
      async (seen) => {
        const { stdout } = await lab.fleet.exec(master, kubectl);
        seen(stdout);
        return stdout.split('\n').filter((line) => line.includes(' Ready ')).length === 3 ? true : undefined;
      },
      { for: 'three nodes to be ready', within: minutes(1), every: seconds(1) },
    );
    const { vims } = await api.get<{ vims: JsonObject[] }>('/v1.0/vims');
    expect(vims.map(({ type }) => type).sort()).toEqual(['kubernetes', 'openstack']);
    expect((instance.vimConnectionInfo as JsonObject[]).map(({ vimType }) => vimType)).toContain('kubernetes');

    const end = await api.follow(
      await api.accept(`${path}/terminate`, { terminationType: 'FORCEFUL' }),
      minutes(3),
      () => undefined,
    );
    expect(end, JSON.stringify(end)).toMatchObject({ operationState: 'COMPLETED' });
    await api.delete(path);
    await expect.poll(() => JSON.stringify(lab.emulator.inventory()), ONCE_CLEANED_UP).toBe(before);
    expect((await api.get<{ vims: JsonObject[] }>('/v1.0/vims')).vims.map(({ type }) => type)).toEqual(['openstack']);
  }, 600_000);
});
