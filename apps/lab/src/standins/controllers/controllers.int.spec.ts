import { seconds, type JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubeClient } from '../client/kube-client.js';
import {
  conditionOf,
  type CertificateSigningRequest,
  type ConfigMap,
  type KubeNode,
  type Lease,
  type Pod,
  type Secret,
} from '../kube/kinds.js';
import { asObject, microTime, timestamp, type KubeObject } from '../kube/object.js';
import { groupVersionOf, R, type ResourceType } from '../kube/resources.js';
import { isClusterInfoSignedBy } from '../pki/bootstrap-signature.js';
import { newPrivateKey, newSigningRequest } from '../pki/certificates.js';
import { startTestCluster, type TestCluster } from '../testing/test-cluster.js';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ nodeGrace: seconds(10) });
  for (const name of ['w1', 'w2']) {
    await cluster.addNode(name);
    keepAlive(name);
  }
});
afterAll(async () => {
  for (const timer of timers) clearInterval(timer);
  await cluster.close();
});

const timers: NodeJS.Timeout[] = [];

/** Renews a node's lease until the timer is cleared. */
function keepAlive(name: string): NodeJS.Timeout {
  const renew = (): void =>
    void cluster.admin
      .apply<Lease>(R.leases, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace: 'kube-node-lease' },
        spec: { holderIdentity: name, renewTime: microTime() },
      })
      .catch((error: unknown) => cluster.lines.push(String(error)));
  renew();
  const timer = setInterval(renew, 500);
  timers.push(timer);
  return timer;
}

const make = (type: ResourceType, name: string, rest: JsonObject, namespace = 'default'): Promise<KubeObject> =>
  cluster.admin.create(
    type,
    asObject({
      apiVersion: groupVersionOf(type),
      kind: type.kind,
      metadata: { name, ...(type.namespaced ? { namespace } : {}) },
      ...rest,
    }),
  );

const pods = async (label: string): Promise<Pod[]> =>
  (await cluster.admin.list<Pod>(R.pods, {}, `labelSelector=${encodeURIComponent(label)}`)).items;

const template = (app: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image: 'registry.k8s.io/pause:3.10' }], ...spec },
});

const workload = (app: string, more: JsonObject = {}, spec: JsonObject = {}): JsonObject => ({
  spec: { selector: { matchLabels: { app } }, template: template(app, spec), ...more },
});

const running = (app: string, count: number): Promise<Pod[]> =>
  cluster.eventually(`${count} running pods of ${app}`, async () => {
    const found = (await pods(`app=${app}`)).filter(
      (pod) => pod.status?.phase === 'Running' && pod.metadata.deletionTimestamp === undefined,
    );
    return found.length === count ? found : undefined;
  });

