import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, startSystem, type System } from '../support/system.js';
import { planPath } from '../plans/support/plan-of.js';
import { cnfRequest, ownObjects, registerCluster, removeOwnObjects, standinCluster, type CnfCluster } from './support/cluster.js';
import { onboardWith, withFiles } from './support/packages.js';

let system: System;
let cluster: CnfCluster;
let vimId: string;
let cnf: unknown;

beforeAll(async () => {
  [system, cluster] = await Promise.all([startSystem(), standinCluster()]);
  vimId = await registerCluster(system, cluster);
  cnf = (await onboard(system.api, 'cnf')).vnfdId;
});

afterAll(async () => {
  await system.close();
  await cluster.close();
});

interface Vnfc {
  id: string;
  vduId: string;
  computeResource: { resourceId: string };
  metadata: { pod_uid: string };
}

interface Shown {
  id: string;
  instantiatedVnfInfo: { scaleStatus: JsonObject[]; vnfcResourceInfo: Vnfc[] };
}

async function shown(url: string): Promise<Shown> {
  const { data } = await system.api.get<Shown>(url);
  expect(schemaErrors('VnfInstance', data as never)).toEqual([]);
  return data;
}

const vnfcs = async (url: string, vduId: string): Promise<Vnfc[]> =>
  (await shown(url)).instantiatedVnfInfo.vnfcResourceInfo.filter((each) => each.vduId === vduId);

/** Asks for an operation that has to end well. */
async function done(url: string, task: string, body: JsonObject): Promise<JsonObject> {
  const op = await atRest(system.api, await system.api.post(`${url}/${task}`, body));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
  return op;
}

async function instantiated(vnfdId: unknown, change?: (body: JsonObject) => void): Promise<string> {
  const url = await createVnf(system.api, vnfdId);
  await done(url, 'instantiate', await cnfRequest(vimId, change));
  return url;
}

async function ended(url: string): Promise<void> {
  await done(url, 'terminate', { terminationType: 'FORCEFUL' });
  expect(await ownObjects(cluster)).toEqual([]);
}

/** What a test has left that failed: its objects have the names of the next test's. */
const swept = () => removeOwnObjects(cluster);

const replicas = async (name: string): Promise<unknown> =>
  (await cluster.api.get<{ spec: { replicas: number } }>(`/apis/apps/v1/namespaces/default/deployments/${name}`)).data.spec
    .replicas;

