import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ONCE_CLEANED_UP } from '../support/cleaned-up.js';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

vi.setConfig({ testTimeout: 180_000 });

let system: System;
let vnfdId: unknown;
let before: string;

beforeAll(async () => {
  system = await startSystem({ cleanUpPause: () => millis(300), sharesImages: false });
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
});

afterAll(() => system.close());

beforeEach(() => {
  before = JSON.stringify(system.emulator.inventory());
});

const STACKS = '/orchestration/.*/stacks/';
const IMAGES = '/images/';

async function instantiated(): Promise<string> {
  const { api } = system;
  const url = await createVnf(api, vnfdId);
  const op = await atRest(api, await api.post(`${url}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0')));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
  return url;
}

const terminate = (url: string) => system.api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' });

/** Marks the operation that a 202 began as failed, once it stands. */
async function fail(op: JsonObject): Promise<void> {
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'FAILED_TEMP' });
  const answer = await system.api.post<JsonObject>(`/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}/fail`);
  expect(answer.status).toBe(200);
  expect(answer.data).toMatchObject({ operationState: 'FAILED' });
}

interface Refresh {
  state: string;
  attempts: number;
  error: { code?: string } | null;
  changed_at: Date;
  outcome: JsonObject | null;
}

const refreshOf = (url: string, fits: (row: Refresh) => boolean): Promise<Refresh> =>
  waitUntil(
    async (seen) => {
      const rows = await system.database.query<Refresh[]>(
        `SELECT i.state, i.attempts, i.error, i.changed_at, i.outcome FROM lcm.internal_operation AS i JOIN lcm.operation AS o ON o.id = i.id
         WHERE o.kind = 'REFRESH' AND i.vnf_instance_id = $1`,
        [url.split('/').at(-1)],
      );
      seen(JSON.stringify(rows));
      return rows.find(fits);
    },
    { for: `the refresh of ${url}`, within: seconds(60), every: millis(50) },
  );

const isDone = ({ state }: Refresh): boolean => state === 'DONE';

/** DELETE, whose clean-up removes what is left. */
async function deleted(url: string): Promise<void> {
  expect((await system.api.delete(url)).status).toBe(204);
  await waitUntil(
    (seen) => {
      const now = JSON.stringify(system.emulator.inventory());
      seen(now);
      return Promise.resolve(now === before ? true : undefined);
    },
    { for: 'the VIM to hold what it held before', within: seconds(60), every: millis(50) },
  );
}

/** A termination whose stack could not be deleted. */
async function halfDone(url: string): Promise<JsonObject> {
  const { faults } = system.emulator;
  const busy = faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'DELETE', reason: 'Busy.', times: 'always' });
  const stands = await atRest(system.api, await terminate(url));
  faults.remove(busy);
  return stands;
}

describe('a termination that is marked as failed', () => {
  it('before it changed anything leaves the record as it is: there is nothing to look at, and it can be terminated again', async () => {
    const { api, emulator } = system;
    const url = await instantiated();
    const { data: shown } = await api.get<JsonObject>(url);
    const refusal = emulator.faults.add({ kind: 'status', status: 403, path: STACKS, times: 'always' });
    await fail(await atRest(api, await terminate(url)));
    emulator.faults.remove(refusal);
    const refreshes = `SELECT FROM lcm.internal_operation WHERE vnf_instance_id = $1`;
    expect(await system.database.query(refreshes, [url.split('/').at(-1)])).toEqual([]);
    expect((await api.get<JsonObject>(url)).data).toEqual(shown);
    expect(await atRest(api, await terminate(url))).toMatchObject({ operationState: 'COMPLETED' });
    await deleted(url);
  });

  it('after its stack is gone leaves an instance that can be deleted, and the images go with it', async () => {
    const { api, emulator } = system;
    const url = await instantiated();
    const refusal = emulator.faults.add({ kind: 'status', status: 403, method: 'DELETE', path: IMAGES, times: 'always' });
    const op = await atRest(api, await terminate(url));
    await fail(op);
    expect(await refreshOf(url, isDone)).toMatchObject({ outcome: { published: true, stack: false } });
    emulator.faults.remove(refusal);
    const { data } = await api.get<JsonObject>(url);
    expect(data).toMatchObject({ instantiationState: 'NOT_INSTANTIATED' });
    expect(schemaErrors('VnfInstance', data)).toEqual([]);
    await deleted(url);
  });

  it('with its stack still there shows what the stack has, and can be terminated again', async () => {
    const { api } = system;
    const url = await instantiated();
    await fail(await halfDone(url));
    expect(await refreshOf(url, isDone)).toMatchObject({ outcome: { published: true, stack: true } });
    const { data } = await api.get<JsonObject>(url);
    expect(data).toMatchObject({ instantiationState: 'INSTANTIATED' });
    expect(schemaErrors('VnfInstance', data)).toEqual([]);
    expect(await atRest(api, await terminate(url))).toMatchObject({ operationState: 'COMPLETED' });
    await deleted(url);
  });

  it('is not published over what was published later', async () => {
    const { api, emulator, database } = system;
    const url = await instantiated();
    const op = await halfDone(url);
    const refusal = emulator.faults.add({ kind: 'status', status: 403, path: STACKS, times: 'always' });
    await fail(op);
    await refreshOf(url, ({ attempts }) => attempts > 0);
    await database.query(
      `UPDATE lcm.vnf_instance SET version = version + 1, instantiated = jsonb_insert(instantiated, '{images, 0}', '"another"', true) WHERE id = $1`,
      [url.split('/').at(-1)],
    );
    emulator.faults.remove(refusal);
    expect(await refreshOf(url, isDone)).toMatchObject({ outcome: { published: false } });
    expect(await atRest(api, await terminate(url))).toMatchObject({ operationState: 'COMPLETED' });
    await deleted(url);
  });

  it('is published over a modification that came later, which published no resources', async () => {
    const { api, emulator } = system;
    const url = await instantiated();
    const refusal = emulator.faults.add({ kind: 'status', status: 403, method: 'DELETE', path: IMAGES, times: 'always' });
    const op = await atRest(api, await terminate(url));
    const away = emulator.faults.add({ kind: 'status', status: 403, path: STACKS, times: 'always' });
    await fail(op);
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const modified = await api.patch<JsonObject>(url, { vnfInstanceDescription: 'overtakes the refresh' }, { headers });
    expect(await atRest(api, modified)).toMatchObject({ operationState: 'COMPLETED' });
    emulator.faults.remove(away);
    emulator.faults.remove(refusal);
    expect(await refreshOf(url, isDone)).toMatchObject({ outcome: { published: true, stack: false } });
    expect((await api.get<JsonObject>(url)).data).toMatchObject({
      instantiationState: 'NOT_INSTANTIATED',
      vnfInstanceDescription: 'overtakes the refresh',
    });
    await deleted(url);
  });

  it('gives way to an operation that has begun since, and is done with when that has published', async () => {
    const { api, emulator } = system;
    const url = await instantiated();
    const first = await halfDone(url);
    const away = emulator.faults.add({ kind: 'status', status: 403, path: STACKS, times: 'always' });
    await fail(first);
    await refreshOf(url, ({ attempts }) => attempts > 0);
    const later = await terminate(url);
    const op = await atRest(api, later);
    emulator.faults.remove(away);
    expect(op).toMatchObject({ operationState: 'FAILED_TEMP' });
    const busy = await refreshOf(url, ({ error }) => error?.code === 'vnf-instance.busy');
    // Looked at again meanwhile, it waits no longer each time: only failures count as attempts.
    await waitUntil(
      async () => {
        const { error, attempts, changed_at: at } = await refreshOf(url, () => true);
        return error?.code === 'vnf-instance.busy' && at > busy.changed_at ? { attempts } : undefined;
      },
      { for: 'a second look while the instance is busy', within: seconds(60), every: millis(20) },
    ).then(({ attempts }) => expect(attempts).toBe(busy.attempts));
    await api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}/retry`);
    await waitUntil(
      async () => {
        const { data } = await api.get<JsonObject>(`/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}`);
        return data.operationState === 'COMPLETED' ? true : undefined;
      },
      { for: 'the later operation to complete', within: seconds(60), every: millis(50) },
    );
    expect(await refreshOf(url, isDone)).toMatchObject({ outcome: { published: false } });
    await deleted(url);
  });
});