describe('workloads', () => {
  it('a daemon runs once on every node that fits, also on one that comes later', async () => {
    await make(R.daemonsets, 'daemon', workload('daemon', {}, { nodeSelector: { 'kubernetes.io/hostname': 'w1' } }));
    expect((await running('daemon', 1)).map((pod) => pod.spec.nodeName)).toEqual(['w1']);
    await cluster.admin.patch(
      R.daemonsets,
      { namespace: 'default', name: 'daemon' },
      { spec: { template: { spec: { nodeSelector: null } } } },
    );
    expect((await running('daemon', 2)).map((pod) => pod.spec.nodeName).sort()).toEqual(['w1', 'w2']);
    await cluster.eventuallyObject<KubeObject & { status?: Record<string, number> }>(
      R.daemonsets,
      { namespace: 'default', name: 'daemon' },
      (daemon) => daemon.status?.numberReady === 2,
    );
  });

  it('a deployment has its replicas, follows its number and its template, and takes its pods with it', async () => {
    await make(R.deployments, 'web', workload('web', { replicas: 2 }));
    const first = await running('web', 2);
    await cluster.admin.patch(R.deployments, { namespace: 'default', name: 'web' }, { spec: { replicas: 3 } });
    await running('web', 3);
    await cluster.admin.patch(
      R.deployments,
      { namespace: 'default', name: 'web' },
      { spec: { template: { metadata: { labels: { app: 'web', version: '2' } } } } },
    );
    const second = await cluster.eventually('the new pods alone', async () => {
      const found = await running('web', 3);
      return found.every((pod) => pod.metadata.labels?.version === '2') ? found : undefined;
    });
    expect(second.some((pod) => first.some((old) => old.metadata.uid === pod.metadata.uid))).toBe(false);
    await cluster.admin.delete(R.deployments, { namespace: 'default', name: 'web' });
    await running('web', 0);
  });

  it('pods that must keep apart do, and wait where there is no further node', async () => {
    const term = { labelSelector: { matchLabels: { app: 'apart' } }, topologyKey: 'kubernetes.io/hostname' };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    await make(R.deployments, 'apart', workload('apart', { replicas: 3 }, { affinity }));
    expect((await running('apart', 2)).map((pod) => pod.spec.nodeName).sort()).toEqual(['w1', 'w2']);
    const waiting = await cluster.eventually('the third pod to be refused', async () =>
      (await pods('app=apart')).map((pod) => conditionOf(pod, 'PodScheduled')).find((condition) => condition?.status === 'False'),
    );
    expect(waiting).toMatchObject({
      reason: 'Unschedulable',
      message: "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.",
    });
    await cluster.admin.delete(R.deployments, { namespace: 'default', name: 'apart' });
  });

  it('nothing new comes to a node that is cordoned', async () => {
    await cluster.admin.patch(R.nodes, { name: 'w1' }, { spec: { unschedulable: true } });
    await make(R.deployments, 'elsewhere', workload('elsewhere', { replicas: 3 }));
    expect(new Set((await running('elsewhere', 3)).map((pod) => pod.spec.nodeName))).toEqual(new Set(['w2']));
    await cluster.admin.patch(R.nodes, { name: 'w1' }, { spec: { unschedulable: null } });
    await cluster.admin.delete(R.deployments, { namespace: 'default', name: 'elsewhere' });
  });
});

describe('a node whose lease is lost', () => {
  it('is declared unreachable, its pods not ready, and is welcome again', async () => {
    await cluster.addNode('w3');
    const timer = keepAlive('w3');
    await make(R.pods, 'lonely', { spec: { nodeName: 'w3', containers: [{ name: 'c', image: 'registry.k8s.io/pause:3.10' }] } });
    await cluster.eventuallyObject<Pod>(
      R.pods,
      { namespace: 'default', name: 'lonely' },
      (pod) => pod.status?.phase === 'Running',
    );
    clearInterval(timer);
    const lost = await cluster.eventuallyObject<KubeNode>(
      R.nodes,
      { name: 'w3' },
      (node) => conditionOf(node, 'Ready')?.status === 'Unknown',
    );
    expect(conditionOf(lost, 'Ready')).toMatchObject({
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    });
    await cluster.eventuallyObject<KubeNode>(R.nodes, { name: 'w3' }, (node) =>
      (node.spec?.taints ?? []).some(({ key, effect }) => key === 'node.kubernetes.io/unreachable' && effect === 'NoExecute'),
    );
    await cluster.eventuallyObject<Pod>(
      R.pods,
      { namespace: 'default', name: 'lonely' },
      (pod) => conditionOf(pod, 'Ready')?.status === 'False',
    );
    keepAlive('w3');
    await cluster.eventually('the taints to go', async (seen) => {
      // Its kubelet says so again whenever the cluster thinks otherwise.
      const ready = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
      const node = await cluster.admin.patch<KubeNode>(R.nodes, { name: 'w3', subresource: 'status' }, ready);
      seen(JSON.stringify(node.spec));
      return (node.spec?.taints ?? []).length === 0 ? true : undefined;
    });
  });

  it('leaves nothing behind when it is deleted: pods and lease go', async () => {
    const node = await cluster.admin.get<KubeNode>(R.nodes, { name: 'w3' });
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'w3', uid: node.metadata.uid ?? '' };
    await cluster.admin.create<Lease>(R.leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'owned', namespace: 'kube-node-lease', ownerReferences: [owner] },
      spec: {},
    });
    await cluster.admin.delete(R.nodes, { name: 'w3' });
    await cluster.eventually('the pod to go', async () =>
      (await cluster.admin.find(R.pods, { namespace: 'default', name: 'lonely' })) === undefined ? true : undefined,
    );
    await cluster.eventually('the lease to go', async () =>
      (await cluster.admin.find(R.leases, { namespace: 'kube-node-lease', name: 'owned' })) === undefined ? true : undefined,
    );
  });
});

