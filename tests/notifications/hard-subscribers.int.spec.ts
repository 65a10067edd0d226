import { randomUUID } from 'node:crypto';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startReplica } from '../observability/support/replicas.js';
import { atRest, createVnf, onboard, startSystem, type System } from '../support/system.js';
import { NOTIFYING, subscribe } from './support/notifying.js';
import { Subscriber, type Behaviour } from './support/subscriber.js';

const OPERATIONS = 50;
const STATES = ['MODIFY_INFO PROCESSING', 'MODIFY_INFO COMPLETED'];

let system: System;
let vnfdId: unknown;
const subscribers: Subscriber[] = [];

beforeAll(async () => {
  system = await startSystem({ lcm: NOTIFYING });
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
});
afterEach(async () => {
  for (const { id } of (await system.api.get<JsonObject[]>('/vnflcm/v1/subscriptions')).data)
    expect((await system.api.delete(`/vnflcm/v1/subscriptions/${String(id)}`)).status).toBe(204);
  const faults = subscribers.flatMap((each) => each.faults);
  await Promise.all(subscribers.splice(0).map((each) => each.goAway()));
  expect(faults).toEqual([]);
  const [left] = await system.database.query<[{ n: number }]>('SELECT count(*)::int AS n FROM lcm.notification');
  expect(left.n).toBe(0);
});
afterAll(() => system.close());

async function subscriber(behaviour?: Behaviour, filter?: JsonObject): Promise<Subscriber> {
  const made = await Subscriber.start(behaviour);
  subscribers.push(made);
  await subscribe(system.api, { callbackUri: made.url, ...(filter === undefined ? {} : { filter }) });
  return made;
}

/** Modifies an instance; 50 are 100 notifications. */
async function modify(path: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++)
    expect(await atRest(system.api, await system.api.patch(path, { vnfInstanceDescription: `${n}` }))).toMatchObject({
      operationState: 'COMPLETED',
    });
}

const idOf = (path: string): string => path.split('/').at(-1) ?? '';
const told = (times: number): string[] => Array.from({ length: times }, () => STATES).flat();
const states = async () => (await system.api.get<JsonObject[]>('/windlass/v1/subscriptions')).data;