describe.each([
  ['of an instantiation whose image is shared', true],
  ['of an instantiation that has its own image', false],
])('a roll-back %s', (_how, shares) => {
  beforeAll(() => system.replaceCoordinator(shares));

  it.each([
    ['the bytes of its image are refused', { kind: 'status', status: 403, method: 'PUT', path: '/images/.*/file$', times: 1 }],
    ['its stack is refused', { kind: 'status', status: 403, method: 'POST', path: '/stacks$', times: 1 }],
    ['its stack is half made', { kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'No valid host.', times: 1 }],
    ['its stack can’t be read', { kind: 'status', status: 403, method: 'GET', path: '/stacks/.*/resources', times: 'always' }],
  ] as const)('leaves the VIM as it was when %s', async (_what, fault) => {
    const { api, emulator } = system;
    const url = await createVnf(api, vnfdId);
    const armed = emulator.faults.add(fault);
    const op = await atRest(api, await api.post(`${url}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0')));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'FAILED_TEMP' });
    emulator.faults.remove(armed);
    const rolled = await api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}/rollback`);
    expect(await atRest(api, rolled)).toMatchObject({ operationState: 'ROLLED_BACK' });
    await expect.poll(() => JSON.stringify(emulator.inventory()), ONCE_CLEANED_UP).toBe(before);
    expect((await api.delete(url)).status).toBe(204);
  });
});
