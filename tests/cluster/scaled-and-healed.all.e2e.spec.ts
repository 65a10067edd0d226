import { minutes, type JsonObject } from '@windlass/foundation';
import type { StepView } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCluster, startDeployed, type Deployed } from '../support/deployed.js';
import { killService } from '../support/killed-services.js';
import type { ShownVnfc } from '../support/shown-vnfc.js';

let deployed: Deployed;
let path: string;

beforeAll(async () => {
  // A renewal that is late on a busy machine is a loss, and nothing here is about how many end a step.
  deployed = await startDeployed({ ENGINE_LEASE: '3s', ENGINE_MAX_LOSSES: '20' });
  const { path: instance, request } = await newCluster(deployed);
  path = instance;
  expect(await ended(await deployed.api.accept(`${path}/instantiate`, request))).toMatchObject({ operationState: 'COMPLETED' });
});

afterAll(() => deployed.close());

const ended = (opOccPath: string, look: (steps: readonly StepView[]) => void = () => undefined) =>
  deployed.api.follow(opOccPath, minutes(5), look);

async function vnfcs(vduId: string): Promise<ShownVnfc[]> {
  const { instantiatedVnfInfo } = await deployed.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: ShownVnfc[] } }>(path);
  return instantiatedVnfInfo.vnfcResourceInfo.filter((vnfc) => vnfc.vduId === vduId);
}

const servers = () =>
  deployed.lab.emulator
    .inventory()
    .flatMap((project) => project.servers.map(({ id }) => id))
    .sort();

/** Of a VM, its first. */
const addressOf = ({ computeResource }: ShownVnfc): string => {
  const [address = ''] = deployed.lab.fleet.addresses(computeResource.resourceId);
  return address;
};

/** Name, status and address of each node, by the cluster's own word. */
async function nodes(): Promise<string[]> {
  const [master] = await vnfcs('masterNode');
  const format = 'jsonpath={range .items[*]}{.metadata.name} {.status.addresses[0].address}{"\\n"}{end}';
  const { stdout, stderr, status } = await deployed.lab.fleet.exec(master?.computeResource.resourceId ?? '', [
    'kubectl',
    '--kubeconfig=/etc/kubernetes/admin.conf',
    'get',
    'nodes',
    '-o',
    format,
  ]);
  if (status !== 0) throw new Error(stderr);
  return stdout.trim().split('\n').sort();
}

/** Instance, VIM and cluster agree: these many workers, and nothing beside them. */
async function agree(workers: number): Promise<ShownVnfc[]> {
  const shown = [...(await vnfcs('masterNode')), ...(await vnfcs('workerNode'))];
  expect(shown).toHaveLength(1 + workers);
  expect(servers()).toEqual(shown.map(({ computeResource }) => computeResource.resourceId).sort());
  const expected = shown.map((vnfc) => {
    const address = addressOf(vnfc);
    return `${vnfc.vduId.replace('Node', '')}${address.split('.').at(-1) ?? ''} ${address}`;
  });
  expect(await nodes()).toEqual(expected.sort());
  return shown.filter(({ vduId }) => vduId === 'workerNode');
}

const operationOf = (opOccPath: string) => `/windlass/v1/operations/${opOccPath.split('/').at(-1) ?? ''}`;

/** Changes as the occurrence has them, by what is known of the VNFCs. */
const changesOf = ({ resourceChanges }: JsonObject) =>
  (resourceChanges as { affectedVnfcs: { id: string; changeType: string }[] }).affectedVnfcs.map(
    ({ id, changeType }) => `${changeType} ${id}`,
  );

const scale = (type: 'SCALE_OUT' | 'SCALE_IN', additionalParams: JsonObject = {}) =>
  deployed.api.accept(`${path}/scale`, { type, aspectId: 'worker_instance', additionalParams });

