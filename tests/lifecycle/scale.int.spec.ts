import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { atRest, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { aNewSecond, vnfView, type VnfView } from '../support/vnf-view.js';

let system: System;
let vnf: VnfView;
const vnfdId = randomUUID();

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  await onboardZip(system.api, scalingPackage(vnfdId));
});
afterAll(() => system.close());

beforeEach(async () => {
  vnf = await vnfView(system, vnfdId, scalingRequest('net0'));
});
afterEach(() => vnf.remove());

const scale = async (type: 'SCALE_OUT' | 'SCALE_IN', aspectId: string, more: JsonObject = {}): Promise<JsonObject> =>
  atRest(system.api, await system.api.post(`${vnf.url}/scale`, { type, aspectId, ...more }));
const out = (aspectId: string, more: JsonObject = {}) => scale('SCALE_OUT', aspectId, more);

describe('a VNF scaled out', () => {
  it('has the members of all VDUs of the aspect, and those that stayed kept their ids', async () => {
    const before = await vnf.vnfcs();
    const op = await out('pair');
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED', operation: 'SCALE' });
    expect(schemaErrors('VnfLcmOpOcc', op)).toEqual([]);
    const after = await vnf.vnfcs();
    expect(after.map(({ vduId }) => vduId).sort()).toEqual(['VDU1', 'db', 'db', 'db', 'node', 'web', 'web']);
    expect(after).toEqual(expect.arrayContaining(before));
    const { affectedVnfcs } = op.resourceChanges as { affectedVnfcs: { changeType: string; vduId: string }[] };
    expect(affectedVnfcs.map(({ changeType, vduId }) => `${changeType} ${vduId}`).sort()).toEqual([
      'ADDED db',
      'ADDED db',
      'ADDED web',
    ]);
    expect(await vnf.levels()).toMatchObject({ pair: 1, worker: 0 });
    expect(schemaErrors('VnfInstance', await vnf.show())).toEqual([]);
    expect(await vnf.servers()).toHaveLength(7);
  });

  it('leaves the groups of other aspects as they are', async () => {
    await out('worker', { numberOfSteps: 2 });
    const nodes = (await vnf.vnfcs()).filter(({ vduId }) => vduId === 'node');
    expect(nodes).toHaveLength(3);
    await out('pair');
    expect((await vnf.vnfcs()).filter(({ vduId }) => vduId === 'node')).toEqual(nodes);
    expect(await vnf.levels()).toMatchObject({ pair: 1, worker: 2 });
  });
});

describe('a VNF scaled in', () => {
  it('loses its newest members, or its oldest where it is asked so', async () => {
    const [first] = await vnf.ofVdu('node');
    await aNewSecond();
    await out('worker');
    const second = (await vnf.ofVdu('node')).find((id) => id !== first);
    await aNewSecond();
    await out('worker');
    const third = (await vnf.ofVdu('node')).find((id) => id !== first && id !== second);
    const op = await scale('SCALE_IN', 'worker');
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    expect(op.resourceChanges).toMatchObject({ affectedVnfcs: [{ id: third, changeType: 'REMOVED' }] });
    expect((await vnf.ofVdu('node')).sort()).toEqual([first, second].sort());
    await scale('SCALE_IN', 'worker', { additionalParams: { is_reverse: 'False' } });
    expect(await vnf.ofVdu('node')).toEqual([second]);
    expect(await vnf.levels()).toMatchObject({ worker: 0 });
  });

  it('loses members of every VDU of the aspect', async () => {
    const before = await vnf.vnfcs();
    await aNewSecond();
    await out('pair', { numberOfSteps: 2 });
    const op = await scale('SCALE_IN', 'pair', { numberOfSteps: 2 });
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await vnf.vnfcs()).toEqual(before);
    expect((op.resourceChanges as { affectedVnfcs: unknown[] }).affectedVnfcs).toHaveLength(6);
  });
});

describe('a scale request', () => {
  const refused = async (body: JsonObject): Promise<JsonObject> => {
    const answer = await system.api.post<JsonObject>(`${vnf.url}/scale`, body);
    return { status: answer.status, ...answer.data };
  };
  it.each([
    [{ type: 'SCALE_OUT', aspectId: 'moon' }, '/aspectId', 'no aspect'],
    [{ type: 'SCALE_OUT', aspectId: 'none' }, '/aspectId', 'how many instances'],
    [{ type: 'SCALE_OUT', aspectId: 'lone' }, '/aspectId', 'no auto scaling group'],
    [{ type: 'SCALE_OUT', aspectId: 'worker', numberOfSteps: 0 }, '/numberOfSteps', ''],
    [{ type: 'SCALE_OUT', aspectId: 'worker', numberOfSteps: 4 }, '/numberOfSteps', "can't scale out"],
    [{ type: 'SCALE_IN', aspectId: 'worker' }, '/numberOfSteps', "can't scale in"],
    [{ type: 'SIDEWAYS', aspectId: 'worker' }, '/type', ''],
    [
      { type: 'SCALE_OUT', aspectId: 'worker', additionalParams: { is_reverse: 'maybe' } },
      '/additionalParams/is_reverse',
      'True',
    ],
  ])('%j is refused at its field', async (body, path, words) => {
    expect(await refused(body)).toMatchObject({
      status: 400,
      detail: expect.stringContaining(words) as string,
      invalidParams: [{ path, reason: expect.any(String) as string }],
    });
  });

  it('is refused, and not offered, while the VNF is not instantiated', async () => {
    const created = await system.api.post<JsonObject>('/vnflcm/v1/vnf_instances', { vnfdId });
    const url = new URL(String(created.headers.location)).pathname;
    expect((created.data._links as JsonObject).scale).toBeUndefined();
    expect(((await vnf.show())._links as JsonObject).scale).toBeDefined();
    const answer = await system.api.post<JsonObject>(`${url}/scale`, { type: 'SCALE_OUT', aspectId: 'worker' });
    expect(answer.status).toBe(409);
    expect((await system.api.delete(url)).status).toBe(204);
  });
});
