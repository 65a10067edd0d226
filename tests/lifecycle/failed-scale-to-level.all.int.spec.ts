import { randomUUID } from 'node:crypto';
import { millis, minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import type { AxiosResponse } from 'axios';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';

let system: System;
let vnf: VnfView;
const vnfdId = randomUUID();
/** An update of a stack, and no mark of a resource in it. */
const UPDATES = /\/stacks\/vnf-[0-9a-f-]{36}\/[0-9a-f-]{36}$/;

beforeAll(async () => {
  // A worker hears of a cancel when it renews: every two seconds.
  system = await startSystem({ policy: { lease: seconds(6) } });
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

const ask = (body: JsonObject) => system.api.post<JsonObject>(`${vnf.url}/scale_to_level`, body);
const pathOf = (accepted: AxiosResponse<JsonObject>): string => new URL(String(accepted.headers.location)).pathname;
const task = async (accepted: AxiosResponse<JsonObject>, name: 'retry' | 'rollback'): Promise<JsonObject> => {
  expect((await system.api.post(`${pathOf(accepted)}/${name}`, {})).status).toBe(202);
  return atRest(system.api, accepted, minutes(2));
};
const failing = async (body: JsonObject, resource: string, action: 'CREATE' | 'DELETE'): Promise<AxiosResponse<JsonObject>> => {
  system.emulator.faults.add({ kind: 'fail-resource', resource, action, reason: 'No valid host was found.', times: 1 });
  const accepted = await ask(body);
  const op = await atRest(system.api, accepted);
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'FAILED_TEMP' });
  return accepted;
};
const inOrder = async (): Promise<void> => {
  const shown = (await vnf.vnfcs()).map(({ computeResource }) => computeResource.resourceId).sort();
  expect(shown).toEqual((await vnf.serverIds()).sort());
};

describe('a scaling to a larger level that the VIM refuses', () => {
  it('is taken back by rollback: every group has the size and the members that it had, and it can be asked for again', async () => {
    const before = await vnf.vnfcs();
    const accepted = await failing({ instantiationLevelId: 'wide' }, 'node', 'CREATE');
    expect(await task(accepted, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(await vnf.vnfcs()).toEqual(before);
    expect(await vnf.levels()).toMatchObject({ pair: 0, worker: 0 });
    await inOrder();
    expect(await atRest(system.api, await ask({ instantiationLevelId: 'wide' }))).toMatchObject({ operationState: 'COMPLETED' });
  });

  it('goes on with retry, and the members that were there stay', async () => {
    const before = await vnf.vnfcs();
    const accepted = await failing({ instantiationLevelId: 'wide' }, 'web', 'CREATE');
    expect(await task(accepted, 'retry')).toMatchObject({ operationState: 'COMPLETED' });
    expect(await vnf.vnfcs()).toEqual(expect.arrayContaining(before));
    expect(await vnf.levels()).toMatchObject({ pair: 1, worker: 2 });
    await inOrder();
  });

  it('is stopped in Heat by a forceful cancel, and rollback takes it back', async () => {
    const before = await vnf.vnfcs();
    const count = system.emulator.count('PATCH', UPDATES);
    system.emulator.faults.add({ kind: 'slow-stack', delayMs: 600_000, stackName: '^vnf-', times: 1 });
    const accepted = await ask({ instantiationLevelId: 'tall' });
    await waitUntil(() => Promise.resolve(system.emulator.count('PATCH', UPDATES) > count || undefined), {
      for: 'the update',
      within: seconds(60),
      every: millis(20),
    });
    expect((await system.api.post(`${pathOf(accepted)}/cancel`, { cancelMode: 'FORCEFUL' })).status).toBe(202);
    expect(await atRest(system.api, accepted, minutes(2))).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect(await task(accepted, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(await vnf.vnfcs()).toEqual(before);
    await inOrder();
  });
});

describe('a scaling that takes members of one aspect away while it brings others, and fails', () => {
  it("can't be rolled back, for a VM that is gone does not come back; retry makes the size that was asked for", async () => {
    await atRest(system.api, await ask({ scaleInfo: [{ aspectId: 'worker', scaleLevel: 2 }] }));
    const accepted = await failing({ instantiationLevelId: 'tall' }, 'web', 'CREATE');
    const { data } = await system.api.get<JsonObject>(pathOf(accepted));
    expect(data._links).toHaveProperty('retry');
    expect(data._links).not.toHaveProperty('rollback');
    const refused = await system.api.post<JsonObject>(`${pathOf(accepted)}/rollback`, {});
    expect([refused.status, refused.data.detail]).toEqual([409, expect.stringContaining('resize-stack')]);
    expect(await task(accepted, 'retry')).toMatchObject({ operationState: 'COMPLETED' });
    expect(await vnf.levels()).toMatchObject({ pair: 2, worker: 0 });
    expect(await vnf.ofVdu('node')).toHaveLength(1);
    expect(await vnf.ofVdu('db')).toHaveLength(5);
    await inOrder();
  });
});
