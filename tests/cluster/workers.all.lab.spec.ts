import { minutes, seconds, waitUntil } from '@windlass/foundation';
import { INSTANCE, plainParams } from '@windlass/k8s-mgmt/testing';
import { clusterVimId, type HookContext, type Vnfc } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodesCome } from '../support/nodes-come.js';
import { labCluster } from './support/lab-cluster.js';

const KUBECTL = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'];
const IMAGE = 'debian-12';
/** The second's address begins the third's: 10.x.y.2 and 10.x.y.21. */
const PLACES = [10, 2, 21] as const;

const BUDGET = `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: default}
spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}
`;

type Lab = Awaited<ReturnType<typeof labCluster>>;
type Operation = ReturnType<Lab['operation']>;

describe('workers of a cluster of lab VMs', () => {
  let lab: Lab;
  let master: Vnfc;
  let staying: Vnfc;
  let coming: Vnfc;

  beforeAll(async () => {
    lab = await labCluster({ params: plainParams(), images: [IMAGE, 'ubuntu-22.04'], places: [...PLACES] });
    [master, staying] = lab.vnfcs as [Vnfc, Vnfc];
    await lab.runner.run();
    await kubectl('create', 'deployment', 'web', '--image=registry.k8s.io/pause:3.10', '--replicas=2');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
  });
  afterAll(() => lab.end());

  async function inside({ resourceId }: Vnfc, ...argv: string[]): Promise<string> {
    const { status, stdout, stderr } = await lab.fleet.exec(resourceId, argv, { within: minutes(2) });
    if (status !== 0) throw new Error(`${argv.join(' ')} ended with status ${status ?? 'none'}: ${stderr}`);
    return stdout.trim();
  }
  const kubectl = (...argv: string[]) => inside(master, ...KUBECTL, ...argv);

  /** Name and status, as kubectl prints them. */
  const nodes = async () =>
    (await kubectl('get', 'nodes', '--no-headers'))
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 2).join(' '))
      .sort();

  /** What the node's /etc/hosts has between our marks. */
  const peers = async (node: Vnfc) =>
    (await inside(node, 'sed', '-n', '/^# windlass: begin$/,/^# windlass: end$/p', '/etc/hosts'))
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .sort();

  const lineOf = ({ cps }: Vnfc, role = 'worker') => {
    const [address = ''] = cps[0]?.addresses ?? [];
    return `${address} ${role}${address.split('.').at(-1) ?? ''}`;
  };
  const lines = (...workers: Vnfc[]) => [lineOf(master, 'master'), ...workers.map((worker) => lineOf(worker))].sort();

  /** When the services of a node were started. */
  const starts = (node: Vnfc) =>
    inside(node, 'systemctl', 'show', '--property=Id,ExecMainStartTimestampMonotonic', 'containerd', 'kubelet');

  const webPods = async () => {
    const format = 'jsonpath={range .items[*]}{.metadata.uid} {.spec.nodeName}{"\\n"}{end}';
    return (await kubectl('get', 'pods', '-l', 'app=web', '-o', format)).split('\n').sort();
  };

  const scaling = (hook: 'scale_start' | 'scale_end', vnfc: Vnfc): Partial<HookContext> => ({
    hook,
    vnfcs: [master, staying, coming],
    request: { type: hook === 'scale_start' ? 'SCALE_IN' : 'SCALE_OUT', aspectId: 'worker_instance' },
    affectedVnfcs: [{ changeType: hook === 'scale_start' ? 'REMOVED' : 'ADDED', vnfc }],
  });

  async function run({ runner, lines: told }: Operation): Promise<void> {
    try {
      await runner.run();
    } finally {
      const took = [...runner.seconds].map(([step, time]) => `${step} ${time.toFixed(1)} s`);
      process.stderr.write(`${[...told.slice(-30), took.join(', ')].join('\n')}\n`);
    }
  }

  /** Undoes all steps that can be undone, the last first. */
  async function undo({ runner }: Operation): Promise<void> {
    for (const { id, traits } of [...runner.steps].reverse())
      if (traits.undoable !== false)
        await runner.action(id).undo?.(runner.runOf(id, { phase: 'undo', epoch: 9, attemptEpoch: 9 }));
  }

  const allAre = (...wanted: string[]) =>
    waitUntil(
      async (seen) => {
        const found = await nodes();
        seen(found.join(', '));
        return found.join() === wanted.join() ? true : undefined;
      },
      { for: `nodes to be ${wanted.join(', ')}`, within: minutes(3), every: seconds(0.5) },
    );

  it('are joined by one more, and on those that were there nothing is done but a line added to /etc/hosts', async () => {
    coming = await lab.boot(IMAGE);
    const was = [await starts(master), await starts(staying), await webPods()];
    await run(lab.operation(scaling('scale_end', coming)));
    await nodesCome(nodes, ['master10 Ready', 'worker2 Ready', 'worker21 Ready']);
    for (const node of [master, staying, coming]) expect(await peers(node)).toEqual(lines(staying, coming));
    expect([await starts(master), await starts(staying), await webPods()]).toEqual(was);
    expect(was[0]).toMatch(/ExecMainStartTimestampMonotonic=[1-9]/);
  });

  it('are not given up where a disruption budget holds pods on them: the pods are named, and undone they take pods again', async () => {
    await lab.fleet.exec(master.resourceId, [...KUBECTL, 'apply', '-f', '-'], { input: BUDGET });
    const counted = () => kubectl('get', 'poddisruptionbudget', 'web', '-o', 'jsonpath={.status.currentHealthy}');
    await expect.poll(counted, { timeout: 30_000, interval: 200 }).toBe('2');
    const operation = lab.operation(scaling('scale_start', staying), { drain_timeout_seconds: 3 });
    await expect(run(operation)).rejects.toMatchObject({
      code: 'node.not-drained',
      message: expect.stringMatching(/pods that worker2 still had after 3(\.0)? s: default\/web-\S+, default\/web-/) as string,
    });
    await nodesCome(nodes, ['master10 Ready', 'worker2 Ready,SchedulingDisabled', 'worker21 Ready']);
    await undo(operation);
    await nodesCome(nodes, ['master10 Ready', 'worker2 Ready', 'worker21 Ready']);
  });

  it('go with their pods where that is asked for, by whole addresses, and come back when it is undone', async () => {
    const operation = lab.operation(scaling('scale_start', staying), { drain_timeout_seconds: 1, drain_force: true });
    await run(operation);
    expect(JSON.stringify(operation.runner.outputs.get(`drain-node:${lineOf(staying).split(' ')[0] ?? ''}`))).toMatch(
      /default\/web-\S+.*; they go with it/,
    );
    await nodesCome(nodes, ['master10 Ready', 'worker21 Ready']);
    for (const node of [master, coming]) expect(await peers(node)).toEqual(lines(coming));
    await undo(operation);
    await allAre('master10 Ready', 'worker2 Ready', 'worker21 Ready');
    for (const node of [master, coming]) expect(await peers(node)).toEqual(lines(staying, coming));
  });

  it('go for good, and their pods move', async () => {
    await kubectl('delete', 'poddisruptionbudget', 'web');
    const was = [await starts(master), await starts(coming)];
    await run(lab.operation(scaling('scale_start', staying)));
    await lab.fleet.destroy(staying.resourceId);
    await nodesCome(nodes, ['master10 Ready', 'worker21 Ready']);
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
    expect((await webPods()).map((line) => line.split(' ')[1])).toEqual(['worker21', 'worker21']);
    expect([await starts(master), await starts(coming)]).toEqual(was);
  });

  const healing = (hook: 'heal_start' | 'heal_end', vnfcs: Vnfc[], whole = false): Partial<HookContext> => ({
    hook,
    vnfcs,
    request: {},
    heal: { vnfcIds: whole ? [] : [coming.id], whole, recreates: false, cause: 'its kubelet is dead', earlierResourceIds: {} },
  });

  it('are healed whose kubelet is dead: not waited for, and under the name that they had', async () => {
    await inside(coming, 'systemctl', 'stop', 'kubelet');
    await allAre('master10 Ready', 'worker21 NotReady');
    const start = lab.operation(healing('heal_start', [master, coming]));
    await run(start);
    expect(JSON.stringify([...start.runner.outputs.values()])).toContain('worker21 did not answer the cluster');
    await nodesCome(nodes, ['master10 Ready']);
    coming = await lab.replace(IMAGE, 2);
    await run(lab.operation(healing('heal_end', [master, coming])));
    await nodesCome(nodes, ['master10 Ready', 'worker21 Ready']);
    for (const node of [master, coming]) expect(await peers(node)).toEqual(lines(coming));
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
  });

  it('are there again when the whole cluster is healed, with the master: another cluster, registered anew', async () => {
    await run(lab.operation(healing('heal_start', [master, coming], true)));
    [master, coming] = await Promise.all([lab.replace(IMAGE, 0), lab.replace(IMAGE, 2)]);
    const end = lab.operation(healing('heal_end', [master, coming], true));
    await run(end);
    await nodesCome(nodes, ['master10 Ready', 'worker21 Ready']);
    expect(end.vims.vims.has(clusterVimId(INSTANCE))).toBe(true);
    expect(await kubectl('get', 'deployments', '-o', 'name')).toBe('');
  });
});