describe('a cluster in the hands of the services', () => {
  it('lets in whoever comes with the kubeconfig that the API gives of it: by the real kubectl, on a machine that is none of its masters', async () => {
    const [worker] = await agree(2);
    const config = await deployed.api.post(`/windlass/v1/vnf_instances/${path.split('/').at(-1) ?? ''}/kubeconfig`, {});
    const listed = 'umask 077; cat > /root/taken && kubectl --kubeconfig=/root/taken get nodes -o name; rm /root/taken';
    const server = worker?.computeResource.resourceId ?? '';
    const { stdout, stderr } = await deployed.lab.fleet.exec(server, ['sh', '-c', listed], { input: JSON.stringify(config) });
    expect(stdout.trim().split('\n').sort(), stderr).toEqual((await nodes()).map((line) => `node/${line.split(' ')[0] ?? ''}`));
  });

  it('gets a worker although k8s-mgmt dies while it joins', async () => {
    const before = await agree(2);
    const kills: Promise<void>[] = [];
    const opOccPath = await scale('SCALE_OUT');
    const opOcc = await ended(opOccPath, (steps) => {
      if (kills.length === 0 && steps.some(({ action, state }) => action === 'join-worker' && state === 'running'))
        kills.push(killService(deployed, 'k8s-mgmt'));
    });
    await Promise.all(kills);
    expect(kills).toHaveLength(1);
    expect(opOcc, JSON.stringify(opOcc)).toMatchObject({ operationState: 'COMPLETED' });
    const after = await agree(3);
    const [came] = after.filter(({ id }) => before.every((vnfc) => vnfc.id !== id));
    expect(changesOf(opOcc)).toEqual([`ADDED ${came?.id ?? ''}`]);
  });

  it('has neither node nor VM of a scale out that fails in the join and is rolled back', async () => {
    const was = await nodes();
    const there = servers();
    let broken: Promise<void> | undefined;
    const opOccPath = await scale('SCALE_OUT');
    const failed = await ended(opOccPath, (steps) => {
      const [fresh] = servers().filter((id) => !there.includes(id));
      if (fresh !== undefined && steps.some(({ action, state }) => action === 'install-runtime' && state === 'running'))
        broken ??= breakJoins(fresh);
    });
    await broken;
    expect(failed, JSON.stringify(failed)).toMatchObject({ operationState: 'FAILED_TEMP' });
    const steps = await deployed.api.get<StepView[]>(`${operationOf(opOccPath)}/steps`);
    expect(steps.filter(({ error }) => error !== null).map(({ action }) => action)).toContain('join-worker');
    expect(await nodes(), 'the node that came before the join failed').toHaveLength(was.length + 1);
    await deployed.api.task(`${opOccPath}/rollback`, {});
    const back = await ended(opOccPath);
    expect(back, JSON.stringify(back)).toMatchObject({ operationState: 'ROLLED_BACK' });
    await agree(3);
    expect(await nodes()).toEqual(was);
    expect(servers()).toEqual(there);
  });

  it('loses its newest worker, which the cluster has not any more either', async () => {
    const before = await agree(3);
    const opOcc = await ended(await scale('SCALE_IN'));
    expect(opOcc, JSON.stringify(opOcc)).toMatchObject({ operationState: 'COMPLETED' });
    const after = await agree(2);
    const [went] = before.filter(({ id }) => after.every((vnfc) => vnfc.id !== id));
    expect(changesOf(opOcc)).toEqual([`REMOVED ${went?.id ?? ''}`]);
  });

  it('has a worker with a dead kubelet replaced, which keeps its id and its place; the occurrence says what was not waited for', async () => {
    const [worker] = await agree(2);
    if (worker === undefined) throw new Error('it has no worker');
    await deployed.lab.fleet.exec(worker.computeResource.resourceId, ['systemctl', 'stop', 'kubelet']);
    await notReady(addressOf(worker));
    const opOccPath = await deployed.api.accept(`${path}/heal`, { vnfcInstanceId: [worker.id], cause: 'its kubelet is dead' });
    const opOcc = await ended(opOccPath);
    expect(opOcc, JSON.stringify(opOcc)).toMatchObject({ operationState: 'COMPLETED' });
    const after = await agree(2);
    const healed = after.find(({ id }) => id === worker.id);
    expect(healed?.computeResource.resourceId).toBeDefined();
    expect(healed?.computeResource.resourceId).not.toBe(worker.computeResource.resourceId);
    const { warnings = [] } = await deployed.api.get<{ warnings?: string[] }>(operationOf(opOccPath));
    expect(warnings).toContainEqual(expect.stringContaining('did not answer the cluster: its pods were not moved'));
  });
});

/** A kubeadm whose join fails at its end, when the cluster has the node. */
async function breakJoins(server: string): Promise<void> {
  const script = `#!/bin/bash
/usr/bin/kubeadm "$@" || exit
if [ "$1" = join ]; then rm /etc/kubernetes/pki/ca.crt; exit 1; fi
`;
  const install = 'cat > /usr/local/bin/kubeadm && chmod 0755 /usr/local/bin/kubeadm';
  const { status, stderr } = await deployed.lab.fleet.exec(server, ['sh', '-c', install], { input: script });
  if (status !== 0) throw new Error(stderr);
}

async function notReady(address: string): Promise<void> {
  const [master] = await vnfcs('masterNode');
  const name = (await nodes()).find((line) => line.endsWith(` ${address}`))?.split(' ')[0] ?? '';
  const { status, stderr } = await deployed.lab.fleet.exec(
    master?.computeResource.resourceId ?? '',
    [
      'kubectl',
      '--kubeconfig=/etc/kubernetes/admin.conf',
      'wait',
      `node/${name}`,
      '--for=condition=Ready=Unknown',
      '--timeout=180s',
    ],
    { within: minutes(4) },
  );
  if (status !== 0) throw new Error(stderr);
}
