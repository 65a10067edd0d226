import { randomUUID } from 'node:crypto';
import { millis, minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import type { AxiosResponse } from 'axios';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { ONCE_CLEANED_UP } from '../support/cleaned-up.js';
import {
  atRest,
  createVnf,
  onboard,
  onboardZip,
  registerVim,
  sampleRequest,
  startSystem,
  type System,
} from '../support/system.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';

// Some wait for three operations, one after the other.
vi.setConfig({ testTimeout: 300_000 });

let system: System;
const vnfdId = randomUUID();
let simpleVm: unknown;
const STACK = '/stacks/vnf-[0-9a-f-]{36}/[0-9a-f-]{36}$';

beforeAll(async () => {
  // A worker hears of a cancel when it renews: every two seconds.
  system = await startSystem({ policy: { lease: seconds(6) } });
  await registerVim(system);
  await onboardZip(system.api, scalingPackage(vnfdId));
  ({ vnfdId: simpleVm } = await onboard(system.api, 'simple-vm'));
});
afterAll(() => system.close());
afterEach(() => system.emulator.faults.clear());

/** Of the VNFs' own stacks, without those nested in them. */
const stacks = (): string[] =>
  system.emulator
    .inventory()
    .flatMap((project) => project.stacks.filter(({ name }) => /^vnf-[0-9a-f-]{36}$/.test(name)).map(({ status }) => status));
const stack = (status: string) =>
  waitUntil(
    (seen) => {
      seen(stacks().join(', '));
      return Promise.resolve(stacks().includes(status) || undefined);
    },
    { for: `a stack to be ${status}`, within: minutes(2), every: millis(20) },
  );
const slow = (by: number): void =>
  void system.emulator.faults.add({ kind: 'slow-stack', delayMs: by, stackName: '^vnf-', times: 1 });
const pathOf = (accepted: AxiosResponse<JsonObject>): string => new URL(String(accepted.headers.location)).pathname;

async function cancelled(accepted: AxiosResponse<JsonObject>, cancelMode: 'FORCEFUL' | 'GRACEFUL'): Promise<JsonObject> {
  const answer = await system.api.post(`${pathOf(accepted)}/cancel`, { cancelMode });
  expect(answer.status).toBe(202);
  const op = await atRest(system.api, accepted, minutes(2));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'FAILED_TEMP', isCancelPending: false });
  return op;
}

async function task(accepted: AxiosResponse<JsonObject>, name: 'retry' | 'rollback'): Promise<JsonObject> {
  await system.api.post(`${pathOf(accepted)}/${name}`, {});
  return atRest(system.api, accepted, minutes(2));
}

/** What the steps of the operation say of their ends. */
async function errorsOf(accepted: AxiosResponse<JsonObject>): Promise<unknown[]> {
  const id = pathOf(accepted).split('/').at(-1) ?? '';
  const { data } = await system.api.get<{ error: { code: string } | null }[]>(`/windlass/v1/operations/${id}/steps`);
  return data.flatMap(({ error }) => (error === null ? [] : [error.code]));
}

