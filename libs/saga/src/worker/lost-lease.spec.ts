import { TransientError } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CoordinatorClient, RenewReply, RenewRequest } from '../coordinator/messages.js';
import { Lease } from './lease.js';

/** Milliseconds, of a clock that moves only when a test says so: renewed after a third of it, given up after four fifths. */
const LEASE = 15_000;
const RENEWED_AFTER = LEASE / 3;
const GIVEN_UP_AFTER = (LEASE * 4) / 5;

type Renew = (request: RenewRequest, signal?: AbortSignal) => Promise<RenewReply>;

function leased(renew: Renew, leaseFor = LEASE) {
  const troubles: unknown[] = [];
  const asked: RenewRequest[] = [];
  const client = {
    renew: (request: RenewRequest, signal?: AbortSignal) => {
      asked.push(request);
      return renew(request, signal);
    },
  } as CoordinatorClient;
  const sentAt = performance.now();
  const lease = new Lease({ operationId: 'op', stepId: 's', epoch: 7 }, client, leaseFor, sentAt, (error) =>
    troubles.push(error),
  );
  let after: number | undefined;
  lease.signal.addEventListener('abort', () => (after = performance.now() - sentAt));
  return { lease, troubles, asked, endedAfter: () => after };
}

const granted: Renew = () => Promise.resolve({ verdict: 'journaled', leaseFor: LEASE });
const unanswered: Renew = () => Promise.reject(new TransientError('messaging.no-answer', 'no answer'));
const pass = (time: number) => vi.advanceTimersByTimeAsync(time);
/** Blocks the whole process, as SIGSTOP does to the outside. */
const block = (milliseconds: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

describe('a lease on the worker’s side', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('lasts as long as it is renewed, and carries the last line of progress', async () => {
    const { lease, asked } = leased(granted);
    lease.progress('first');
    lease.progress('second');
    await pass(LEASE * 2);
    expect(asked).toHaveLength(6);
    expect(lease.signal.aborted).toBe(false);
    expect(asked[0]).toEqual({ operationId: 'op', stepId: 's', epoch: 7, progress: 'second' });
    expect(lease.left).toBeGreaterThan(0);
    lease.assert();
    lease.close();
  });

  it.each<[string, Renew]>([
    ['nobody answers', unanswered],
    ['the answer never comes', () => new Promise(() => undefined)],
    ['renewals fail in a way nobody knows', () => Promise.reject(new Error('out of order'))],
  ])('ends by itself before the coordinator’s does, when %s', async (_what, renew) => {
    const { lease, endedAfter } = leased(renew);
    await pass(LEASE);
    expect(endedAfter()).toBe(GIVEN_UP_AFTER);
    expect(lease.reason).toBe('lease-lost');
    expect(lease.left).toBe(0);
    expect(() => lease.assert()).toThrow('the step was stopped: lease-lost');
  });

  it('tells of a renewal that fails in a way nobody knows, and not of one that is only unanswered', async () => {
    const silent = leased(unanswered);
    const loud = leased(() => Promise.reject(new Error('out of order')));
    await pass(LEASE);
    expect(silent.asked.length).toBeGreaterThan(1);
    expect(silent.troubles).toEqual([]);
    expect(loud.troubles[0]).toMatchObject({ message: 'out of order' });
  });

  it('survives renewals that are not answered for a while', async () => {
    const until = performance.now() + LEASE / 2;
    const { lease } = leased((...request) => (performance.now() < until ? unanswered(...request) : granted(...request)));
    await pass(LEASE * 1.5);
    expect(lease.signal.aborted).toBe(false);
    lease.close();
  });

  it('survives a coordinator that keeps every other renewal without an answer', async () => {
    let count = 0;
    const { lease } = leased((...request) => (count++ % 2 === 0 ? new Promise(() => undefined) : granted(...request)));
    await pass(LEASE * 2.5);
    expect(lease.signal.aborted).toBe(false);
    lease.close();
  });

  it('ends at once when the coordinator says that another claim came later', async () => {
    const { lease, endedAfter } = leased(() => Promise.resolve({ verdict: 'stale', leaseFor: LEASE }));
    await pass(LEASE);
    expect(endedAfter()).toBe(RENEWED_AFTER);
    expect(lease.reason).toBe('lease-lost');
  });

  it('counts from when its renewal was sent, not from when it was answered', async () => {
    const answeredAfter = LEASE / 3;
    const { lease } = leased(async (...request) => {
      await new Promise((resolve) => setTimeout(resolve, answeredAfter));
      return granted(...request);
    });
    await pass(RENEWED_AFTER + answeredAfter);
    expect(lease.left).toBe(GIVEN_UP_AFTER - answeredAfter);
    lease.close();
  });

  it('tells of a forceful cancel and goes on being renewed, so that what runs outside can be ended', async () => {
    const { lease, asked } = leased(() => Promise.resolve({ verdict: 'journaled', leaseFor: LEASE, cancel: 'FORCEFUL' }));
    await pass(RENEWED_AFTER);
    expect(lease.reason).toBe('cancelled');
    expect(() => lease.assert()).toThrow('cancelled');
    lease.assertHeld();
    const before = asked.length;
    await pass(LEASE * 1.2);
    expect(asked.length).toBeGreaterThan(before);
    lease.assertHeld();
    lease.close();
  });

  it('asks nothing more when it is closed, and its end means nothing then', async () => {
    const { lease, asked } = leased(granted);
    lease.close();
    await pass(LEASE * 1.1);
    expect(asked).toEqual([]);
    expect(lease.signal.aborted).toBe(false);
  });
});

describe('a process that was stopped for longer than its lease', () => {
  it('does not trust it, not even before its timers run', () => {
    const short = 300;
    const { lease } = leased(granted, short);
    block(short);
    expect(() => lease.assert()).toThrow('lease-lost');
    expect(lease.signal.aborted).toBe(true);
  });
});