describe('a VNF of containers that stands', () => {
  let url: string;
  beforeAll(async () => {
    url = await instantiated(cnf);
  });
  afterAll(() => ended(url).finally(swept));

  it('is scaled out, to a level, and in: the deployment has as many pods, and the instance shows them and where its aspect stands', async () => {
    const [first] = await vnfcs(url, 'VDU1');
    const op = await done(url, 'scale', { type: 'SCALE_OUT', aspectId: 'web', numberOfSteps: 2 });
    expect(await replicas('web')).toBe(3);
    const three = await vnfcs(url, 'VDU1');
    expect(three.map(({ id }) => id)).toContain(first?.id);
    expect(three).toHaveLength(3);
    expect((await shown(url)).instantiatedVnfInfo.scaleStatus).toEqual([{ aspectId: 'web', scaleLevel: 2 }]);
    expect((op.resourceChanges as { affectedVnfcs: unknown[] }).affectedVnfcs).toHaveLength(2);

    await done(url, 'scale_to_level', { instantiationLevelId: 'large' });
    expect(await vnfcs(url, 'VDU1')).toHaveLength(2);
    await done(url, 'scale', { type: 'SCALE_IN', aspectId: 'web' });
    expect(await replicas('web')).toBe(1);
    expect(await vnfcs(url, 'VDU1')).toHaveLength(1);
    expect(await vnfcs(url, 'VDU2')).toHaveLength(1);
    expect((await shown(url)).instantiatedVnfInfo.scaleStatus).toEqual([{ aspectId: 'web', scaleLevel: 0 }]);
  });

  it('has a pod healed: that one is gone, another is there, and the others are the same', async () => {
    const [web] = await vnfcs(url, 'VDU1');
    const [asker] = await vnfcs(url, 'VDU2');
    await done(url, 'heal', { vnfcInstanceId: [web!.id], cause: 'it hangs' });
    const [other] = await vnfcs(url, 'VDU1');
    expect(other?.metadata.pod_uid).not.toBe(web?.metadata.pod_uid);
    expect((await cluster.api.get(`/api/v1/namespaces/default/pods/${web!.computeResource.resourceId}`)).status).toBe(404);
    expect(await vnfcs(url, 'VDU2')).toEqual([asker]);
  });

  it('is healed as a whole: every pod is another, and an object that somebody has deleted is there again, in the size that the VNF has', async () => {
    await done(url, 'scale', { type: 'SCALE_OUT', aspectId: 'web' });
    const before = await vnfcs(url, 'VDU2');
    expect((await cluster.api.delete('/apis/apps/v1/namespaces/default/deployments/web')).status).toBe(200);
    expect((await cluster.api.delete('/api/v1/namespaces/default/configmaps/pages')).status).toBe(200);
    const lost = await system.api.post(`${url}/scale`, { type: 'SCALE_OUT', aspectId: 'web' });
    expect(await atRest(system.api, lost)).toMatchObject({
      operationState: 'FAILED_TEMP',
      error: { detail: expect.stringContaining('heal the whole VNF first') as string },
    });
    const op = new URL(String(lost.headers.location)).pathname;
    expect((await system.api.post(`${op}/rollback`)).status).toBe(202);
    await inState(op, 'ROLLED_BACK');
    await done(url, 'heal', {});
    expect(await replicas('web')).toBe(2);
    expect(await vnfcs(url, 'VDU1')).toHaveLength(2);
    expect((await cluster.api.get('/api/v1/namespaces/default/configmaps/pages')).status).toBe(200);
    const [after] = await vnfcs(url, 'VDU2');
    expect(after?.metadata.pod_uid).not.toBe(before[0]?.metadata.pod_uid);
    await done(url, 'scale', { type: 'SCALE_IN', aspectId: 'web' });
  });

  it.each<[string, string, JsonObject, number, string, string]>([
    [
      'more steps than the aspect has',
      'scale',
      { type: 'SCALE_OUT', aspectId: 'web', numberOfSteps: 9 },
      400,
      'scale.out-of-range',
      '/numberOfSteps',
    ],
    [
      'an aspect that the VNFD has not',
      'scale',
      { type: 'SCALE_OUT', aspectId: 'none' },
      400,
      'scale.unknown-aspect',
      '/aspectId',
    ],
    [
      'who leaves, which controllers choose',
      'scale',
      { type: 'SCALE_IN', aspectId: 'web', additionalParams: { leaving_vnfcs: ['a'] } },
      400,
      'kubernetes.wrong-parameters',
      '/additionalParams/leaving_vnfcs',
    ],
    ['a VNFC that is none', 'heal', { vnfcInstanceId: ['none'] }, 400, 'request.invalid', '/vnfcInstanceId/0'],
    [
      'a script of stacks',
      'heal',
      { additionalParams: { 'lcm-operation-user-data': 'a' } },
      400,
      'kubernetes.wrong-parameters',
      '/additionalParams/lcm-operation-user-data',
    ],
  ])('refuses %s, at its field', async (_what, task, body, status, code, path) => {
    const refused = await system.api.post<JsonObject>(`${url}/${task}`, body);
    expect(refused, JSON.stringify(refused.data)).toMatchObject({ status, data: { code, invalidParams: [{ path }] } });
  });

  it('shows the steps of a scaling and of a heal before they are asked for, and does nothing', async () => {
    for (const [task, body, step] of [
      ['scale', { type: 'SCALE_OUT', aspectId: 'web' }, 'scale-objects'],
      ['heal', {}, 'replace-pods'],
    ] as const) {
      const { data } = await system.api.post<JsonObject>(planPath(`${url}/${task}`), body);
      expect(JSON.stringify(data)).toContain(step);
    }
    expect(await replicas('web')).toBe(1);
  });
});

