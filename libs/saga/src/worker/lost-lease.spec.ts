import { millis, TransientError, waitUntil } from '@windlass/foundation';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CoordinatorClient, RenewReply, RenewRequest } from '../coordinator/messages.js';
import { Lease } from './lease.js';

/** Milliseconds. Long enough that a busy machine keeps a renewed one, short enough to wait for its end. */
const LEASE = 3_000;

type Renew = (request: RenewRequest, signal?: AbortSignal) => Promise<RenewReply>;

function leased(renew: Renew) {
  const troubles: unknown[] = [];
  const asked: RenewRequest[] = [];
  const client = {
    renew: (request: RenewRequest, signal?: AbortSignal) => {
      asked.push(request);
      return renew(request, signal);
    },
  } as CoordinatorClient;
  const sentAt = performance.now();
  const lease = new Lease({ operationId: 'op', stepId: 's', epoch: 7 }, client, LEASE, sentAt, (error) => troubles.push(error));
  const ended = new Promise<number>((resolve) =>
    lease.signal.addEventListener('abort', () => resolve(performance.now() - sentAt)),
  );
  return { lease, troubles, asked, ended, sentAt };
}

const granted: Renew = () => Promise.resolve({ verdict: 'journaled', leaseFor: LEASE });
const unanswered: Renew = () => Promise.reject(new TransientError('messaging.no-answer', 'no answer'));
/** Blocks the whole process, as SIGSTOP does to the outside. */
const block = (milliseconds: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

describe.concurrent('a lease on the worker’s side', () => {
  it('lasts as long as it is renewed, and carries the last line of progress', async () => {
    const { lease, asked } = leased(granted);
    lease.progress('first');
    lease.progress('second');
    await waitUntil(() => Promise.resolve(asked.length >= 6 ? true : undefined), {
      for: 'six renewals',
      within: millis(LEASE * 10),
      every: millis(20),
    });
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
    const { lease, ended } = leased(renew);
    const after = await ended;
    expect(after).toBeLessThan(LEASE);
    expect(after).toBeGreaterThan(LEASE / 2);
    expect(lease.reason).toBe('lease-lost');
    expect(lease.left).toBe(0);
    expect(() => lease.assert()).toThrow('the step was stopped: lease-lost');
  });

  it('tells of a renewal that fails in a way nobody knows, and not of one that is only unanswered', async () => {
    const silent = leased(unanswered);
    const loud = leased(() => Promise.reject(new Error('out of order')));
    await Promise.all([silent.ended, loud.ended]);
    expect(silent.troubles).toEqual([]);
    expect(loud.troubles[0]).toMatchObject({ message: 'out of order' });
  });

  it('survives renewals that are not answered for a while', async () => {
    const until = performance.now() + LEASE / 2;
    const { lease, sentAt } = leased((...request) => (performance.now() < until ? unanswered(...request) : granted(...request)));
    await pause(LEASE * 1.5);
    expect(performance.now() - sentAt).toBeGreaterThan(LEASE);
    expect(lease.signal.aborted).toBe(false);
    lease.close();
  });

  it('survives a coordinator that keeps every other renewal without an answer', async () => {
    let count = 0;
    const { lease, sentAt } = leased((...request) => (count++ % 2 === 0 ? new Promise(() => undefined) : granted(...request)));
    await pause(LEASE * 2.5);
    expect(performance.now() - sentAt).toBeGreaterThan(LEASE * 2);
    expect(lease.signal.aborted).toBe(false);
    lease.close();
  });

  it('ends at once when the coordinator says that another claim came later', async () => {
    const { lease, ended } = leased(() => Promise.resolve({ verdict: 'stale', leaseFor: LEASE }));
    expect(await ended).toBeLessThan(LEASE / 2);
    expect(lease.reason).toBe('lease-lost');
  });

  it('counts from when its renewal was sent, not from when it was answered', async () => {
    const { lease, asked } = leased(async (...request) => {
      await pause(LEASE / 3);
      return granted(...request);
    });
    await waitUntil(() => Promise.resolve(asked.length > 0 ? true : undefined), {
      for: 'a renewal to be sent',
      within: millis(LEASE),
      every: millis(1),
    });
    await pause(LEASE / 3 + 20);
    expect(lease.left).toBeGreaterThan(0);
    expect(lease.left).toBeLessThan(LEASE * 0.8 - LEASE / 3);
    lease.close();
  });

  it('tells of a forceful cancel and goes on being renewed, so that what runs outside can be ended', async () => {
    const { lease, asked, ended } = leased(() => Promise.resolve({ verdict: 'journaled', leaseFor: LEASE, cancel: 'FORCEFUL' }));
    await ended;
    expect(lease.reason).toBe('cancelled');
    expect(() => lease.assert()).toThrow('cancelled');
    lease.assertHeld();
    const before = asked.length;
    await pause(LEASE * 1.2);
    expect(asked.length).toBeGreaterThan(before);
    lease.assertHeld();
    lease.close();
  });

  it('asks nothing more when it is closed, and its end means nothing then', async () => {
    const { lease, asked } = leased(granted);
    lease.close();
    await pause(LEASE * 1.1);
    expect(asked).toEqual([]);
    expect(lease.signal.aborted).toBe(false);
  });
});

describe('a process that was stopped for longer than its lease', () => {
  it('does not trust it, not even before its timers run', () => {
    const { lease } = leased(granted);
    block(LEASE);
    expect(() => lease.assert()).toThrow('lease-lost');
    expect(lease.signal.aborted).toBe(true);
  });
});
