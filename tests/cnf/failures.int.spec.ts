import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, startSystem, type System } from '../support/system.js';
import { cnfRequest, made, ownObjects, registerCluster, standinCluster, type CnfCluster } from './support/cluster.js';
import { onboardWith, withFiles } from './support/packages.js';

let system: System;
let cluster: CnfCluster;
let vimId: string;
let vnfdId: unknown;

beforeAll(async () => {
  [system, cluster] = await Promise.all([startSystem({ policy: { lease: seconds(6) } }), standinCluster()]);
  vimId = await registerCluster(system, cluster);
  ({ vnfdId } = await onboard(system.api, 'cnf'));
});

afterAll(async () => {
  await system.close();
  await cluster.close();
});

describe('wrong manifests', () => {
  it('are refused at the request, with file, document and field of each fault, and nothing of a secret', async () => {
    const { api } = system;
    const wrong = `
apiVersion: v1
kind: Secret
metadata: { name: login }
stringData: { password: 4711 }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: Wrong_Name }
spec:
  replicas: two
  selector: { matchLabels: { app: a } }
  template:
    metadata: { labels: { app: b } }
    spec: { containers: [ { name: c } ] }
`;
    const url = await createVnf(api, await onboardWith(system, '10000000-93b5-4d1a-b6a7-1f5d82e03c94', wrong));
    const refused = await api.post<JsonObject>(`${url}/instantiate`, await cnfRequest(vimId, withFiles()));
    expect(refused.status).toBe(400);
    expect(refused.data.code).toBe('kubernetes.wrong-manifests');
    const told = refused.data.invalidParams as { path: string; reason: string }[];
    expect(told.every(({ path }) => path === '/additionalParams/lcm-kubernetes-def-files/2')).toBe(true);
    const fields = [
      '1, stringData.password',
      '2, metadata.name',
      '2, spec.replicas',
      '2, spec.selector.matchLabels.app',
      '2, spec.template.spec.containers[0].image',
    ];
    for (const field of fields)
      expect(told.map(({ reason }) => reason)).toContainEqual(
        expect.stringContaining(`Files/kubernetes/other.yaml, document ${field}: `),
      );
    expect(JSON.stringify(refused.data)).not.toContain('4711');
  });

  it.each([
    ['a file that the package has not', ['Files/kubernetes/absent.yaml'], 'has no file'],
    ['a URL', ['http://example.org/web.yaml'], 'is a URL'],
    ['no file', [], 'expected a list'],
  ])('%s is refused with its path', async (_what, files, reason) => {
    const url = await createVnf(system.api, vnfdId);
    const refused = await system.api.post<JsonObject>(`${url}/instantiate`, await cnfRequest(vimId, withFiles(files)));
    expect(refused, JSON.stringify(refused.data)).toMatchObject({ status: 400, data: { code: 'kubernetes.wrong-parameters' } });
    expect(JSON.stringify(refused.data)).toContain(reason);
  });

  it('a kind that the cluster has not, or an object of somebody else’s name, ends before anything is made', async () => {
    const { api } = system;
    await made(cluster.api, '/api/v1/namespaces/default/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'taken' },
      data: { mine: 'yes' },
    });
    const other = 'apiVersion: example.org/v1\nkind: Gizmo\nmetadata: { name: gizmo }\n';
    const url = await createVnf(api, await onboardWith(system, '20000000-93b5-4d1a-b6a7-1f5d82e03c94', other));
    const unknown = await atRest(api, await api.post(`${url}/instantiate`, await cnfRequest(vimId, withFiles())));
    expect(unknown).toMatchObject({
      operationState: 'ROLLED_BACK',
      error: {
        detail: expect.stringContaining('Files/kubernetes/other.yaml, document 1, kind: the cluster has no kind Gizmo') as string,
      },
    });
    const taken = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: taken }\n';
    const second = await createVnf(api, await onboardWith(system, '30000000-93b5-4d1a-b6a7-1f5d82e03c94', taken));
    expect(await atRest(api, await api.post(`${second}/instantiate`, await cnfRequest(vimId, withFiles())))).toMatchObject({
      operationState: 'ROLLED_BACK',
      error: { detail: expect.stringContaining('is not this VNF') as string },
    });
    expect((await cluster.api.get<JsonObject>('/api/v1/namespaces/default/configmaps/taken')).data).toMatchObject({
      data: { mine: 'yes' },
    });
    expect(await ownObjects(cluster)).toEqual([]);
  });
});