describe('a scaling whose pods never run', () => {
  const node = (unschedulable: boolean) =>
    cluster.api.patch(
      '/api/v1/nodes/node1',
      { spec: { unschedulable } },
      { headers: { 'Content-Type': 'application/merge-patch+json' } },
    );
  afterEach(async () => {
    expect((await node(false)).status).toBe(200);
    await swept();
  });

  it('is rolled back: as many pods are there as before, and the instance shows those', async () => {
    const { api } = system;
    const url = await instantiated(cnf);
    expect((await node(true)).status).toBe(200);
    const accepted = await api.post(`${url}/scale`, { type: 'SCALE_OUT', aspectId: 'web' });
    const op = new URL(String(accepted.headers.location)).pathname;
    await stepsOf(op, '0 of 1 objects ready');
    expect(await replicas('web')).toBe(2);
    expect((await api.post(`${op}/cancel`, { cancelMode: 'FORCEFUL' })).status).toBe(202);
    await inState(op, 'FAILED_TEMP');
    expect((await api.post(`${op}/rollback`)).status).toBe(202);
    await inState(op, 'ROLLED_BACK');
    expect(await replicas('web')).toBe(1);
    expect(await vnfcs(url, 'VDU1')).toHaveLength(1);
    await ended(url);
  });
});

/** Waits until the operation's steps tell that. */
const stepsOf = (op: string, said: string): Promise<unknown> =>
  waitUntil(
    async (seen) => {
      const { data } = await system.api.get<unknown>(`/windlass/v1/operations/${op.split('/').at(-1) ?? ''}/steps`);
      const steps = JSON.stringify(data);
      seen(steps);
      return steps.includes(said) ? true : undefined;
    },
    { for: `a step to say "${said}"`, within: seconds(60), every: millis(100) },
  );

const inState = (op: string, state: string): Promise<unknown> =>
  waitUntil(
    async (seen) => {
      const { data } = await system.api.get<JsonObject>(op);
      seen(JSON.stringify(data));
      return data.operationState === state ? true : undefined;
    },
    { for: `the operation to be ${state}`, within: seconds(60), every: millis(100) },
  );

/** A pod that no controller makes, and a set of them that no Deployment owns. */
const ALONE = `
apiVersion: v1
kind: Pod
metadata: { name: alone, labels: { app: alone } }
spec: { terminationGracePeriodSeconds: 1, containers: [ { name: alone, image: "docker.io/library/busybox:1.36" } ] }
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: { name: bare }
spec:
  replicas: 2
  selector: { matchLabels: { app: bare } }
  template:
    metadata: { labels: { app: bare } }
    spec: { terminationGracePeriodSeconds: 1, containers: [ { name: bare, image: "docker.io/library/busybox:1.36" } ] }
`;

describe('pods that no deployment makes', () => {
  afterEach(swept);

  it('are healed: one that is an object of its own is made again, under its name', async () => {
    const vnfdId = await onboardWith(system, '70000000-93b5-4d1a-b6a7-1f5d82e03c94', ALONE);
    const url = await instantiated(vnfdId, withFiles());
    const [alone] = await vnfcs(url, 'alone');
    const bare = await vnfcs(url, 'bare');
    await done(url, 'heal', { vnfcInstanceId: [alone!.id, bare[0]!.id] });
    const [again] = await vnfcs(url, 'alone');
    expect(again).toMatchObject({ id: alone!.id, computeResource: { resourceId: 'alone' } });
    expect(again?.metadata.pod_uid).not.toBe(alone?.metadata.pod_uid);
    const after = await vnfcs(url, 'bare');
    expect(after.map(({ id }) => id)).toContain(bare[1]!.id);
    expect(after.map(({ id }) => id)).not.toContain(bare[0]!.id);
    expect(after).toHaveLength(2);
    await ended(url);
  });
});
