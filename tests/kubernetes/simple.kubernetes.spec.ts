import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { minutes, type JsonObject } from '@windlass/foundation';
import { operationWarnings, type StepView } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodesCome } from '../support/nodes-come.js';
import { killsKubeadm } from './support/killer.js';
import { certificatesOf, CONTROL_PLANE, RealCluster, type RealNode } from './support/real-cluster.js';
import { ONCE_CLEANED_UP } from '../support/cleaned-up.js';

const run = promisify(execFile);

/** Three pods that tell their names, one a node, and Services before them. */
const WEB = JSON.stringify({
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: 'kubernetes.io/hostname',
                whenUnsatisfiable: 'DoNotSchedule',
                nodeTaintsPolicy: 'Honor',
                labelSelector: { matchLabels: { app: 'web' } },
              },
            ],
            containers: [
              {
                name: 'web',
                image: 'docker.io/library/busybox:1.36',
                command: ['sh', '-c', 'echo "$NAME" > /tmp/index.html; echo "$NAME begins"; exec httpd -f -p 80 -h /tmp'],
                env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
                readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80, nodePort: 30080 }] },
    },
  ],
});

interface Pod {
  metadata: { name: string };
  spec: { nodeName?: string };
  status: { podIP?: string; phase: string; conditions?: { type: string; status: string }[] };
}

let cluster: RealCluster;
let nodes: { master: RealNode; workers: RealNode[] };
let steps: readonly StepView[] = [];
let operation: string;

beforeAll(async () => {
  cluster = await RealCluster.start();
});
afterAll(() => cluster.close());

const everyNode = (): RealNode[] => [nodes.master, ...nodes.workers];
/** Name, readiness and runtime of each node. */
const nodeRows = async (): Promise<string[]> => {
  const list = JSON.parse(await cluster.done('get', 'nodes', '-o', 'json')) as { items: JsonObject[] };
  const rows = list.items.map((node) => {
    const { name } = node.metadata as { name: string };
    const { conditions, nodeInfo } = node.status as unknown as {
      conditions: { type: string; status: string }[];
      nodeInfo: { containerRuntimeVersion: string };
    };
    const ready = conditions.find(({ type }) => type === 'Ready')?.status;
    return `${name} ${ready ?? ''} ${nodeInfo.containerRuntimeVersion.split('://')[0] ?? ''}`;
  });
  return rows.sort();
};
const podsOf = async (selector: string): Promise<Pod[]> =>
  (JSON.parse(await cluster.done('get', 'pods', '-l', selector, '-o', 'json')) as { items: Pod[] }).items;
