import type { JsonObject } from '@windlass/foundation';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Pod, Service } from '../kube/kinds.js';
import { at, type KubeObject } from '../kube/object.js';
import { R } from '../kube/resources.js';
import { StatusError } from '../kube/status-error.js';
import { asRoot, newTestRegistry, type TestRegistry } from '../testing/test-registry.js';
import { deleteOptions } from './deletion.js';
import { authenticated } from './identity.js';

let api: TestRegistry;
beforeEach(async () => {
  api = await newTestRegistry();
});

const NO_OPTIONS = deleteOptions(undefined, new URLSearchParams());
const CONTAINERS = { containers: [{ name: 'c', image: 'registry.k8s.io/pause:3.10' }] };
const NFS = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany'], nfs: { server: '10.0.0.5', path: '/x' } };

const refusal = (promise: Promise<unknown>): Promise<{ code: number; message: string }> =>
  promise.then(
    () => ({ code: 0, message: 'accepted' }),
    (error: unknown) => {
      if (error instanceof StatusError) return { code: error.code, message: error.message };
      throw error;
    },
  );

describe('objects and their versions', () => {
  it('gives each object a uid, a creation time and a version that grows', async () => {
    const made = await api.make(R.configmaps, 'a', { data: { k: '1' } });
    expect(made.metadata).toMatchObject({ name: 'a', namespace: 'default' });
    expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    const place = { type: R.configmaps, namespace: 'default', name: 'a' };
    const updated = await api.registry.update(place, undefined, (current) => ({ ...current, data: { k: '2' } }), asRoot);
    expect(Number(updated.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
    expect(updated.metadata.uid).toBe(made.metadata.uid);
  });

  it('refuses a second object of that name with 409, and an unknown namespace with 404', async () => {
    await api.make(R.configmaps, 'a');
    expect(await refusal(api.make(R.configmaps, 'a'))).toEqual({ code: 409, message: 'configmaps "a" already exists' });
    expect(await refusal(api.make(R.configmaps, 'a', {}, 'nowhere'))).toEqual({
      code: 404,
      message: 'namespaces "nowhere" not found',
    });
  });

  it('refuses a write that names an outdated version, and leaves the object alone', async () => {
    const old = await api.make(R.configmaps, 'a', { data: { k: '1' } });
    const place = { type: R.configmaps, namespace: 'default', name: 'a' };
    await api.registry.update(place, undefined, (current) => ({ ...current, data: { k: '2' } }), asRoot);
    const late = refusal(
      api.registry.update(place, undefined, () => ({ ...(old as unknown as JsonObject), data: { k: '3' } }), asRoot),
    );
    expect(await late).toMatchObject({ code: 409, message: expect.stringContaining('the object has been modified') as string });
    expect(at(await api.registry.get(place), 'data', 'k')).toBe('2');
  });

  it('makes a patch again when somebody writes in between', async () => {
    await api.make(R.configmaps, 'a', { data: { n: '0' } });
    const place = { type: R.configmaps, namespace: 'default', name: 'a' };
    await Promise.all(
      Array.from({ length: 4 }, () =>
        api.registry.update(
          place,
          undefined,
          (current) => ({ ...current, data: { n: String(Number(at(current, 'data', 'n')) + 1) } }),
          asRoot,
        ),
      ),
    );
    expect(at(await api.registry.get(place), 'data', 'n')).toBe('4');
  });

  it('writes nothing when nothing changes, and nothing on a dry run', async () => {
    const made = await api.make(R.configmaps, 'a', { data: { k: '1' } });
    const place = { type: R.configmaps, namespace: 'default', name: 'a' };
    const same = await api.registry.update(place, undefined, (current) => current, asRoot);
    expect(same.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    await api.registry.update(place, undefined, (current) => ({ ...current, data: {} }), { ...asRoot, dryRun: true });
    expect(at(await api.registry.get(place), 'data', 'k')).toBe('1');
  });

  it('keeps status out of the reach of a plain update, and spec out of the reach of a status update', async () => {
    await api.make(R.persistentvolumes, 'pv', { spec: NFS, status: { phase: 'Bound' } });
    const place = { type: R.persistentvolumes, namespace: undefined, name: 'pv' };
    expect(at(await api.registry.get(place), 'status', 'phase')).toBe('Pending');
    await api.registry.update(place, undefined, (current) => ({ ...current, status: { phase: 'Failed' } }), asRoot);
    await api.registry.update(place, 'status', (current) => ({ ...current, spec: {}, status: { phase: 'Available' } }), asRoot);
    expect(await api.registry.get(place)).toMatchObject({ spec: { nfs: { path: '/x' } }, status: { phase: 'Available' } });
  });
});

describe('rules of the kinds', () => {
  it.each([
    ['a name with capitals', () => api.make(R.configmaps, 'Bad'), 'metadata.name: Invalid value: "Bad"'],
    [
      'a label with a space',
      () => api.make(R.configmaps, 'a', { metadata: { name: 'a', labels: { x: 'b c' } } }),
      'metadata.labels',
    ],
    ['a pod without containers', () => api.make(R.pods, 'p', { spec: {} }), 'spec.containers: Required value'],
    [
      'a container without image',
      () => api.make(R.pods, 'p', { spec: { containers: [{ name: 'c' }] } }),
      'spec.containers[0].image: Required value',
    ],
    [
      'a volume without capacity',
      () => api.make(R.persistentvolumes, 'v', { spec: { ...NFS, capacity: {} } }),
      'spec.capacity: Required value',
    ],
    [
      'a volume of two kinds',
      () => api.make(R.persistentvolumes, 'v', { spec: { ...NFS, hostPath: { path: '/' } } }),
      'may not specify more than 1 volume type',
    ],
    [
      'an unknown access mode',
      () => api.make(R.persistentvolumes, 'v', { spec: { ...NFS, accessModes: ['RWX'] } }),
      'Unsupported value: "RWX"',
    ],
    [
      'a token secret without account',
      () => api.make(R.secrets, 's', { type: 'kubernetes.io/service-account-token' }),
      'kubernetes.io/service-account.name',
    ],
    ['secret data that is no base64', () => api.make(R.secrets, 's', { data: { a: '%' } }), 'illegal base64 data'],
    [
      'a selector that misses its template',
      () => api.make(R.deployments, 'd', { spec: { selector: { matchLabels: { a: 'b' } }, template: { spec: CONTAINERS } } }),
      '`selector` does not match',
    ],
    ['a taint without effect', () => api.make(R.nodes, 'n', { spec: { taints: [{ key: 'a' }] } }), 'spec.taints[0].effect'],
  ])('refuses %s with 422', async (_, attempt, message) => {
    const { code, message: text } = await refusal(attempt());
    expect(code).toBe(422);
    expect(text).toContain(message);
  });

  it('does not let the source of a volume, the selector of a workload or the role of a binding change', async () => {
    await api.make(R.persistentvolumes, 'v', { spec: NFS });
    const change = (
      place: { type: typeof R.pods; namespace: string | undefined; name: string },
      patch: JsonObject,
    ): Promise<{ code: number; message: string }> =>
      refusal(api.registry.update(place, undefined, (current) => ({ ...current, ...patch }), asRoot));
    const volume = await change(
      { type: R.persistentvolumes, namespace: undefined, name: 'v' },
      { spec: { ...NFS, nfs: { server: '10.0.0.6', path: '/x' } } },
    );
    expect(volume).toMatchObject({ code: 422, message: expect.stringContaining('is immutable after creation') as string });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    await api.make(R.clusterrolebindings, 'b', { roleRef });
    const binding = await change(
      { type: R.clusterrolebindings, namespace: undefined, name: 'b' },
      { roleRef: { ...roleRef, name: 'edit' } },
    );
    expect(binding).toMatchObject({ code: 422, message: expect.stringContaining('cannot change roleRef') as string });
  });

  it('turns stringData into data, and gives services the next free address', async () => {
    const secret = await api.make(R.secrets, 's', { stringData: { a: 'hello' } });
    expect(at(secret, 'data', 'a')).toBe('aGVsbG8=');
    expect(at(secret, 'stringData')).toBeUndefined();
    const ports = [{ port: 80 }];
    const first = (await api.make(R.services, 'one', { spec: { ports } })) as Service;
    const second = (await api.make(R.services, 'two', { spec: { ports, type: 'NodePort' } })) as Service;
    expect([first.spec.clusterIP, second.spec.clusterIP]).toEqual(['10.96.0.2', '10.96.0.3']);
    expect(second.spec.ports?.[0]?.nodePort).toBe(30_000);
    expect(await refusal(api.make(R.services, 'three', { spec: { ports, clusterIP: '10.96.0.2' } }))).toMatchObject({
      code: 422,
    });
  });

  it('lets no pod in without its service account', async () => {
    await api.make(R.namespaces, 'bare');
    expect(await refusal(api.make(R.pods, 'p', { spec: CONTAINERS }, 'bare'))).toMatchObject({
      code: 403,
      message: expect.stringContaining('serviceaccount "default" not found') as string,
    });
  });

  it('lets a node write its own objects only', async () => {
    await api.make(R.nodes, 'n1');
    await api.make(R.pods, 'p', { spec: { ...CONTAINERS, nodeName: 'n2' } });
    const n1 = { identity: authenticated('system:node:n1', ['system:nodes']), dryRun: false };
    const node = { type: R.nodes, namespace: undefined, name: 'n1' };
    expect(
      await refusal(api.registry.create(R.nodes, undefined, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n2' } }, n1)),
    ).toMatchObject({ code: 403 });
    expect(
      await refusal(api.registry.update(node, undefined, (current) => ({ ...current, spec: { taints: [] } }), n1)),
    ).toMatchObject({ code: 403 });
    expect(await refusal(api.registry.delete({ type: R.pods, namespace: 'default', name: 'p' }, NO_OPTIONS, n1))).toMatchObject({
      code: 403,
    });
  });

  it('lets nobody grant himself more than he has', async () => {
    const alice = { identity: authenticated('alice', []), dryRun: false };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const binding = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'me' }, roleRef };
    expect(await refusal(api.registry.create(R.clusterrolebindings, undefined, binding, alice))).toMatchObject({
      code: 403,
      message: expect.stringContaining('attempting to grant RBAC permissions not currently held') as string,
    });
  });
});

describe('deletion', () => {
  const place = (type: typeof R.pods, name: string): { type: typeof R.pods; namespace: string | undefined; name: string } => ({
    type,
    namespace: type.namespaced ? 'default' : undefined,
    name,
  });

  it('waits for the kubelet of a pod that is on a node, and for nobody otherwise', async () => {
    await api.make(R.pods, 'bound', { spec: { ...CONTAINERS, nodeName: 'n1' } });
    await api.make(R.pods, 'free', { spec: CONTAINERS });
    const { gone, object } = await api.registry.delete(place(R.pods, 'bound'), NO_OPTIONS, asRoot);
    expect(gone).toBe(false);
    expect(object.metadata.deletionGracePeriodSeconds).toBe(30);
    expect((await api.registry.delete(place(R.pods, 'free'), NO_OPTIONS, asRoot)).gone).toBe(true);
    const now = { ...NO_OPTIONS, gracePeriodSeconds: 0 };
    expect((await api.registry.delete(place(R.pods, 'bound'), now, asRoot)).gone).toBe(true);
    expect(await refusal(api.registry.get(place(R.pods, 'bound')))).toMatchObject({ code: 404 });
  });

  it('waits for finalizers, and ends with the last of them', async () => {
    await api.make(R.persistentvolumes, 'v', { spec: NFS });
    const { gone, object } = await api.registry.delete(place(R.persistentvolumes, 'v'), NO_OPTIONS, asRoot);
    expect([gone, object.metadata.finalizers]).toEqual([false, ['kubernetes.io/pv-protection']]);
    await api.registry.update(
      place(R.persistentvolumes, 'v'),
      undefined,
      (current) => ({ ...current, metadata: { ...(current.metadata as JsonObject), finalizers: [] } }),
      asRoot,
    );
    expect(await refusal(api.registry.get(place(R.persistentvolumes, 'v')))).toMatchObject({ code: 404 });
  });

  it('keeps new content out of a namespace that is going, and the namespaces of the system where they are', async () => {
    await api.make(R.namespaces, 'leaving');
    const left = await api.registry.delete(place(R.namespaces, 'leaving'), NO_OPTIONS, asRoot);
    expect(at(left.object, 'status', 'phase')).toBe('Terminating');
    expect(await refusal(api.make(R.configmaps, 'late', {}, 'leaving'))).toMatchObject({ code: 403 });
    expect(await refusal(api.registry.delete(place(R.namespaces, 'kube-system'), NO_OPTIONS, asRoot))).toMatchObject({
      code: 403,
    });
  });

  it('honours preconditions, and refuses to orphan', async () => {
    const made: KubeObject = await api.make(R.configmaps, 'a');
    const other = { ...NO_OPTIONS, preconditions: { uid: 'another', resourceVersion: undefined } };
    expect(await refusal(api.registry.delete(place(R.configmaps, 'a'), other, asRoot))).toMatchObject({ code: 409 });
    const own = { ...NO_OPTIONS, preconditions: { uid: made.metadata.uid, resourceVersion: undefined } };
    expect((await api.registry.delete(place(R.configmaps, 'a'), own, asRoot)).gone).toBe(true);
    expect(() => deleteOptions({ propagationPolicy: 'Orphan' }, new URLSearchParams())).toThrow(/deletes dependents always/);
  });
});

describe('binding a pod', () => {
  it('happens once', async () => {
    await api.make(R.pods, 'p', { spec: CONTAINERS });
    const pod = { type: R.pods, namespace: 'default', name: 'p' };
    await api.registry.bindPod(pod, 'n1', asRoot);
    expect(((await api.registry.get(pod)) as Pod).spec.nodeName).toBe('n1');
    expect(await refusal(api.registry.bindPod(pod, 'n2', asRoot))).toMatchObject({ code: 409 });
  });
});
