import { randomUUID } from 'node:crypto';
import { hours, millis, minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import type { BoundAction } from '@windlass/saga';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { program } from '../support/program.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import { keptSnapshot } from './support/kept-snapshot.js';

const DRIVER = 'mgmt-drivers-clusters';
const SERVICE = 'clusters-mgmt';
const NOTE = 'no snapshot of the control plane was kept: its disk is full';
const vnfdId = randomUUID();

let system: System;
let driver: TestDriver;
let worker: TestWorker;
let id: string;

/** What the driver's step does: keeps one, notes why not, or takes for ever and ends when it is told to. */
let does: 'keep' | 'note' | 'hang' = 'keep';
/** How often it began, and how often it was ended. */
const seen = { begun: 0, ended: 0 };

const actions: BoundAction[] = [
  {
    key: 'keep-snapshot@1',
    retry: { attempts: 1, backoff: 0 },
    within: undefined,
    apply: async ({ operationId, signal }) => {
      seen.begun += 1;
      if (does === 'hang') {
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve());
        });
        seen.ended += 1;
        signal.throwIfAborted();
      }
      if (does === 'note') return { notes: [NOTE] };
      await keptSnapshot(system, id, Buffer.from('an archive'), { operationId });
      return undefined;
    },
  },
];

/** The package binds its instantiation's end to the driver, and no hook of a modification. */
const bound = (vnfd: string): string =>
  vnfd.replace(
    '\n    VDU1:',
    `\n      interfaces:\n        Vnflcm:\n          instantiate_end: { implementation: ${DRIVER} }\n    VDU1:`,
  );

beforeAll(async () => {
  system = await startSystem({ snapshots: { every: hours(24), lookEvery: millis(200) } });
  await registerVim(system);
  worker = await startTestWorker(system, SERVICE, actions);
  driver = await startTestDriver(system, DRIVER, {
    service: SERVICE,
    hooks: ['instantiate_end', 'modify_information_end'],
    actions: [{ name: 'keep-snapshot', version: 1 }],
    plan: ({ request }) => ({
      root: {
        kind: 'sequence',
        of:
          request.windlassSnapshots === 'take'
            ? [
                {
                  kind: 'step',
                  id: 'keep-snapshot',
                  action: 'keep-snapshot',
                  version: 1,
                  service: SERVICE,
                  input: {},
                  traits: { contributes: true, undoable: false },
                },
              ]
            : [],
      },
    }),
  });
  await onboardZip(system.api, scalingPackage(vnfdId, bound));
});
beforeEach(async () => {
  does = 'keep';
  Object.assign(seen, { begun: 0, ended: 0 });
  const url = await createVnf(system.api, vnfdId);
  const op = await atRest(system.api, await system.api.post(`${url}/instantiate`, scalingRequest('net0')));
  expect(op).toMatchObject({ operationState: 'COMPLETED' });
  id = url.split('/').at(-1)!;
});
afterAll(async () => {
  await worker.stop();
  await driver.stop();
  await system.close();
});

/** The instance's last operation was two days ago, so that its first snapshot is due. */
const due = (): Promise<unknown> =>
  system.database.query(
    `UPDATE lcm.vnf_lcm_op_occ SET state_entered_time = state_entered_time - interval '2 days' WHERE vnf_instance_id = $1`,
    [id],
  );

const path = (of: string): string => `/windlass/v1/vnf_instances/${id}/${of}`;
const attempts = async () => (await system.api.get<JsonObject[]>(path('snapshot_attempts'))).data;
const snapshots = async () => (await system.api.get<JsonObject[]>(path('snapshots'))).data;

/** Waits until the newest attempt is as it is said to be. */
const tried = (state: string) =>
  waitUntil(async () => ((await attempts())[0]?.state === state ? (await attempts())[0] : undefined), {
    for: `an attempt that is ${state}`,
    within: minutes(1),
    every: millis(100),
  });

/** Waits until no saga of the instance is in flight, so that none keeps its place in the schedule. */
const over = () =>
  waitUntil(
    async () => {
      const sql = `SELECT 1 FROM lcm.internal_operation WHERE vnf_instance_id = $1 AND state = 'PENDING'`;
      return (await system.database.query<unknown[]>(sql, [id])).length === 0 || undefined;
    },
    { for: 'the end of the saga', within: minutes(1), every: millis(100) },
  );