const readyPods = (pods: readonly Pod[]): Pod[] =>
  pods.filter(({ status }) => status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'));

/** Asks from inside each pod. */
async function asked(pods: readonly Pod[], url: (peer: Pod) => string): Promise<Record<string, string[]>> {
  const answers: Record<string, string[]> = {};
  for (const pod of pods) {
    const here = (answers[pod.spec.nodeName ?? ''] = [] as string[]);
    for (const peer of pods)
      here.push(await cluster.done('exec', pod.metadata.name, '--', 'wget', '-q', '-T', '5', '-O', '-', url(peer)));
  }
  return answers;
}

/** What this machine has of a VM: its control groups, in which its processes are, and its mounts. */
const tracesOf = async ({ serverId }: RealNode): Promise<string[]> => {
  const { stdout } = await run('find', ['/sys/fs/cgroup', '-type', 'd', '-name', serverId]);
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  return [...stdout.split('\n'), ...mounts.split('\n')].filter((line) => line.includes(serverId));
};

describe('a cluster with one master on a real Kubernetes', () => {
  it(
    'stops where kubeadm init is killed half-way, and where every join is killed, and stands when both were retried',
    async () => {
      operation = await cluster.instantiate();
      for (const [verb, file, step] of [
        ['init', '/etc/kubernetes/manifests/kube-apiserver.yaml', 'init-control-plane'],
        // At once: a kubelet that has been started joins the cluster without kubeadm.
        ['join', '/etc/kubernetes', 'join-worker'],
      ] as const) {
        expect(await killsKubeadm(cluster, operation, verb, file)).toBeGreaterThan(0);
        const rested = await cluster.rest(operation, (seen) => (steps = seen));
        expect(rested, JSON.stringify(rested)).toMatchObject({ operationState: 'FAILED_TEMP' });
        expect(steps.filter(({ state }) => state === 'failed').map(({ action }) => action)).toContain(step);
        await cluster.deployed.api.task(`${operation}/retry`, {});
      }
      const done = await cluster.rest(operation, (seen) => (steps = seen));
      expect(done, JSON.stringify(done)).toMatchObject({ operationState: 'COMPLETED' });
    },
    minutes(40),
  );

  it('has every node Ready, whose containers run, and pods of the verification have tried it and gone', async () => {
    nodes = await cluster.nodes();
    const wanted = everyNode().map(({ name }) => `${name} True containerd`).sort(); // prettier-ignore
    await nodesCome(nodeRows, wanted);
    expect(steps.filter(({ action }) => action === 'verify-cluster').map(({ state }) => state)).toEqual(['done']);
    const warnings = await operationWarnings(cluster.deployed.api, operation.split('/').at(-1) ?? '');
    expect(warnings.filter((warning) => !warning.includes('windlass: builtin'))).toEqual([]);
    for (const node of everyNode()) {
      const { stdout } = await cluster.on(node, 'sh', '-c', 'journalctl --unit=kubelet --output=cat | grep windlass-verify');
      expect(stdout, `the kubelet of ${node.name}`).toMatch(/pod="windlass-verify-[^"]*\/probe-\d"/);
    }
    expect(await cluster.done('get', 'namespaces', '-o', 'name')).not.toContain('windlass-verify');
  });

  it('runs a Deployment on every node, whose pods reach each other by address, by name and by its Service', async () => {
    await cluster.apply(WEB);
    const pods = await cluster.until('three pods to be ready', async () => {
      const ready = readyPods(await podsOf('app=web'));
      return ready.length === 3 ? ready : undefined;
    });
    expect(pods.map(({ spec }) => spec.nodeName).sort()).toEqual(
      everyNode()
        .map(({ name }) => name)
        .sort(),
    );
    const names = pods.map(({ spec }) => spec.nodeName);
    const byAddress = await asked(pods, ({ status }) => `http://${status.podIP ?? ''}/`);
    for (const answers of Object.values(byAddress)) expect(answers).toEqual(names);
    for (const url of ['http://web/', 'http://web.default.svc.cluster.local/'])
      for (const answers of Object.values(await asked(pods, () => url)))
        for (const answer of answers) expect(names).toContain(answer);
  });

  it('answers at the Service’s port on every node', async () => {
    const asks = 'exec 3<>"/dev/tcp/$1/30080" && printf "GET / HTTP/1.0\\r\\n\\r\\n" >&3 && cat <&3';
    for (const from of everyNode())
      for (const to of everyNode()) {
        const { stdout } = await cluster.on(from, 'timeout', '20', 'bash', '-c', asks, 'bash', to.address);
        expect(stdout.trim().split('\n').at(-1), `from ${from.name} to ${to.name}`).toMatch(/^(master|worker)\d+$/);
      }
  });

  it('shows what a container printed, and runs programs in it, on every node', async () => {
    for (const { metadata, spec } of readyPods(await podsOf('app=web'))) {
      expect(await cluster.done('logs', metadata.name)).toContain(`${spec.nodeName ?? ''} begins`);
      expect(await cluster.done('exec', metadata.name, '--', 'cat', '/etc/hostname')).toBe(metadata.name);
      const failed = await cluster.kubectl('exec', metadata.name, '--', 'sh', '-c', 'exit 7');
      expect(failed.status).toBe(7);
    }
  });

  it('notices a worker whose plug was pulled, and has its pod back when it is', async () => {
    const { fleet } = cluster.deployed.lab;
    const [worker] = nodes.workers;
    const condition = (): Promise<string> =>
      cluster.done('get', 'node', worker!.name, '-o', 'jsonpath={.status.conditions[?(@.type=="Ready")].status}');
    await fleet.shutDown(worker!.serverId);
    await cluster.until(`${worker!.name} not to be Ready`, async () => ((await condition()) === 'True' ? undefined : true));
    await fleet.reboot(worker!.serverId);
    await cluster.until(`${worker!.name} to be Ready`, async () => ((await condition()) === 'True' ? true : undefined));
    const pods = await cluster.until('its pod to answer', async () => {
      const ready = readyPods(await podsOf('app=web')).filter(({ status }) => status.phase === 'Running');
      if (ready.length !== 3) return undefined;
      await asked(ready, ({ status }) => `http://${status.podIP ?? ''}/`);
      return ready;
    });
    expect(pods.map(({ spec }) => spec.nodeName)).toContain(worker!.name);
  });

  it(
    'has its certificates renewed: every part of the control plane runs anew with them, and goes on with its work',
    async () => {
      const kept = await cluster.certificatesEnd();
      const before = await certificatesOf(cluster);
      const renewal = await cluster.rest(await cluster.certificates('renew'), (seen) => (steps = seen));
      expect(renewal, JSON.stringify(renewal)).toMatchObject({ operation: 'MODIFY_INFO', operationState: 'COMPLETED' });
      expect(steps.filter(({ action }) => action === 'renew-certificates').map(({ state }) => state)).toEqual(['done']);

      const after = await certificatesOf(cluster);
      for (const name of ['kube-apiserver', 'etcd'] as const) {
        expect(after[name].file, name).not.toBe(before[name].file);
        expect(after[name].served, name).toBe(after[name].file);
      }
      expect(await cluster.certificatesEnd()).toBeGreaterThan(kept);

      // Its two others read their certificates when they start: a pod that goes comes back by them alone.
      const mark = `${String(renewal.id)}.${nodes.master.address}`;
      for (const name of CONTROL_PLANE) expect(await cluster.renewedBy(name), name).toBe(`${mark} True`);
      const [gone] = readyPods(await podsOf('app=web'));
      await cluster.done('delete', 'pod', gone!.metadata.name, '--wait=false');
      await cluster.until('another pod in its place', async () => {
        const ready = readyPods(await podsOf('app=web'));
        return ready.length === 3 && !ready.some(({ metadata }) => metadata.name === gone!.metadata.name) ? true : undefined;
      });

      const left = 'ls -A /etc/kubernetes | grep windlass; cmp /etc/kubernetes/admin.conf /home/*/.kube/config';
      const { status, stdout, stderr } = await cluster.on(nodes.master, 'sh', '-c', left);
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
    },
    minutes(25),
  );

  it(
    'comes back of its snapshot when its only master has died: what users made is there, every worker is, and whoever had a token has it yet',
    async () => {
      const { lab, api } = cluster.deployed;
      await cluster.done('create', 'configmap', 'of-a-user', '--from-literal=said=before');
      await cluster.done('-n', 'kube-system', 'scale', 'deployment', 'coredns', '--replicas=1');
      // Before anything is changed of the cluster, a snapshot is kept: the last with what users made until then.
      const look = await cluster.rest(await cluster.scale('SCALE_OUT'), (seen) => (steps = seen));
      expect(look, JSON.stringify(look)).toMatchObject({ operationState: 'COMPLETED' });
      const kept = steps.find(({ action }) => action === 'keep-snapshot');
      expect(kept?.state).toBe('done');
      await cluster.done('create', 'configmap', 'of-a-later-user', '--from-literal=said=after');
      nodes = await cluster.nodes();
      expect(nodes.workers).toHaveLength(3);
      const token = JSON.stringify(await api.post(`/windlass/v1/vnf_instances/${cluster.id}/kubeconfig`, {}));
      const [{ name: gone }] = (await podsOf('app=web')).map(({ metadata }) => metadata) as [{ name: string }];

      const { serverId, name } = nodes.master;
      await lab.fleet.shutDown(serverId);
      const healed = await cluster.rest(await cluster.heal('masterNode'), (seen) => (steps = seen));
      expect(healed, JSON.stringify(healed)).toMatchObject({ operationState: 'COMPLETED' });
      const warnings = (await operationWarnings(api, String(healed.id))).join('\n');
      expect(warnings).toMatch(/no snapshot of the control plane was kept: /);
      expect(warnings).toMatch(new RegExp(`${name} is made again of the snapshot of \\S+Z: what the cluster was told after`));
      expect(warnings).not.toMatch(/can't raise revisions/);

      nodes = await cluster.nodes();
      expect(nodes.master.serverId).not.toBe(serverId);
      const wanted = everyNode().map((node) => `${node.name} True containerd`).sort(); // prettier-ignore
      await nodesCome(nodeRows, wanted);
      expect(await cluster.done('get', 'configmap', 'of-a-user', '-o', 'jsonpath={.data.said}')).toBe('before');
      expect((await cluster.kubectl('get', 'configmap', 'of-a-later-user')).status).not.toBe(0);
      // Add-ons are as users left them.
      expect(await cluster.done('-n', 'kube-system', 'get', 'deployment', 'coredns', '-o', 'jsonpath={.spec.replicas}')).toBe(
        '1',
      );

      // The controllers see what is wanted, the kubelets see it, and pods reach each other through their Service.
      await cluster.done('delete', 'pod', gone, '--wait=false', '--ignore-not-found');
      await cluster.until('three pods to answer, none of them that one', async () => {
        const ready = readyPods(await podsOf('app=web')).filter(({ status }) => status.phase === 'Running');
        if (ready.length !== 3 || ready.some(({ metadata }) => metadata.name === gone)) return undefined;
        await asked(ready, ({ status }) => `http://${status.podIP ?? ''}/`);
        await asked(ready, () => 'http://web.default.svc.cluster.local/');
        return true;
      });

      const listed = 'umask 077; cat > /root/taken && kubectl --kubeconfig=/root/taken get nodes -o name; rm /root/taken';
      const [worker] = nodes.workers;
      const byToken = await lab.fleet.exec(worker!.serverId, ['sh', '-c', listed], { input: token });
      expect(byToken.stdout.trim().split('\n'), byToken.stderr).toContain(`node/${worker!.name}`);

      const left =
        'ls -A /var/lib | grep windlass- | grep -vxF windlass-lab; cmp /etc/kubernetes/admin.conf /home/*/.kube/config';
      const { status, stdout, stderr } = await cluster.on(nodes.master, 'sh', '-c', left);
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'windlass-restored\n', stderr: '' });
    },
    minutes(25),
  );

  it(
    'is terminated without a trace: no server, no process, no VIM',
    async () => {
      const { api, lab } = cluster.deployed;
      expect((await Promise.all(everyNode().map(tracesOf))).flat()).not.toEqual([]);
      const end = await cluster.rest(await api.accept(`${cluster.path}/terminate`, { terminationType: 'FORCEFUL' }));
      expect(end, JSON.stringify(end)).toMatchObject({ operationState: 'COMPLETED' });
      await api.delete(cluster.path);
      await expect.poll(() => JSON.stringify(lab.emulator.inventory()), ONCE_CLEANED_UP).toBe(cluster.before);
      expect((await api.get<{ vims: JsonObject[] }>('/v1.0/vims')).vims.map(({ type }) => type)).toEqual(['openstack']);
      for (const { serverId } of everyNode()) expect(() => lab.fleet.addresses(serverId)).toThrow(serverId);
      expect((await Promise.all(everyNode().map(tracesOf))).flat()).toEqual([]);
    },
    minutes(5),
  );
});