describe('a subscriber', () => {
  it('hears of an instance and its operations what happened, in order, with a GET never older', async () => {
    let older = 0;
    const good = await subscriber(async (_, { body }) => {
      const { vnfLcmOpOccId, operationState } = JSON.parse(body) as JsonObject;
      if (vnfLcmOpOccId === undefined) return 204;
      const { data } = await system.api.get<JsonObject>(`/vnflcm/v1/vnf_lcm_op_occs/${String(vnfLcmOpOccId)}`);
      if (operationState === 'COMPLETED' && data.operationState !== 'COMPLETED') older += 1;
      return 204;
    });
    const path = await createVnf(system.api, vnfdId);
    await modify(path, 2);
    expect((await system.api.delete(path)).status).toBe(204);
    await good.until(6);
    expect(good.story(idOf(path))).toEqual(['created', ...told(2), 'deleted']);
    expect(older).toBe(0);
    const stamps = good.heard.map(({ timeStamp }) => String(timeStamp));
    expect(new Set(stamps).size).toBe(stamps.length);
    expect([...stamps].sort()).toEqual(stamps);
    expect(new Set(good.heard.map(({ id }) => id)).size).toBe(6);
    expect(good.heard[1]).toMatchObject({ notificationStatus: 'START', isAutomaticInvocation: false });
    expect(good.heard[2]).toMatchObject({ notificationStatus: 'RESULT', changedInfo: { vnfInstanceDescription: '0' } });
  });

  it('hears only what its filter asks for', async () => {
    const wanted = await createVnf(system.api, vnfdId, { vnfInstanceName: 'wanted' });
    const ofInstance = (members: JsonObject) => ({ vnfInstanceSubscriptionFilter: members });
    const completed = await subscriber(undefined, {
      operationStates: ['COMPLETED'],
      notificationTypes: ['VnfLcmOperationOccurrenceNotification'],
    });
    const named = await subscriber(undefined, ofInstance({ vnfInstanceNames: ['wanted'] }));
    const byId = await subscriber(undefined, ofInstance({ vnfInstanceIds: [idOf(wanted)] }));
    const nobody = await subscriber(undefined, ofInstance({ vnfdIds: [randomUUID()] }));
    const scaling = await subscriber(undefined, { operationTypes: ['SCALE'] });
    const other = await createVnf(system.api, vnfdId);
    await modify(other, 1);
    await modify(wanted, 1);
    expect((await system.api.delete(wanted)).status).toBe(204);
    for (const [each, story] of [
      [completed, ['MODIFY_INFO COMPLETED', 'MODIFY_INFO COMPLETED']],
      [named, [...told(1), 'deleted']],
      [byId, [...told(1), 'deleted']],
      [scaling, ['created', 'deleted']],
    ] as const) {
      await each.until(story.length);
      expect(each.story()).toEqual(story);
    }
    expect(nobody.attempts).toBe(0);
  });

  it('that was down for 50 operations, failed each third time or is slow hears all of it, and nothing waits for it', async () => {
    const good = await subscriber();
    const down = await subscriber();
    const failing = await subscriber((attempt) => (attempt % 3 === 0 ? 500 : 204));
    const silent = await subscriber(() => undefined);
    const path = await createVnf(system.api, vnfdId);
    await down.goAway();
    // Two more replicas, one of which goes away in the middle.
    const replicas = await Promise.all(['one', 'two'].map((user) => startReplica(system, { user, more: NOTIFYING })));
    await modify(path, OPERATIONS / 2);
    await replicas[0]?.stop();
    await modify(path, OPERATIONS / 2);
    const all = 1 + 2 * OPERATIONS;
    const story = ['created', ...told(OPERATIONS)];
    await good.until(all);
    await failing.until(all);
    expect(silent.taken).toEqual([]);
    expect(await states()).toContainEqual(
      expect.objectContaining({
        callbackUri: down.url,
        pending: all - down.heard.length,
        lastFailure: expect.stringContaining('refused') as string,
      }),
    );
    await down.comeBack();
    await down.until(all);
    for (const each of [good, down, failing]) expect(each.story(idOf(path))).toEqual(story);
    expect(failing.attempts).toBeGreaterThan(all);
    expect((await states()).find(({ callbackUri }) => callbackUri === down.url)).toMatchObject({
      pending: 0,
      dropped: 0,
      attempts: 0,
    });
    await replicas[1]?.stop();
  }, 300_000);

  it('loses the oldest of what waits beyond the bounds, which is counted', async () => {
    const away = await subscriber();
    const path = await createVnf(system.api, vnfdId);
    await away.until(1);
    await away.goAway();
    const senders = { ...NOTIFYING.notifications?.senders, maxPending: 3, trim: millis(100) };
    const strict = await startReplica(system, { user: 'strict', more: { ...NOTIFYING, notifications: { senders } } });
    await modify(path, 5);
    await waitUntil(
      async (seen) => {
        const [state] = await states();
        seen(JSON.stringify(state));
        return state?.dropped === 7 && state.pending === 3 ? true : undefined;
      },
      { for: 'seven to be dropped', within: seconds(50), every: millis(100) },
    );
    await away.comeBack();
    await away.until(4);
    expect(away.story()).toEqual(['created', ...told(5).slice(-3)]);
    await strict.stop();
  });

  it('hears nothing more once its subscription is deleted, and what waited for it is gone', async () => {
    const away = await subscriber();
    const path = await createVnf(system.api, vnfdId);
    await away.until(1);
    await away.goAway();
    await modify(path, 2);
    const [state] = await states();
    expect(state).toMatchObject({ pending: 4 });
    expect((await system.api.delete(`/vnflcm/v1/subscriptions/${String(state?.id)}`)).status).toBe(204);
    const rows = await system.database.query<unknown[]>('SELECT id FROM lcm.notification WHERE subscription_id = $1', [
      state?.id,
    ]);
    expect(rows).toEqual([]);
  });
});