/** What SOL003's clients see of the instance's operations. */
async function listed(): Promise<string[]> {
  const { data } = await system.api.get<JsonObject[]>(`/vnflcm/v1/vnf_lcm_op_occs?filter=(eq,vnfInstanceId,${id})`);
  return data.map(({ operation }) => String(operation));
}

describe('a snapshot of a cluster’s control plane by the schedule', () => {
  it('is taken when it is due, once, and no client of the standard sees anything of it', async () => {
    expect(await attempts()).toEqual([]);
    await due();
    const attempt = await tried('KEPT');
    expect(await snapshots()).toMatchObject([{ operationId: attempt.id }]);
    expect(await listed()).toEqual(['INSTANTIATE']);
    expect((await program(system, 'vnf', 'snapshots', id)).at(-1)).toMatch(/^the schedule tried last at \d{4}-\S+: kept$/);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect([(await attempts()).length, seen.begun]).toEqual([1, 1]);
  });

  it('that could not be kept is told with why, is not tried again at once, and holds nothing up', async () => {
    does = 'note';
    await due();
    expect(await tried('FAILED')).toMatchObject({ reason: NOTE });
    expect((await program(system, 'vnf', 'snapshots', id)).at(-1)).toContain(`none was kept: ${NOTE}`);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await attempts()).length).toBe(1);
    const { data } = await system.api.get<JsonObject[]>('/windlass/v1/clean_ups');
    expect(data).toEqual([]);
  });

  it('gives way: an operation that is asked for meanwhile is accepted, is done, and the step is ended', async () => {
    does = 'hang';
    await due();
    await waitUntil(() => Promise.resolve(seen.begun > 0 || undefined), {
      for: 'the step',
      within: seconds(60),
      every: millis(50),
    });
    const accepted = await system.api.post(`/vnflcm/v1/vnf_instances/${id}/scale`, { type: 'SCALE_OUT', aspectId: 'worker' });
    expect(accepted.status, JSON.stringify(accepted.data)).toBe(202);
    expect(await tried('GAVE_WAY')).toMatchObject({ reason: 'an operation of the VNF instance went before it' });
    expect(seen).toEqual({ begun: 1, ended: 1 });
    expect(await atRest(system.api, accepted)).toMatchObject({ operation: 'SCALE', operationState: 'COMPLETED' });
    expect(await snapshots()).toEqual([]);
  });

  it('goes on where the coordinator that began it ends in the middle', async () => {
    let go = (): void => undefined;
    driver.before = () => new Promise((resolve) => (go = resolve));
    await due();
    await waitUntil(
      () =>
        Promise.resolve(
          driver.told.at(-1)?.vnfInstanceId === id && driver.told.at(-1)?.hook === 'modify_information_end' ? true : undefined,
        ),
      {
        for: 'the driver to be asked',
        within: seconds(60),
        every: millis(50),
      },
    );
    driver.before = () => Promise.resolve();
    const replaced = system.replaceCoordinator();
    go();
    await replaced;
    const attempt = await tried('KEPT');
    expect(await snapshots()).toMatchObject([{ operationId: attempt.id }]);
    expect((await attempts()).length).toBe(1);
  });

  it('lets the instance be terminated and deleted, whatever was tried of it', async () => {
    does = 'hang';
    await due();
    await waitUntil(() => Promise.resolve(seen.begun > 0 || undefined), {
      for: 'the step',
      within: seconds(60),
      every: millis(50),
    });
    const url = `/vnflcm/v1/vnf_instances/${id}`;
    const terminated = await system.api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' });
    expect(await atRest(system.api, terminated)).toMatchObject({ operationState: 'COMPLETED' });
    expect((await system.api.delete(url)).status).toBe(204);
    await over();
    await waitUntil(() => Promise.resolve(seen.ended > 0 || undefined), {
      for: 'its end',
      within: seconds(60),
      every: millis(50),
    });
  });
});
