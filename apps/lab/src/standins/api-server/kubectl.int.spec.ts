import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubeconfigOf } from '../client/kubeconfig.js';
import type { Pod } from '../kube/kinds.js';
import { R } from '../kube/resources.js';
import { debianProgram } from '../testing/debian-programs.js';
import { startTestCluster, type TestCluster } from '../testing/test-cluster.js';

let cluster: TestCluster;
let program: string;
let folder: string;

beforeAll(async () => {
  [cluster, program, folder] = await Promise.all([
    startTestCluster(),
    debianProgram('kubectl'),
    mkdtemp(join(tmpdir(), 'windlass-kubectl-')),
  ]);
  const config = kubeconfigOf(await cluster.accessOf('kubernetes-admin', 'system:masters'), {
    cluster: 'kubernetes',
    user: 'kubernetes-admin',
  });
  await writeFile(join(folder, 'config'), stringify(config), { mode: 0o600 });
  await cluster.addNode('w1');
  await cluster.addNode('w2');
});
afterAll(async () => {
  await cluster.close();
  await rm(folder, { recursive: true });
});

interface Answer {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs Debian's real kubectl 1.20.2 against the stand-in. */
function kubectl(args: string[], input = ''): Promise<Answer> {
  const child = spawn(program, ['--kubeconfig', join(folder, 'config'), '--cache-dir', join(folder, 'cache'), ...args], {
    env: { HOME: folder },
    stdio: 'pipe',
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status: status ?? -1, stdout, stderr }));
  });
}

const done = async (args: string[], input = ''): Promise<string> => {
  const { status, stdout, stderr } = await kubectl(args, input);
  expect({ args, status, stderr: stderr.replaceAll(/^(Warning|WARNING).*\n/gm, '') }).toEqual({ args, status: 0, stderr: '' });
  return stdout.trim();
};

const VOLUME = `apiVersion: v1
kind: PersistentVolume
metadata: {name: pv1, labels: {from: windlass}}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany], nfs: {server: 10.0.0.5, path: /srv}}
`;

