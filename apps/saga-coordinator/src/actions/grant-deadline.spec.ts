import { randomUUID } from 'node:crypto';
import { hours, millis, minutes, TerminalError, TransientError, type Duration } from '@windlass/foundation';
import { MemoryLcmStore, opOccRecord } from '@windlass/lifecycle/testing';
import type { StepRun } from '@windlass/saga';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { requestGrant } from './grant.actions.js';

const ACCEPTED = new Date('2026-11-23T12:00:00Z');

let store: MemoryLcmStore;
let operationId: string;

beforeEach(() => {
  store = new MemoryLcmStore();
  operationId = randomUUID();
  store.accept({ ...opOccRecord({ id: operationId, vnfInstanceId: randomUUID() }), startTime: ACCEPTED });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The journal's clock, and this process's own. */
function clocks(journal: Duration, own: Duration): void {
  store.now = () => new Date(ACCEPTED.getTime() + journal);
  vi.useFakeTimers({ toFake: ['Date'], now: ACCEPTED.getTime() + own });
}

/** What becomes of an attempt that found nobody to ask: the default of an hour is how long it waits. */
async function attempt(number = 1): Promise<unknown> {
  const run: StepRun<{ request: string }> = {
    operationId,
    stepId: 'request-grant',
    epoch: 1,
    attempt: number,
    attemptEpoch: 1,
    resumed: false,
    phase: 'do',
    target: null,
    tenant: 'default',
    input: { request: '{}' },
    signal: new AbortController().signal,
    assertLease: () => undefined,
    leaseLeft: () => minutes(1),
    onlyWaits: () => undefined,
    progress: () => undefined,
  };
  return requestGrant.apply({ run, store, nfvo: undefined }).catch((error: unknown) => error);
}

describe('how long an NFVO is waited for', () => {
  it.each([
    ['ahead', hours(5)],
    ['behind', 0 - hours(5)],
  ])('is counted by the journal’s clock, where this coordinator’s is hours %s', async (_how, own) => {
    clocks(minutes(59), millis(own));
    const error = await attempt();
    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ code: 'grant.no-nfvo', retryAfter: 1_000 });
    clocks(minutes(60), millis(own));
    const late = await attempt();
    expect(late).toBeInstanceOf(TerminalError);
    expect(late).toMatchObject({ code: 'grant.too-late' });
  });

  it('is never passed over by a pause', async () => {
    clocks(millis(hours(1) - 300), millis(0));
    expect(await attempt(20)).toMatchObject({ retryAfter: 300 });
  });
});
