import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onboard, registerVim, startSystem, type System } from '../support/system.js';
import { Listener } from './support/listener.js';
import { inState, instantiate, opOccPath, running, startReplica, stepsOf, type Replica } from './support/replicas.js';

let system: System;
let replica: Replica;
let vnfdId: unknown;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
  replica = await startReplica(system);
});

afterAll(async () => {
  await replica.stop();
  await system.close();
});

const slowly = (): void => void system.emulator.faults.add({ kind: 'slow-stack', delayMs: 2_000, times: 1 });
const open = (path: string, lastEventId?: string, of = replica): Promise<Listener> =>
  Listener.open(`${of.url}/windlass/v1/${path}`, of.token, lastEventId);

/** What a client knows in the end is what the record says. */
async function expectWhole(operationId: string, steps: Map<unknown, JsonObject>): Promise<void> {
  const record = await stepsOf(system.api, operationId);
  for (const { id, ...step } of record) expect(steps.get(id), id).toMatchObject(JSON.parse(JSON.stringify(step)) as JsonObject);
  expect(steps.size).toBe(record.length);
}

describe('live events of one operation', () => {
  it('begin with all there is, go on with what changes, and end with the operation', async () => {
    slowly();
    const { operationId } = await instantiate(system.api, vnfdId);
    await running(system.api, operationId);
    const listener = await open(`operations/${operationId}/events`);
    await listener.has('ready');
    expect(listener.heard.find(({ event }) => event === 'ready')).toMatchObject({
      data: { snapshot: true },
      id: expect.any(String) as string,
    });
    expect(listener.steps.size).toBe((await stepsOf(system.api, operationId)).length);
    await listener.until('the end', () => listener.ended);
    expect(listener.states().at(-1)).toBe('COMPLETED');
    expect(listener.heard.at(-1)).toMatchObject({ event: 'end', data: { operationState: 'COMPLETED' } });
    await expectWhole(operationId, listener.steps);
    // A client that comes again after the end is told not to.
    expect((await open(`operations/${operationId}/events`, listener.lastId)).status).toBe(204);
  });

  it('lose nothing while lcm-api is away: another replica goes on from the last id', async () => {
    const first = await startReplica(system, { user: 'first' });
    slowly();
    const { operationId } = await instantiate(system.api, vnfdId);
    await running(system.api, operationId);
    const before = await open(`operations/${operationId}/events`, undefined, first);
    await before.has('ready');
    await first.stop();
    await before.until('the stream to be closed', () => before.ended);
    expect(before.heard.some(({ event }) => event === 'end')).toBe(false);
    await inState(system.api, operationId, 'COMPLETED');
    const after = await open(`operations/${operationId}/events`, before.lastId);
    await after.has('end');
    expect(after.heard.find(({ event }) => event === 'ready')?.data).toEqual({ snapshot: false });
    await expectWhole(operationId, new Map([...before.steps, ...after.steps]));
  });

  it('come in full again for an id that nobody has given', async () => {
    const { operationId } = await instantiate(system.api, vnfdId);
    await inState(system.api, operationId, 'COMPLETED');
    for (const id of ['nonsense', '9'.repeat(18), '-1']) {
      const listener = await open(`operations/${operationId}/events`, id);
      await listener.has('end');
      await expectWhole(operationId, listener.steps);
    }
  });

  it('tell nothing twice while nothing changes, whatever else the database does', async () => {
    slowly();
    const { operationId } = await instantiate(system.api, vnfdId);
    await running(system.api, operationId);
    await system.database.transaction(async (manager) => {
      // A transaction that lasts keeps the position where it is.
      await manager.query('SELECT pg_current_xact_id()');
      const listener = await open(`operations/${operationId}/events`);
      await listener.has('end');
      const told = listener.heard.map(({ event, data }) => JSON.stringify([event, data]));
      expect(new Set(told).size).toBe(told.length);
    });
  });
});

describe('live events of all operations', () => {
  it('are those of the project, of one instance where one is named', async () => {
    const stranger = await startReplica(system, { tenant: 'other', user: 'stranger' });
    const strange = await open('events?steps=true', undefined, stranger);
    const all = await open('events');
    await Promise.all([strange.has('ready'), all.has('ready')]);
    slowly();
    const one = await instantiate(system.api, vnfdId);
    const ofOne = await open(`events?steps=true&vnfInstanceId=${one.instance}`);
    const other = await instantiate(system.api, vnfdId);
    const completed = (listener: Listener, id: string): boolean =>
      listener.heard.some(({ data }) => data.id === id && data.operationState === 'COMPLETED');
    await all.until('both to complete', () => completed(all, one.operationId) && completed(all, other.operationId));
    await ofOne.until('the one to complete', () => completed(ofOne, one.operationId));
    await expectWhole(one.operationId, ofOne.steps);
    expect(ofOne.heard.some(({ data }) => data.id === other.operationId || data.operationId === other.operationId)).toBe(false);
    expect(all.steps.size).toBe(0);
    expect(strange.heard.map(({ event }) => event)).toEqual(['ready']);
    expect((await open(`operations/${one.operationId}/events`, undefined, stranger)).status).toBe(404);
    for (const listener of [strange, all, ofOne]) listener.close();
    await stranger.stop();
  });

  it('refuse who has no token, too many streams, and a parameter that means nothing', async () => {
    expect((await Listener.open(`${replica.url}/windlass/v1/events`, 'no-such-token')).status).toBe(401);
    expect((await open('events?vnfInstanceId=nonsense')).status).toBe(400);
    const narrow = await startReplica(system, { user: 'narrow', more: { events: { streams: 3, streamsPerProject: 2 } } });
    const listeners = [await open('events', undefined, narrow), await open('events', undefined, narrow)];
    expect((await open('events', undefined, narrow)).status).toBe(429);
    listeners[0]!.close();
    const again = await waitUntil(
      async (seen) => {
        const listener = await open('events', undefined, narrow);
        seen(String(listener.status));
        return listener.status === 200 ? listener : undefined;
      },
      { for: 'the place to be free again', within: seconds(30), every: seconds(0.05) },
    );
    again.close();
    listeners[1]!.close();
    await narrow.stop();
  });
});

describe('a client that takes nothing in', () => {
  it('is let go, and neither the operation nor another client waits for it', async () => {
    const hasty = await startReplica(system, {
      user: 'hasty',
      more: { events: { patience: millis(500), heartbeat: millis(1), pause: millis(1), poll: millis(1) } },
    });
    slowly();
    const { operationId } = await instantiate(system.api, vnfdId);
    await running(system.api, operationId);
    const stalled = await open('events?steps=true', undefined, hasty);
    stalled.stall();
    const lively = await open(`operations/${operationId}/events`, undefined, hasty);
    await lively.has('end');
    await expectWhole(operationId, lively.steps);
    const { operationState } = (await system.api.get<JsonObject>(opOccPath(operationId))).data;
    expect(operationState).toBe('COMPLETED');
    stalled.close();
    // Stopping waits for no stream.
    await hasty.stop();
  });
});