describe('the real kubectl', () => {
  it('finds the version, the resources and what it may do', async () => {
    expect(await done(['version', '--short'])).toContain('Server Version: v1.34.1');
    expect(await done(['api-resources', '-o', 'name'])).toContain('poddisruptionbudgets.policy');
    expect(await done(['auth', 'can-i', 'delete', 'nodes'])).toBe('yes');
    expect(await done(['get', '--raw', '/healthz'])).toBe('ok');
  });

  it('applies: created, unchanged, configured, and refused with the field that may not change', async () => {
    expect(await done(['apply', '-f', '-'], VOLUME)).toBe('persistentvolume/pv1 created');
    expect(await done(['apply', '-f', '-'], VOLUME)).toBe('persistentvolume/pv1 unchanged');
    expect(await done(['apply', '-f', '-'], VOLUME.replace('windlass', 'somebody'))).toBe('persistentvolume/pv1 configured');
    expect(await done(['get', 'pv', 'pv1', '-o', 'jsonpath={.metadata.labels.from}'])).toBe('somebody');
    const moved = await kubectl(['apply', '-f', '-'], VOLUME.replace('10.0.0.5', '10.0.0.6'));
    expect(moved).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('spec.persistentvolumesource is immutable after creation') as string,
    });
  });

  // As storage-mgmt's actions on PersistentVolumes ask it to.
  it('makes PersistentVolumes of a list, never in the place of one that is there, and passes over those that are gone when it deletes', async () => {
    const volume = (name: string) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, labels: { 'windlass/vnf-instance': 'an-instance' } },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany'], nfs: { server: '10.0.0.5', path: '/srv' } },
    });
    const list = (...names: string[]): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: names.map((name) => volume(name)) });
    const shown = async () => {
      const { items } = JSON.parse(await done(['get', 'persistentvolumes', '-o', 'json'])) as {
        items: { metadata: { name: string; deletionTimestamp?: string }; status: { phase: string } }[];
      };
      return items.filter(({ metadata: { name } }) => name.startsWith('nfs-'));
    };
    expect(await done(['create', '-f', '-'], list('nfs-a', 'nfs-b'))).toBe(
      'persistentvolume/nfs-a created\npersistentvolume/nfs-b created',
    );
    const again = await kubectl(['create', '-f', '-'], list('nfs-b', 'nfs-c'));
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('"nfs-b" already exists') as string });
    expect((await shown()).map(({ metadata }) => metadata.name)).toEqual(['nfs-a', 'nfs-b', 'nfs-c']);
    const none = await kubectl(['create', '-f', '-'], list('nfs-d').replace('"1Gi"', '"many"'));
    expect(none).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/is invalid:|\(BadRequest\)|quantities must match/) as string,
    });
    await done(['delete', 'persistentvolumes', 'nfs-a', 'nfs-b', 'nfs-c', 'nfs-gone', '--wait=false', '--ignore-not-found']);
    await cluster.eventually('the volumes to be gone', async () => ((await shown()).length === 0 ? true : undefined));
  });

  it('applies changes of a workload by strategic merge, without a warning', async () => {
    const daemon = (image: string, extra = ''): string => `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: kube-system}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {hostNetwork: true, tolerations: [{operator: Exists}], containers: [{name: a, image: "${image}"}${extra}]}
`;
    await done(['apply', '-f', '-'], daemon('registry.k8s.io/pause:3.9', ', {name: b, image: registry.k8s.io/pause:3.9}'));
    await done(['apply', '-f', '-'], daemon('registry.k8s.io/pause:3.10'));
    expect(
      await done(['-n', 'kube-system', 'get', 'ds', 'agent', '-o', 'jsonpath={.spec.template.spec.containers[*].image}']),
    ).toBe('registry.k8s.io/pause:3.10');
    expect(await done(['-n', 'kube-system', 'rollout', 'status', 'ds/agent', '--timeout=15s'])).toContain(
      'successfully rolled out',
    );
  });

  it('prints nodes and pods as tables, wide ones too', async () => {
    const rows = (await done(['get', 'nodes'])).split('\n').map((row) => row.split(/\s+/));
    expect(rows[0]).toEqual(['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION']);
    expect(rows.slice(1).map(([name, status]) => `${name ?? ''} ${status ?? ''}`)).toEqual(['w1 Ready', 'w2 Ready']);
    expect(await done(['get', 'nodes', '-o', 'wide'])).toContain('CONTAINER-RUNTIME');
    expect(await done(['get', 'pods', '-A', '--field-selector', 'spec.nodeName=w1', '-o', 'wide'])).toContain('agent-');
    const unknown = await kubectl(['get', 'pods', '--field-selector', 'spec.colour=red']);
    expect(unknown).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('field label not supported: spec.colour') as string,
    });
  });

  it('labels, taints, and waits for a condition', async () => {
    await done(['label', 'node', 'w1', 'CIS-node=host-1', 'kubernetes.io/zone=az1']);
    expect(await done(['get', 'nodes', '-l', 'CIS-node=host-1', '-o', 'name'])).toBe('node/w1');
    await done(['taint', 'node', 'w1', 'a=b:NoSchedule']);
    await done(['taint', 'node', 'w1', 'a-']);
    expect(await done(['wait', '--for=condition=Ready', 'node/w1', '--timeout=10s'])).toBe('node/w1 condition met');
  });

  it('drains a node: daemons stay, a budget is obeyed, the rest moves', async () => {
    await done(['create', 'deployment', 'web', '--image=registry.k8s.io/pause:3.10', '--replicas=4']);
    await done(['rollout', 'status', 'deployment/web', '--timeout=15s']);
    await done(
      ['apply', '-f', '-'],
      'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {maxUnavailable: 0, selector: {matchLabels: {app: web}}}\n',
    );
    await cluster.eventuallyObject<Pod & { status?: Record<string, number> }>(
      R.poddisruptionbudgets,
      { namespace: 'default', name: 'web' },
      (budget) => (budget.status as Record<string, number> | undefined)?.expectedPods === 4,
    );
    const held = await kubectl(['drain', 'w1', '--ignore-daemonsets', '--timeout=2s']);
    expect(held).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("would violate the pod's disruption budget") as string,
    });
    await done(['delete', 'pdb', 'web']);
    expect(await done(['drain', 'w1', '--ignore-daemonsets', '--timeout=20s'])).toContain('node/w1 evicted');
    const left = await done(['get', 'pods', '-A', '--field-selector', 'spec.nodeName=w1', '-o', 'name']);
    expect(left.split('\n').every((name) => name.startsWith('pod/agent-'))).toBe(true);
    expect(await done(['get', 'node', 'w1', '--no-headers'])).toContain('Ready,SchedulingDisabled');
    await done(['rollout', 'status', 'deployment/web', '--timeout=15s']);
    await done(['uncordon', 'w1']);
  });

  it('refuses to drain without --ignore-daemonsets', async () => {
    expect(await kubectl(['drain', 'w2', '--timeout=2s'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('cannot delete DaemonSet-managed Pods') as string,
    });
    await done(['uncordon', 'w2']);
  });

  it('makes the token of an account in the two ways that there are', async () => {
    await done(['create', 'serviceaccount', 'admin', '-n', 'kube-system']);
    await done(['create', 'clusterrolebinding', 'admin', '--clusterrole=cluster-admin', '--serviceaccount=kube-system:admin']);
    const secret =
      'apiVersion: v1\nkind: Secret\nmetadata: {name: admin-token, namespace: kube-system, annotations: {kubernetes.io/service-account.name: admin}}\ntype: kubernetes.io/service-account-token\n';
    await done(['create', '-f', '-'], secret);
    const stored = await cluster.eventually(
      'the token',
      async () =>
        (await done(['-n', 'kube-system', 'get', 'secret', 'admin-token', '-o', 'jsonpath={.data.token}'])) || undefined,
    );
    const request = JSON.stringify({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 600 },
    });
    const answer = JSON.parse(
      await done(['create', '-f', '-', '--raw', '/api/v1/namespaces/kube-system/serviceaccounts/admin/token'], request),
    ) as { status: { token: string } };
    for (const token of [Buffer.from(stored, 'base64').toString('utf8'), answer.status.token]) {
      const config = { ...kubeconfigOf({ server: cluster.url, ca: cluster.pki.ca.cert, token }, { cluster: 'c', user: 'u' }) };
      await writeFile(join(folder, 'token'), stringify(config), { mode: 0o600 });
      expect(await done(['--kubeconfig', join(folder, 'token'), 'get', 'nodes', '-o', 'name'])).toBe('node/w1\nnode/w2');
    }
  });

  it('deletes and waits until it is gone, and says what is not there', async () => {
    expect(await done(['delete', 'deployment', 'web', '--timeout=15s'])).toBe('deployment.apps "web" deleted');
    expect(await done(['delete', 'node', 'w2', '--timeout=15s'])).toBe('node "w2" deleted');
    expect(await kubectl(['get', 'node', 'w2'])).toMatchObject({
      status: 1,
      stderr: 'Error from server (NotFound): nodes "w2" not found\n',
    });
    expect(await kubectl(['get', 'unicorns'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('the server doesn\'t have a resource type "unicorns"') as string,
    });
  });
});
