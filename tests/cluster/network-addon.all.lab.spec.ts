import { createHash } from 'node:crypto';
import { packagesOf } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { PARAMS, plainParams, scaled, script } from '@windlass/k8s-mgmt/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodesCome } from '../support/nodes-come.js';
import { labCluster } from './support/lab-cluster.js';

const PATH = 'Files/network/agents.yaml';

/** What the stand-in of a kubelet takes for a network add-on: an image called so, and a ConfigMap with what containerd is told. */
const MANIFEST = `
apiVersion: v1
kind: Namespace
metadata: { name: own-network }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: configuration, namespace: own-network }
data:
  cni_network_config: '{ "name": "own", "cniVersion": "0.3.1", "plugins": [{ "type": "ptp" }] }'
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agents, namespace: own-network }
spec:
  selector: { matchLabels: { app: agents } }
  template:
    metadata: { labels: { app: agents } }
    spec:
      hostNetwork: true
      tolerations: [{ operator: Exists }]
      containers: [{ name: agent, image: "registry.k8s.io/calico/node:v1" }]
      volumes: [{ name: configuration, configMap: { name: configuration } }]
`;

const bytes = Buffer.from(MANIFEST);
const manifest = {
  path: PATH,
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  firstLine: '',
};

type Lab = Awaited<ReturnType<typeof labCluster>>;

/** A master and a worker, with this network add-on. */
function labWith(addon: string | string[]): Promise<Lab> {
  const params = plainParams();
  Object.assign(params[PARAMS] as JsonObject, { network_addon: addon });
  return labCluster({
    params,
    images: ['ubuntu-22.04', 'ubuntu-22.04'],
    hook: { files: [script(), manifest] },
    packages: packagesOf({ [PATH]: bytes }),
  });
}

const kubectl = (lab: Lab, ...query: string[]) =>
  lab.fleet.exec('server-master-0', ['kubectl', '--kubeconfig=/home/ubuntu/.kube/config', ...query]);

async function rows(lab: Lab): Promise<string[]> {
  const { stdout } = await kubectl(lab, 'get', 'nodes', '--no-headers');
  const lines = stdout.trim().split('\n');
  return lines.map((line) => line.split(/\s+/).slice(0, 2).join(' ')).sort();
}

/** A worker more, as a scaling brings it. */
async function grown(lab: Lab) {
  const vnfc = await lab.boot('ubuntu-22.04');
  const { runner, lines } = lab.operation({ ...scaled('scale_end'), affectedVnfcs: [{ changeType: 'ADDED', vnfc }] });
  await runner.run();
  return { lines: lines.join('\n'), verified: runner.outputs.get('verify-cluster') as { notes?: string[] } };
}

describe('a cluster of lab VMs with the network add-on of its package', () => {
  let lab: Lab;
  beforeAll(async () => void (lab = await labWith([PATH])));
  afterAll(() => lab.end());

  it('has all nodes Ready by it, and nothing of flannel', async () => {
    await lab.runner.run();
    await nodesCome(() => rows(lab), ['master10 Ready', 'worker11 Ready']);
    const sets = await kubectl(lab, 'get', 'daemonsets', '-A', '-o', 'name');
    expect(sets.stdout.trim().split('\n').sort()).toEqual(['daemonset.apps/agents', 'daemonset.apps/kube-proxy']);
  });

  it('waits for it on a worker that a scaling brings', async () => {
    expect((await grown(lab)).verified.notes ?? []).not.toContainEqual(expect.stringContaining('want of a network'));
    expect(await rows(lab)).toEqual(['master10 Ready', 'worker11 Ready', 'worker12 Ready']);
    const counts = await kubectl(lab, '-n', 'own-network', 'get', 'daemonset', 'agents', '-o', 'jsonpath={.status.numberReady}');
    expect(counts.stdout).toBe('3');
  });
});

describe('a cluster of lab VMs whose users bring the network', () => {
  let lab: Lab;
  beforeAll(async () => void (lab = await labWith('none')));
  afterAll(() => lab.end());

  it('is made though its nodes are not Ready, and the operation says so', async () => {
    await lab.runner.run();
    expect(await rows(lab)).toEqual(['master10 NotReady', 'worker11 NotReady']);
    expect(lab.vims.vims.size).toBe(1);
    const { notes } = lab.runner.outputs.get('verify-cluster') as { notes: string[] };
    expect(notes).toEqual([expect.stringMatching(/^master10, worker11: not Ready for want of a network/)]);
  });

  it('takes a worker in before there is one', async () => {
    expect((await grown(lab)).verified.notes).toEqual([expect.stringContaining('worker12')]);
    expect(await rows(lab)).toEqual(['master10 NotReady', 'worker11 NotReady', 'worker12 NotReady']);
  });

  it('waits for a worker once its users have installed theirs', async () => {
    await lab.fleet.exec('server-master-0', ['sh', '-c', `cat > /root/net.yaml <<'END'\n${MANIFEST}END`]);
    await kubectl(lab, 'apply', '-f', '/root/net.yaml');
    await nodesCome(() => rows(lab), ['master10 Ready', 'worker11 Ready', 'worker12 Ready']);
    await grown(lab);
    expect(await rows(lab)).toEqual(['master10 Ready', 'worker11 Ready', 'worker12 Ready', 'worker13 Ready']);
  });
});