/** A claim that no volume will ever fit. */
const NEVER_BOUND = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: never }
spec: { accessModes: [ ReadWriteOnce ], storageClassName: nobodys, resources: { requests: { storage: 1Gi } } }
`;

describe('an instantiation that does not come to its end', () => {
  let waiting: unknown;
  beforeAll(async () => {
    waiting = await onboardWith(system, '40000000-93b5-4d1a-b6a7-1f5d82e03c94', NEVER_BOUND);
  });

  /** Waits until the operation waits for its last object. */
  const atWait = (op: string): Promise<unknown> =>
    waitUntil(
      async (seen) => {
        const { data } = await system.api.get<unknown>(`/windlass/v1/operations/${op.split('/').at(-1) ?? ''}/steps`);
        const steps = JSON.stringify(data);
        seen(steps);
        return steps.includes('5 of 6 objects ready') ? true : undefined;
      },
      { for: 'all objects but one to be ready', within: seconds(60), every: millis(100) },
    );

  async function begun(): Promise<{ url: string; op: string }> {
    const { api } = system;
    const url = await createVnf(api, waiting);
    const accepted = await api.post(`${url}/instantiate`, await cnfRequest(vimId, withFiles()));
    expect(accepted.status, JSON.stringify(accepted.data)).toBe(202);
    const op = new URL(String(accepted.headers.location)).pathname;
    await atWait(op);
    return { url, op };
  }

  const rested = (op: string): Promise<JsonObject> =>
    waitUntil(
      async (seen) => {
        const { data } = await system.api.get<JsonObject>(op);
        seen(String(data.operationState));
        return ['COMPLETED', 'FAILED_TEMP', 'ROLLED_BACK', 'FAILED'].includes(String(data.operationState)) ? data : undefined;
      },
      { for: 'it to come to rest', within: seconds(60), every: millis(100) },
    );

  it('is cancelled by force, and rolled back to nothing', async () => {
    const { api } = system;
    const { url, op } = await begun();
    expect((await api.post(`${op}/cancel`, { cancelMode: 'FORCEFUL' })).status).toBe(202);
    expect(await rested(op)).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect((await api.post(`${op}/rollback`)).status).toBe(202);
    expect(await rested(op)).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(await ownObjects(cluster)).toEqual([]);
    expect((await api.delete(url)).status).toBe(204);
  });

  it('is marked as failed, and its objects go when the instance is deleted', async () => {
    const { api } = system;
    const { url, op } = await begun();
    await api.post(`${op}/cancel`, { cancelMode: 'FORCEFUL' });
    await rested(op);
    expect((await api.post(`${op}/fail`)).status).toBe(200);
    expect(await ownObjects(cluster)).not.toEqual([]);
    expect((await api.delete(url)).status).toBe(204);
    await waitUntil(
      async (seen) => (seen((await ownObjects(cluster)).join()), (await ownObjects(cluster)).length === 0 ? true : undefined),
      {
        for: 'the clean-up to have removed all',
        within: seconds(60),
        every: millis(100),
      },
    );
  });

  it('goes on with another worker, and ends when what it waited for is there', async () => {
    const { api } = system;
    const { url, op } = await begun();
    await system.replaceInfra();
    await made(cluster.api, '/api/v1/persistentvolumes', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'late', labels: { 'windlass/vnf-instance': 'of-the-cluster' } },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'nobodys',
        persistentVolumeReclaimPolicy: 'Retain',
        nfs: { server: '192.0.2.1', path: '/volume' },
      },
    });
    expect(await rested(op)).toMatchObject({ operationState: 'COMPLETED' });
    const volume = await cluster.api.get<JsonObject>('/api/v1/persistentvolumes/late');
    expect(volume.data).toMatchObject({ status: { phase: 'Bound' }, spec: { claimRef: { name: 'never' } } });
    expect(await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }))).toMatchObject({
      operationState: 'COMPLETED',
    });
    expect(await ownObjects(cluster)).toEqual([]);
    expect((await cluster.api.get('/api/v1/persistentvolumes/late')).status).toBe(200);
  });
});
