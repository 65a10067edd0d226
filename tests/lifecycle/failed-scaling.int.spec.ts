import { randomUUID } from 'node:crypto';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atRest, onboardZip, registerVim, startSystem, type System, warningsOf } from '../support/system.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { aNewSecond, vnfView, type VnfView } from '../support/vnf-view.js';

let system: System;
let vnf: VnfView;
const vnfdId = randomUUID();
const REASON = 'No valid host was found.';
/** An update of a stack, and no mark of a resource in it. */
const UPDATES = /\/stacks\/vnf-[0-9a-f-]{36}\/[0-9a-f-]{36}$/;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  await onboardZip(system.api, scalingPackage(vnfdId));
});
afterAll(() => system.close());
beforeEach(async () => {
  vnf = await vnfView(system, vnfdId, scalingRequest('net0'));
});
afterEach(async () => {
  system.emulator.faults.clear();
  await vnf.remove();
});

const ask = (type: 'SCALE_OUT' | 'SCALE_IN', aspectId: string) => system.api.post(`${vnf.url}/scale`, { type, aspectId });
const scale = async (type: 'SCALE_OUT' | 'SCALE_IN', aspectId: string): Promise<JsonObject> =>
  atRest(system.api, await ask(type, aspectId));
const task = async (op: JsonObject, name: string, body: JsonObject = {}): Promise<JsonObject> => {
  const path = `/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}`;
  const answer = await system.api.post<JsonObject>(`${path}/${name}`, body);
  if (name === 'fail') return answer.data;
  return atRest(system.api, { ...answer, headers: { location: new URL(path, 'http://here').href } } as typeof answer);
};
const breakCreation = (resource: string, times = 1): void =>
  void system.emulator.faults.add({ kind: 'fail-resource', resource, action: 'CREATE', reason: REASON, times });

/** The refresh of the instance, once it fits. */
const looks = (fits: (refresh: { attempts: number; state: string }) => boolean) =>
  waitUntil(
    async (seen) => {
      const rows = await system.database.query<{ attempts: number; state: string }[]>(
        `SELECT i.attempts, i.state FROM lcm.internal_operation AS i JOIN lcm.operation AS o ON o.id = i.id
         WHERE o.kind = 'REFRESH' AND i.vnf_instance_id = $1`,
        [vnf.url.split('/').at(-1)],
      );
      seen(JSON.stringify(rows));
      return rows.find(fits);
    },
    { for: 'the refresh', within: seconds(60), every: millis(50) },
  );