describe('volumes', () => {
  const volume = (size: string): JsonObject => ({
    spec: {
      capacity: { storage: size },
      accessModes: ['ReadWriteMany'],
      storageClassName: 'lab',
      nfs: { server: '10.0.0.5', path: '/x' },
    },
  });
  const claim = (size: string): JsonObject => ({
    spec: { accessModes: ['ReadWriteMany'], storageClassName: 'lab', resources: { requests: { storage: size } } },
  });
  const phase = (type: ResourceType, name: string, wanted: string): Promise<KubeObject> =>
    cluster.eventuallyObject<KubeObject & { status?: { phase?: string } }>(
      type,
      { ...(type.namespaced ? { namespace: 'default' } : {}), name },
      (object) => object.status?.phase === wanted,
    );

  it('become available, are bound to the smallest that fits, released, and not let go while bound', async () => {
    await make(R.persistentvolumes, 'small', volume('1Gi'));
    await make(R.persistentvolumes, 'big', volume('10Gi'));
    await phase(R.persistentvolumes, 'small', 'Available');
    await phase(R.persistentvolumes, 'big', 'Available');
    await make(R.persistentvolumeclaims, 'mine', claim('500Mi'));
    await phase(R.persistentvolumeclaims, 'mine', 'Bound');
    await phase(R.persistentvolumes, 'small', 'Bound');
    await cluster.admin.delete(R.persistentvolumes, { name: 'small' });
    expect((await cluster.admin.get(R.persistentvolumes, { name: 'small' })).metadata.deletionTimestamp).toBeDefined();
    await make(R.persistentvolumeclaims, 'other', claim('5Gi'));
    await phase(R.persistentvolumes, 'big', 'Bound');
    await cluster.admin.delete(R.persistentvolumeclaims, { namespace: 'default', name: 'other' });
    await phase(R.persistentvolumes, 'big', 'Released');
    await cluster.admin.delete(R.persistentvolumeclaims, { namespace: 'default', name: 'mine' });
    await cluster.eventually('the volume to go with its claim', async () =>
      (await cluster.admin.find(R.persistentvolumes, { name: 'small' })) === undefined ? true : undefined,
    );
  });
});