describe('a scaling while Heat updates the stack', () => {
  let vnf: VnfView;
  beforeEach(async () => {
    vnf = await vnfView(system, vnfdId, scalingRequest('net0'));
  });
  afterEach(async () => {
    system.emulator.faults.clear();
    await vnf.remove();
  });
  const updates = (): number => system.emulator.count('PATCH', new RegExp(STACK));
  const underWay = async (takes: number): Promise<AxiosResponse<JsonObject>> => {
    slow(takes);
    const accepted = await system.api.post<JsonObject>(`${vnf.url}/scale`, { type: 'SCALE_OUT', aspectId: 'worker' });
    await stack('UPDATE_IN_PROGRESS');
    return accepted;
  };

  it('is stopped in Heat by a forceful cancel; retry asks for the update again, and completes', async () => {
    const before = await vnf.vnfcs();
    const accepted = await underWay(minutes(10));
    const count = updates();
    await cancelled(accepted, 'FORCEFUL');
    expect(stacks()).toEqual(['UPDATE_FAILED']);
    expect(await errorsOf(accepted)).toEqual(['step.cancelled']);
    expect(await task(accepted, 'retry')).toMatchObject({ operationState: 'COMPLETED' });
    expect(updates()).toBe(count + 1);
    expect(await vnf.ofVdu('node')).toHaveLength(2);
    expect(await vnf.vnfcs()).toEqual(expect.arrayContaining(before));
  });

  it('is taken back by rollback after that: the old size, and the members that there were', async () => {
    const before = await vnf.vnfcs();
    const accepted = await underWay(minutes(10));
    await cancelled(accepted, 'FORCEFUL');
    expect(await task(accepted, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(stacks()).toEqual(['UPDATE_COMPLETE']);
    expect(await vnf.vnfcs()).toEqual(before);
    expect(await vnf.servers()).toHaveLength(4);
  });

  it('comes to its end in Heat when the cancel is graceful, and retry finds it done', async () => {
    const accepted = await underWay(seconds(3));
    const count = updates();
    await cancelled(accepted, 'GRACEFUL');
    expect(stacks()).toEqual(['UPDATE_COMPLETE']);
    expect(await task(accepted, 'retry')).toMatchObject({ operationState: 'COMPLETED' });
    expect(updates()).toBe(count);
    expect(await vnf.ofVdu('node')).toHaveLength(2);
  });

  it('is stopped in the middle of its roll-back too, and rolling back goes on when a person says so', async () => {
    const before = await vnf.vnfcs();
    const accepted = await underWay(minutes(10));
    await cancelled(accepted, 'FORCEFUL');
    slow(minutes(10));
    await system.api.post(`${pathOf(accepted)}/rollback`, {});
    await stack('UPDATE_IN_PROGRESS');
    await cancelled(accepted, 'FORCEFUL');
    expect(stacks()).toEqual(['UPDATE_FAILED']);
    expect(await task(accepted, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(await vnf.vnfcs()).toEqual(before);
  });
});

describe('an instantiation while Heat makes the stack', () => {
  let url: string;
  beforeEach(async () => {
    const created = await system.api.post<JsonObject>('/vnflcm/v1/vnf_instances', { vnfdId });
    url = new URL(String(created.headers.location)).pathname;
  });
  const instantiate = () => system.api.post<JsonObject>(`${url}/instantiate`, scalingRequest('net0'));
  const nothingLeft = async (accepted: AxiosResponse<JsonObject>): Promise<void> => {
    expect(await task(accepted, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(stacks()).toEqual([]);
    expect((await system.api.delete(url)).status).toBe(204);
  };

  it('is stopped in Heat by a forceful cancel; retry makes the stack anew', async () => {
    slow(minutes(10));
    const accepted = await instantiate();
    await stack('CREATE_IN_PROGRESS');
    await cancelled(accepted, 'FORCEFUL');
    expect(stacks()).toEqual(['CREATE_FAILED']);
    expect(await errorsOf(accepted)).toEqual(['step.cancelled']);
    expect(await task(accepted, 'retry')).toMatchObject({ operationState: 'COMPLETED' });
    expect(stacks()).toEqual(['CREATE_COMPLETE']);
    await atRest(system.api, await system.api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }), minutes(2));
    expect((await system.api.delete(url)).status).toBe(204);
  });

  it('is stopped where the cancel came before Heat had answered: the answer is waited for, and names what to stop', async () => {
    slow(minutes(10));
    system.emulator.faults.add({ kind: 'hang', forMs: seconds(6), method: 'POST', path: '/stacks$', times: 1 });
    const accepted = await instantiate();
    // A fault that has struck as often as it should is no longer armed.
    const isHeld = (): boolean => !system.emulator.faults.list().some(({ fault }) => fault.kind === 'hang');
    await waitUntil(() => Promise.resolve(isHeld() || undefined), {
      for: 'the request to be held',
      within: minutes(1),
      every: millis(20),
    });
    await cancelled(accepted, 'FORCEFUL');
    expect(stacks()).toEqual(['CREATE_FAILED']);
    await nothingLeft(accepted);
  });

  it('has to let a deletion go on that Heat has begun, and says so', async () => {
    slow(minutes(10));
    const accepted = await instantiate();
    await stack('CREATE_IN_PROGRESS');
    await cancelled(accepted, 'FORCEFUL');
    slow(seconds(8));
    await system.api.post(`${pathOf(accepted)}/rollback`, {});
    await stack('DELETE_IN_PROGRESS');
    await cancelled(accepted, 'FORCEFUL');
    expect(await errorsOf(accepted)).toEqual(['step.not-confirmed-stopped']);
    await nothingLeft(accepted);
  });
});

/** An instantiation whose upload Glance does not answer, for so long or for good. */
const held = async (forMs?: number): Promise<AxiosResponse<JsonObject>> => {
  const hang = { kind: 'hang', method: 'PUT', path: '/file$', times: 1, ...(forMs === undefined ? {} : { forMs }) } as const;
  system.emulator.faults.add(hang);
  const url = await createVnf(system.api, simpleVm);
  const accepted = await system.api.post<JsonObject>(
    `${url}/instantiate`,
    await sampleRequest('instantiate-simple-vm.json', 'net0'),
  );
  await waitUntil(() => Promise.resolve(system.emulator.faults.list().length === 0 || undefined), {
    for: 'the upload to begin',
    within: minutes(1),
    every: millis(20),
  });
  return accepted;
};

describe.each([
  ['that is to be shared', true],
  ['of one VNF', false],
])('an image %s, on its way to Glance', (_whose, shares) => {
  let before: string;
  beforeAll(async () => {
    await system.replaceCoordinator(shares);
    before = JSON.stringify(system.emulator.inventory());
  });
  const asBefore = (): Promise<void> =>
    expect.poll(() => JSON.stringify(system.emulator.inventory()), ONCE_CLEANED_UP).toBe(before);
  const uploads = (status: number): number =>
    system.emulator.requests.filter((seen) => seen.path.endsWith('/file') && seen.status === status).length;
  const images = (): string[] => system.emulator.inventory().flatMap((project) => project.images.map(({ id }) => id));

  it('is torn off by a forceful cancel, and what Glance had of it is gone before anybody says more', async () => {
    const known = images();
    const accepted = await held();
    await cancelled(accepted, 'FORCEFUL');
    expect(images()).toEqual(known);
    expect(await errorsOf(accepted)).toEqual(['step.cancelled']);
    expect(await task(accepted, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    await asBefore();
  });

  it('comes to its end when the cancel is graceful, and is removed by the roll-back', async () => {
    const ended = uploads(204);
    const accepted = await held(seconds(4));
    await cancelled(accepted, 'GRACEFUL');
    expect(uploads(204)).toBe(ended + 1);
    expect(await errorsOf(accepted)).toEqual([]);
    expect(await task(accepted, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
    await asBefore();
  });
});

describe('a shared image on its way to Glance that another VNF waits for', () => {
  const waits = (accepted: AxiosResponse<JsonObject>) =>
    waitUntil(
      async (seen) => {
        const id = pathOf(accepted).split('/').at(-1);
        const rows = await system.database.query<JsonObject[]>(
          "SELECT state, epoch, blocked_on FROM lcm.step WHERE operation_id = $1 AND action = 'share-image'",
          [id],
        );
        seen(JSON.stringify(rows));
        return String(rows[0]?.blocked_on).startsWith('image:') || undefined;
      },
      { for: 'the other to wait for the image', within: minutes(1), every: millis(20) },
    );

  it.each(['FORCEFUL', 'GRACEFUL'] as const)(
    'is there for the other when the one that uploads is cancelled, %s, and rolled back',
    async (mode) => {
      await system.replaceCoordinator(true);
      const before = JSON.stringify(system.emulator.inventory());
      const first = await held(mode === 'GRACEFUL' ? seconds(4) : undefined);
      const url = await createVnf(system.api, simpleVm);
      const other = await system.api.post<JsonObject>(
        `${url}/instantiate`,
        await sampleRequest('instantiate-simple-vm.json', 'net0'),
      );
      await waits(other);
      await cancelled(first, mode);
      expect(await task(first, 'rollback')).toMatchObject({ operationState: 'ROLLED_BACK' });
      expect(await atRest(system.api, other, minutes(2))).toMatchObject({ operationState: 'COMPLETED' });
      await atRest(system.api, await system.api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }), minutes(2));
      await expect.poll(() => JSON.stringify(system.emulator.inventory()), ONCE_CLEANED_UP).toBe(before);
    },
  );
});