describe('a scale out that the VIM refuses', () => {
  let op: JsonObject;
  beforeEach(async () => {
    breakCreation('node');
    op = await scale('SCALE_OUT', 'worker');
    expect(op, JSON.stringify(op)).toMatchObject({
      operationState: 'FAILED_TEMP',
      error: { detail: expect.stringContaining(REASON) as string },
    });
  });

  it('goes on with retry, and the members that were there stay', async () => {
    const before = await vnf.vnfcs();
    expect(await task(op, 'retry')).toMatchObject({ operationState: 'COMPLETED' });
    expect(await vnf.vnfcs()).toEqual(expect.arrayContaining(before));
    expect(await vnf.ofVdu('node')).toHaveLength(2);
    expect(await vnf.levels()).toMatchObject({ worker: 1 });
  });

  it('is taken back by rollback: the VIM and the instance are as they were', async () => {
    const before = await vnf.vnfcs();
    expect(await task(op, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(await vnf.vnfcs()).toEqual(before);
    expect(await vnf.servers()).toHaveLength(4);
    expect(before.map(({ computeResource }) => computeResource.resourceId).sort()).toEqual((await vnf.serverIds()).sort());
    expect(await scale('SCALE_OUT', 'worker')).toMatchObject({ operationState: 'COMPLETED' });
  });

  it('is left by fail, and what it left is found by the next scaling', async () => {
    expect(await task(op, 'fail')).toMatchObject({ operationState: 'FAILED' });
    expect(await vnf.levels()).toMatchObject({ worker: 0 });
    const [kept] = await vnf.ofVdu('node');
    const next = await scale('SCALE_OUT', 'worker');
    expect(next, JSON.stringify(next)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await warningsOf(system.api, next)).toEqual([expect.stringContaining('did not list')]);
    expect(await vnf.ofVdu('node')).toHaveLength(2);
    expect(await vnf.ofVdu('node')).toContain(kept);
  });
});

describe('a scale in that the VIM does not finish', () => {
  it("can't be rolled back, and retry removes the very members that were chosen", async () => {
    const [kept] = await vnf.ofVdu('node');
    await aNewSecond();
    await scale('SCALE_OUT', 'worker');
    system.emulator.faults.add({ kind: 'fail-resource', resource: 'node', action: 'DELETE', reason: 'stuck', times: 1 });
    const op = await scale('SCALE_IN', 'worker');
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect(op._links).toHaveProperty('retry');
    expect(op._links).not.toHaveProperty('rollback');
    const refused = await system.api.post<JsonObject>(`/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}/rollback`);
    expect(refused.status).toBe(409);
    expect(refused.data.detail).toContain('resize-stack');
    expect(await task(op, 'retry')).toMatchObject({ operationState: 'COMPLETED' });
    expect(await vnf.ofVdu('node')).toEqual([kept]);
    expect(await vnf.servers()).toHaveLength(4);
  });
});

describe('a scale in that leaves a port behind, and is marked as failed', () => {
  it('has the port on the record, as a CP of no VNFC; and the termination takes it away', async () => {
    await aNewSecond();
    await scale('SCALE_OUT', 'worker');
    system.emulator.faults.add({ kind: 'fail-resource', resource: 'node_CP', action: 'DELETE', reason: 'stuck', times: 1 });
    const op = await scale('SCALE_IN', 'worker');
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect(await task(op, 'fail')).toMatchObject({ operationState: 'FAILED' });
    await waitUntil(async () => ((await vnf.ofVdu('node')).length === 1 ? true : undefined), {
      for: 'the refresh to show the member that stayed',
      within: seconds(60),
      every: millis(50),
    });
    const [row] = await system.database.query<{ ports: string[] }[]>(
      `SELECT ARRAY(SELECT jsonb_path_query(instantiated, '$.vnfcs[*].cps[*].resourceId') #>> '{}'
         UNION ALL SELECT jsonb_path_query(instantiated, '$.sharedCps[*].resourceId') #>> '{}') AS ports
       FROM lcm.vnf_instance WHERE id = $1`,
      [vnf.url.split('/').at(-1)],
    );
    const there = system.emulator.inventory().flatMap((project) => project.ports.map(({ id }) => id));
    expect(there).toHaveLength(5);
    expect(row?.ports.sort()).toEqual(there.sort());
  });
});

describe('a scale in that is marked as failed while the VIM is away', () => {
  it('is shown in the size that it left by the next operation, which comes before the refresh', async () => {
    await aNewSecond();
    await scale('SCALE_OUT', 'worker');
    system.emulator.faults.add({ kind: 'fail-resource', resource: 'node_CP', action: 'DELETE', reason: 'stuck', times: 1 });
    const op = await scale('SCALE_IN', 'worker');
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'FAILED_TEMP' });
    const away = system.emulator.faults.add({ kind: 'status', status: 403, path: '/orchestration/.*/stacks/', times: 'always' });
    expect(await task(op, 'fail')).toMatchObject({ operationState: 'FAILED' });
    await looks(({ attempts, state }) => attempts > 0 && state === 'PENDING');
    system.emulator.faults.remove(away);
    const { extVirtualLinks } = scalingRequest('net0');
    const next = await atRest(system.api, await system.api.post(`${vnf.url}/change_ext_conn`, { extVirtualLinks }));
    expect(next, JSON.stringify(next)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await vnf.ofVdu('node')).toHaveLength(1);
    expect(await vnf.levels()).toMatchObject({ worker: 0 });
  });
});

describe('a worker that goes after it has asked for the update', () => {
  it('is followed by one that waits for that update, and asks for no second one', async () => {
    system.emulator.faults.add({ kind: 'slow-stack', delayMs: 3_000, stackName: '^vnf-', times: 1 });
    const count = system.emulator.count('PATCH', UPDATES);
    const accepted = await ask('SCALE_OUT', 'worker');
    await waitUntil(() => Promise.resolve(system.emulator.count('PATCH', UPDATES) > count || undefined), {
      for: 'the update',
      within: seconds(60),
      every: millis(20),
    });
    await system.replaceInfra();
    expect(await atRest(system.api, accepted)).toMatchObject({ operationState: 'COMPLETED' });
    expect(system.emulator.count('PATCH', UPDATES)).toBe(count + 1);
    expect(await vnf.ofVdu('node')).toHaveLength(2);
  });
});

describe('an update whose answer is lost', () => {
  it('is found by the next attempt, which asks for no second one', async () => {
    system.emulator.faults.add({ kind: 'lost-answer', method: 'PATCH', path: UPDATES.source, times: 1 });
    const count = system.emulator.count('PATCH', UPDATES);
    const op = await scale('SCALE_OUT', 'pair');
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    expect(system.emulator.count('PATCH', UPDATES)).toBe(count + 1);
  });
});
