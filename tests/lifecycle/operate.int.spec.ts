import { randomUUID } from 'node:crypto';
import { millis, minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { ApiClient, audit } from '@windlass/windlass';
import type { AxiosResponse } from 'axios';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { aNewSecond, vnfView, type VnfView } from '../support/vnf-view.js';

let system: System;
let vnf: VnfView;
const vnfdId = randomUUID();
const POWER = /\/servers\/[0-9a-f-]{36}\/action$/;

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

const ask = (body: JsonObject) => system.api.post<JsonObject>(`${vnf.url}/operate`, body);
const operated = async (body: JsonObject): Promise<JsonObject> => {
  const op = await atRest(system.api, await ask(body), minutes(2));
  expect(schemaErrors('VnfLcmOpOcc', op)).toEqual([]);
  return op;
};
const STOP = { changeStateTo: 'STOPPED' };
const START = { changeStateTo: 'STARTED' };
const statuses = (): string[] => system.emulator.inventory().flatMap(({ servers }) => servers.map(({ status }) => status));
const count = (status: string): number => statuses().filter((each) => each === status).length;
const powerRequests = (): number => system.emulator.count('POST', POWER);
const pathOf = (accepted: AxiosResponse<JsonObject>): string => new URL(String(accepted.headers.location)).pathname;
const task = async (accepted: AxiosResponse<JsonObject>, name: string, body: JsonObject = {}): Promise<JsonObject> => {
  const answer = await system.api.post<JsonObject>(`${pathOf(accepted)}/${name}`, body);
  expect([200, 202], JSON.stringify(answer.data)).toContain(answer.status);
  return atRest(system.api, accepted, minutes(2));
};
async function shown(): Promise<{ vnfState: string; states: string[] }> {
  const { vnfState, vnfcInfo } = (await vnf.show()).instantiatedVnfInfo as unknown as {
    vnfState: string;
    vnfcInfo: { vnfcState: string }[];
  };
  return { vnfState, states: vnfcInfo.map(({ vnfcState }) => vnfcState) };
}

describe('a VNF that is stopped and started', () => {
  it('has no server that runs, then has the same servers again, and says so', async () => {
    const before = await vnf.vnfcs();
    expect(await operated(STOP)).toMatchObject({ operation: 'OPERATE', operationState: 'COMPLETED' });
    expect(statuses()).toEqual(['SHUTOFF', 'SHUTOFF', 'SHUTOFF', 'SHUTOFF']);
    expect(await shown()).toEqual({ vnfState: 'STOPPED', states: Array.from({ length: 4 }, () => 'STOPPED') });
    expect(schemaErrors('VnfInstance', await vnf.show())).toEqual([]);
    expect(await operated(START)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await shown()).toEqual({ vnfState: 'STARTED', states: Array.from({ length: 4 }, () => 'STARTED') });
    expect(await vnf.vnfcs()).toEqual(before);
  });

  it('is left as it is where it stands so already: Nova is asked for nothing', async () => {
    const asked = powerRequests();
    expect(await operated(START)).toMatchObject({ operationState: 'COMPLETED' });
    expect(powerRequests()).toBe(asked);
  });

  it('is stopped in part, by the VNFCs that are named, and STOPPED once none is left', async () => {
    const [first = '', ...others] = (await vnf.vnfcs()).map(({ id }) => id);
    await operated({ ...STOP, vnfcInstanceId: [first] });
    expect((await shown()).vnfState).toBe('STARTED');
    expect([count('SHUTOFF'), count('ACTIVE')]).toEqual([1, 3]);
    await operated({ ...STOP, vnfcInstanceId: others });
    expect((await shown()).vnfState).toBe('STOPPED');
    await operated({ ...START, vnfcInstanceId: [first] });
    expect((await shown()).vnfState).toBe('STARTED');
    expect([count('SHUTOFF'), count('ACTIVE')]).toEqual([3, 1]);
  });

  it('is neither scaled nor healed while it is STOPPED, but modified and found in order by an audit', async () => {
    await operated(STOP);
    for (const [name, body] of [
      ['scale', { type: 'SCALE_OUT', aspectId: 'worker' }],
      ['heal', {}],
    ] as const) {
      const answer = await system.api.post<JsonObject>(`${vnf.url}/${name}`, body);
      expect([answer.status, answer.data.code]).toEqual([409, 'vnf-instance.stopped']);
      expect(answer.data.detail).toContain('start it first');
    }
    const lines: string[] = [];
    const api = new ApiClient(String(system.api.defaults.baseURL), 'test-token');
    // Of what has changed in the same moment an audit says nothing.
    await aNewSecond();
    expect(await audit(api, { fix: false, json: true }, (line) => void lines.push(line))).toBe(0);
    expect(JSON.parse(lines.join('\n'))).toMatchObject({ missing: [], differences: [], foreign: [], orphans: [], busy: [] });
    await operated(START);
    const scaled = await system.api.post<JsonObject>(`${vnf.url}/scale`, { type: 'SCALE_OUT', aspectId: 'worker' });
    expect(await atRest(system.api, scaled)).toMatchObject({ operationState: 'COMPLETED' });
  });

  it('is stopped gracefully: nothing is asked of Nova before the time is over', async () => {
    const asked = powerRequests();
    const begun = performance.now();
    const accepted = await ask({ ...STOP, stopType: 'GRACEFUL', gracefulStopTimeout: 1 });
    await waitUntil(() => Promise.resolve(powerRequests() > asked || undefined), {
      for: 'the first stop',
      within: minutes(1),
      every: millis(20),
    });
    expect(performance.now() - begun).toBeGreaterThan(900);
    expect(await atRest(system.api, accepted)).toMatchObject({ operationState: 'COMPLETED' });
  });
});

describe('a request to operate a VNF', () => {
  it.each([
    [{}, '/changeStateTo', 'STARTED, STOPPED'],
    [{ changeStateTo: 'ASLEEP' }, '/changeStateTo', 'ASLEEP'],
    [{ ...START, stopType: 'FORCEFUL' }, '/stopType', 'leave it out'],
    [{ ...STOP, gracefulStopTimeout: 5 }, '/gracefulStopTimeout', 'stopType GRACEFUL'],
    [{ ...STOP, stopType: 'GRACEFUL' }, '/gracefulStopTimeout', 'seconds'],
    [{ ...STOP, vnfcInstanceId: [] }, '/vnfcInstanceId', 'at least one'],
    [{ ...STOP, vnfcInstanceId: ['nobody'] }, '/vnfcInstanceId/0', 'has no vnfcResourceInfo nobody'],
  ])('%j is refused at its field', async (body, path, words) => {
    const answer = await ask(body);
    expect(answer.status).toBe(400);
    expect(answer.data.detail).toContain(words);
    expect(answer.data.invalidParams).toMatchObject([{ path }]);
  });

  it('is refused, and not offered, while the VNF is not instantiated', async () => {
    const url = await createVnf(system.api, vnfdId);
    expect(((await system.api.get<JsonObject>(url)).data._links as JsonObject).operate).toBeUndefined();
    expect(((await vnf.show())._links as JsonObject).operate).toBeDefined();
    const answer = await system.api.post<JsonObject>(`${url}/operate`, STOP);
    expect([answer.status, answer.data.code]).toEqual([409, 'vnf-instance.wrong-state']);
    expect((await system.api.delete(url)).status).toBe(204);
  });
});

describe('a stop that Nova refuses half-way', () => {
  const refuseOne = (): void =>
    void system.emulator.faults.add({
      kind: 'status',
      method: 'POST',
      path: '/servers/[0-9a-f-]{36}/action$',
      status: 403,
      times: 1,
    });
  let accepted: AxiosResponse<JsonObject>;
  beforeEach(async () => {
    refuseOne();
    accepted = await ask(STOP);
    expect(await atRest(system.api, accepted, minutes(2))).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect(count('SHUTOFF')).toBeLessThan(4);
  });

  it('goes on with retry: only what still runs is asked for', async () => {
    const left = count('ACTIVE');
    const asked = powerRequests();
    expect(await task(accepted, 'retry')).toMatchObject({ operationState: 'COMPLETED' });
    expect(powerRequests() - asked).toBe(left);
    expect(await shown()).toMatchObject({ vnfState: 'STOPPED' });
  });

  it('is taken back by rollback: every server runs as before', async () => {
    const before = await vnf.show();
    expect(await task(accepted, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(count('ACTIVE')).toBe(4);
    expect(await vnf.show()).toEqual(before);
  });

  it('is left by fail: the instance shows how each VNFC stands, and should still run', async () => {
    const stopped = count('SHUTOFF');
    await task(accepted, 'fail');
    await waitUntil(
      async () => ((await shown()).states.filter((state) => state === 'STOPPED').length === stopped ? true : undefined),
      {
        for: 'the refresh',
        within: minutes(1),
        every: millis(50),
      },
    );
    expect((await shown()).vnfState).toBe('STARTED');
    expect(await operated(START)).toMatchObject({ operationState: 'COMPLETED' });
    expect(count('ACTIVE')).toBe(4);
  });
});

describe('a VIM that is away while servers are stopped', () => {
  it('is asked again, and a stop whose answer was lost is not asked for twice', async () => {
    const { faults } = system.emulator;
    const asked = powerRequests();
    faults.add({ kind: 'lost-answer', method: 'POST', path: '/servers/[0-9a-f-]{36}/action$', times: 2 });
    faults.add({ kind: 'status', method: 'GET', path: '/servers/[0-9a-f-]{36}$', status: 503, times: 3 });
    expect(await operated(STOP)).toMatchObject({ operationState: 'COMPLETED' });
    expect(count('SHUTOFF')).toBe(4);
    expect(powerRequests() - asked).toBe(4);
  });
});

describe('a cancel while servers are stopped', () => {
  const underWay = async (takes: number): Promise<AxiosResponse<JsonObject>> => {
    system.emulator.faults.add({ kind: 'slow-power', delayMs: takes, times: 1 });
    const asked = powerRequests();
    const accepted = await ask(STOP);
    await waitUntil(() => Promise.resolve(powerRequests() > asked || undefined), {
      for: 'the first stop',
      within: minutes(1),
      every: millis(20),
    });
    return accepted;
  };

  it.each(['GRACEFUL', 'FORCEFUL'])('%s ends it at FAILED_TEMP, and rollback starts what was stopped', async (cancelMode) => {
    const before = await vnf.show();
    const accepted = await underWay(3_000);
    expect((await system.api.post(`${pathOf(accepted)}/cancel`, { cancelMode })).status).toBe(202);
    expect(await atRest(system.api, accepted, minutes(2))).toMatchObject({
      operationState: 'FAILED_TEMP',
      isCancelPending: false,
    });
    expect(await task(accepted, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(count('ACTIVE')).toBe(4);
    expect(await vnf.show()).toEqual(before);
  });
});