describe('accounts and tokens', () => {
  it('each namespace has its default account and the CA, and a token secret gets its token, which works', async () => {
    await make(R.namespaces, 'team', {});
    await cluster.eventuallyObject(R.serviceaccounts, { namespace: 'team', name: 'default' }, () => true);
    await cluster.eventuallyObject<ConfigMap>(
      R.configmaps,
      { namespace: 'team', name: 'kube-root-ca.crt' },
      (map) => map.data?.['ca.crt'] === cluster.pki.ca.cert,
    );
    await make(
      R.secrets,
      'token',
      {
        metadata: { name: 'token', namespace: 'team', annotations: { 'kubernetes.io/service-account.name': 'default' } },
        type: 'kubernetes.io/service-account-token',
      },
      'team',
    );
    const secret = await cluster.eventuallyObject<Secret>(
      R.secrets,
      { namespace: 'team', name: 'token' },
      (found) => found.data?.token !== undefined,
    );
    const value = (name: string): string => Buffer.from(secret.data?.[name] ?? '', 'base64').toString('utf8');
    expect([value('namespace'), value('ca.crt')]).toEqual(['team', cluster.pki.ca.cert]);
    const client = new KubeClient({ server: cluster.url, ca: value('ca.crt'), token: value('token') });
    await expect(client.list(R.pods, { namespace: 'team' })).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('system:serviceaccount:team:default') as string,
    });
    await cluster.admin.delete(R.secrets, { namespace: 'team', name: 'token' });
    await expect(client.list(R.pods, { namespace: 'team' })).rejects.toMatchObject({ code: 401 });
    client.close();
  });

  it('a namespace goes with all that is in it', async () => {
    await make(R.configmaps, 'inside', {}, 'team');
    await cluster.admin.delete(R.namespaces, { name: 'team' });
    await cluster.eventually('the namespace to go', async () =>
      (await cluster.admin.find(R.namespaces, { name: 'team' })) === undefined ? true : undefined,
    );
    expect(await cluster.admin.find(R.configmaps, { namespace: 'team', name: 'inside' })).toBeUndefined();
  });

  it('vouches for cluster-info with each signing token, and forgets tokens when their time is over', async () => {
    await make(R.configmaps, 'cluster-info', { data: { kubeconfig: 'content' } }, 'kube-public');
    const values = {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-signing': 'true',
      expiration: timestamp(new Date(Date.now() + 3_000)),
    };
    const data = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]));
    await make(R.secrets, 'bootstrap-token-abcdef', { type: 'bootstrap.kubernetes.io/token', data }, 'kube-system');
    const signed = await cluster.eventuallyObject<ConfigMap>(
      R.configmaps,
      { namespace: 'kube-public', name: 'cluster-info' },
      (map) => map.data?.['jws-kubeconfig-abcdef'] !== undefined,
    );
    const signature = signed.data?.['jws-kubeconfig-abcdef'] ?? '';
    expect(isClusterInfoSignedBy('content', signature, 'abcdef', '0123456789abcdef')).toBe(true);
    expect(isClusterInfoSignedBy('other', signature, 'abcdef', '0123456789abcdef')).toBe(false);
    expect(isClusterInfoSignedBy('content', signature, 'abcdef', 'fedcba9876543210')).toBe(false);
    await cluster.eventually('the token to go', async () =>
      (await cluster.admin.find(R.secrets, { namespace: 'kube-system', name: 'bootstrap-token-abcdef' })) === undefined
        ? true
        : undefined,
    );
    await cluster.eventuallyObject<ConfigMap>(
      R.configmaps,
      { namespace: 'kube-public', name: 'cluster-info' },
      (map) => map.data?.['jws-kubeconfig-abcdef'] === undefined,
    );
  });
});

describe('certificates of kubelets', () => {
  const ask = async (client: KubeClient, name: string, commonName: string): Promise<void> => {
    const request = await newSigningRequest(await newPrivateKey('ECDSA-P256'), { commonName, organizations: ['system:nodes'] });
    await client.create<CertificateSigningRequest>(R.certificatesigningrequests, {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: {
        request: Buffer.from(request).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: ['client auth'],
      },
    });
  };

  it('are approved and signed for who may ask for them, and for nobody else', async () => {
    await ask(cluster.admin, 'granted', 'system:node:w9');
    const granted = await cluster.eventuallyObject<CertificateSigningRequest>(
      R.certificatesigningrequests,
      { name: 'granted' },
      (csr) => csr.status?.certificate !== undefined,
    );
    expect(granted.status?.conditions?.[0]).toMatchObject({ type: 'Approved', reason: 'AutoApproved' });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-bootstrapper' };
    await make(R.clusterrolebindings, 'may-only-ask', { roleRef, subjects: [{ kind: 'User', name: 'asker' }] });
    const asker = new KubeClient(await cluster.accessOf('asker'));
    await ask(asker, 'pending', 'system:node:w9');
    await ask(cluster.admin, 'after', 'system:node:w8');
    await cluster.eventuallyObject<CertificateSigningRequest>(
      R.certificatesigningrequests,
      { name: 'after' },
      (csr) => csr.status?.certificate !== undefined,
    );
    expect(
      (await cluster.admin.get<CertificateSigningRequest>(R.certificatesigningrequests, { name: 'pending' })).status
        ?.conditions ?? [],
    ).toEqual([]);
    asker.close();
  });
});

describe('the pod network', () => {
  it('is divided among the nodes', async () => {
    const subnets = await cluster.eventually('all subnets', async () => {
      const { items } = await cluster.admin.list<KubeNode>(R.nodes);
      const found = items.map((node) => node.spec?.podCIDR ?? '');
      return found.every((subnet) => subnet !== '') ? found : undefined;
    });
    expect(new Set(subnets).size).toBe(subnets.length);
    for (const subnet of subnets) expect(subnet).toMatch(/^10\.244\.\d+\.0\/24$/);
  });
});
