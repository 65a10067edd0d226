import { millis, seconds, TerminalError, TransientError, type Json, type JsonObject } from '@windlass/foundation';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type {
  Claim,
  ClaimRequest,
  CoordinatorClient,
  RenewReply,
  ResultRequest,
  WorkerOutcome,
} from '../coordinator/messages.js';
import { defineAction } from '../plan/action-contract.js';
import { bindActions, expandInto, implementAction, present, type ActionWork, type StepRun } from './action.js';
import { StepWorker, type WorkerOptions } from './step-worker.js';

/** Milliseconds: renewed after a third of it, given up after four fifths. Where one ends, the clock moves only when the test says so. */
const LEASE = 15_000;
const wakeUp = { operationId: 'op', stepId: 's', epoch: 0, service: 'maker' };

/** A coordinator of one step: grants it, renews while told so, and keeps what it is told. */
class OneStep implements CoordinatorClient {
  readonly claims: ClaimRequest[] = [];
  readonly results: WorkerOutcome[] = [];
  renewals = 0;
  renewal: RenewReply | Error = { verdict: 'journaled', leaseFor: LEASE };
  /** Held back until this resolves. */
  answer: Promise<unknown> = Promise.resolve();
  granting: Promise<unknown> = Promise.resolve();

  constructor(private readonly claimed: Partial<Claim> | undefined) {}

  async claim(request: ClaimRequest) {
    this.claims.push(request);
    await this.granting;
    if (this.claimed === undefined) return { granted: false, reason: 'taken' } as const;
    return {
      granted: true,
      claim: {
        operationId: 'op',
        stepId: 's',
        epoch: 1,
        action: 'make',
        version: 1,
        phase: 'do',
        attempt: 1,
        attemptEpoch: 1,
        resumed: false,
        recheck: false,
        target: null,
        tenant: 't',
        input: { name: 'it' },
        leaseFor: LEASE,
        ...this.claimed,
      },
    } as const;
  }

  renew(): Promise<RenewReply> {
    this.renewals += 1;
    return this.renewal instanceof Error ? Promise.reject(this.renewal) : Promise.resolve(this.renewal);
  }

  async result({ outcome }: ResultRequest, signal?: AbortSignal) {
    this.results.push(outcome);
    const givenUp = new Promise<never>((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(new TransientError('messaging.given-up', 'given up'))),
    );
    await Promise.race([this.answer, givenUp]);
    return { verdict: 'journaled' } as const;
  }
}

type Work = ActionWork<StepRun, Json | undefined>;
const make = defineAction<JsonObject, Json | undefined>({ service: 'maker', name: 'make', version: 1 });

function worker(work: Work, claimed: Partial<Claim> = {}, more: Partial<WorkerOptions> = {}) {
  const coordinator = new OneStep(claimed);
  const troubles: string[] = [];
  const actions = bindActions([implementAction(make, work)], (run, use) => use(run));
  const made = new StepWorker({
    service: 'maker',
    worker: 'w1',
    actions,
    coordinator,
    onTrouble: (_claim, error) => troubles.push(error.message),
    endWithin: millis(50),
    ...more,
  });
  return { coordinator, troubles, worker: made, run: async () => (await made.answer(wakeUp))?.ended };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Work that ends when it is told to. */
const untilTold = ({ signal }: StepRun) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
const forEver = () => new Promise<undefined>(() => undefined);

const setClock = (): void => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
};
const pass = (time: number) => vi.advanceTimersByTimeAsync(time);

/** Some leases pass, in which it ends. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  await pass(LEASE * 4);
  return work;
}

describe.concurrent('a worker', () => {
  it('claims by its name with all it can run, and does nothing when it is not granted', async () => {
    const { coordinator, worker: one } = worker({ apply: () => Promise.reject(new Error('never')) });
    const refused = new StepWorker({
      service: 'maker',
      worker: 'w2',
      actions: [],
      coordinator: new OneStep(undefined),
      onTrouble: () => undefined,
    });
    expect(await refused.answer(wakeUp)).toBeUndefined();
    await (
      await one.answer(wakeUp)
    )?.ended;
    expect(coordinator.claims).toEqual([
      { operationId: 'op', stepId: 's', epoch: 0, service: 'maker', worker: 'w1', actions: ['make@1'] },
    ]);
  });

  it('gives the wake-up back when no coordinator answers its claim', async () => {
    const { coordinator, worker: one } = worker({ apply: forEver });
    coordinator.granting = Promise.reject(new TransientError('messaging.no-answer', 'nobody there'));
    await expect(one.answer(wakeUp)).rejects.toThrow('nobody there');
    expect(one.runningCount).toBe(0);
  });

  it.each<[string, Work, Partial<Claim>, WorkerOutcome[]]>([
    ['reports what apply gives', { apply: () => Promise.resolve({ made: 1 }) }, {}, [{ kind: 'done', output: { made: 1 } }]],
    [
      'reports a plan',
      { apply: () => Promise.resolve(expandInto({ root: { kind: 'sequence', of: [] } })) },
      {},
      [{ kind: 'expand', plan: { root: { kind: 'sequence', of: [] } } }],
    ],
    [
      'applies nothing where the check finds it there',
      { check: () => Promise.resolve(true), apply: () => Promise.reject(new Error('twice')) },
      {},
      [{ kind: 'done' }],
    ],
    [
      'reports what the check found',
      { check: () => Promise.resolve(present(5)), apply: () => Promise.reject(new Error('twice')) },
      {},
      [{ kind: 'done', output: 5 }],
    ],
    [
      'applies where the check finds nothing, though it was done before',
      { check: () => Promise.resolve(false), apply: () => Promise.resolve(6) },
      { recheck: true },
      [{ kind: 'done', output: 6 }],
    ],
    [
      'takes what was done before for done where there is no check',
      { apply: () => Promise.reject(new Error('twice')) },
      { recheck: true },
      [{ kind: 'done' }],
    ],
    [
      'undoes',
      { apply: () => Promise.reject(new Error('not this')), undo: () => Promise.resolve() },
      { phase: 'undo' },
      [{ kind: 'done' }],
    ],
    ['has nothing to undo', { apply: () => Promise.reject(new Error('not this')) }, { phase: 'undo' }, [{ kind: 'done' }]],
  ])('%s', async (_what, action, claim, results) => {
    const { coordinator, run, troubles } = worker(action, claim);
    await run();
    expect(coordinator.results).toEqual(results);
    expect(troubles).toEqual([]);
  });

  it('reports an error with the action’s retry policy, and is loud about one that nobody knows', async () => {
    const retry = { attempts: 2, backoff: millis(5) };
    const known = worker({ apply: () => Promise.reject(new TerminalError('x.broken', 'broken')), retry });
    await known.run();
    expect(known.coordinator.results).toMatchObject([{ kind: 'failed', error: { kind: 'terminal', code: 'x.broken' }, retry }]);
    expect(known.troubles).toEqual([]);
    const unknown = worker({ apply: () => Promise.reject(new TypeError('x is no function')) });
    await unknown.run();
    expect(unknown.coordinator.results).toMatchObject([{ error: { kind: 'invariant' }, retry: { attempts: 5 } }]);
    expect(unknown.troubles).toEqual(['x is no function']);
  });
});

describe('a worker whose lease is lost', () => {
  setClock();

  it('begins nothing when it was lost while the check looked', async () => {
    let looked = false;
    let applied = false;
    const { coordinator, run } = worker({
      check: async () => {
        await new Promise((resolve) => setTimeout(resolve, LEASE * 1.2));
        looked = true;
        return false;
      },
      apply: () => Promise.resolve(void (applied = true)),
    });
    coordinator.renewal = new TransientError('messaging.no-answer', 'no answer');
    await inTime(run());
    expect([looked, applied]).toEqual([true, false]);
    expect(coordinator.results).toEqual([]);
  });

  it('stops its work and says nothing more of the step', async () => {
    let stoppedAfter = 0;
    const began = performance.now();
    const { coordinator, run, troubles } = worker({
      apply: (step) => untilTold(step).finally(() => (stoppedAfter = performance.now() - began)) as Promise<undefined>,
    });
    coordinator.renewal = new TransientError('messaging.no-answer', 'no answer');
    await inTime(run());
    expect(stoppedAfter).toBe((LEASE * 4) / 5);
    expect(coordinator.results).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it('says nothing even when the work ends well in the last moment', async () => {
    const { coordinator, run } = worker({ apply: async (step) => untilTold(step).catch(() => 'made it') });
    coordinator.renewal = { verdict: 'stale', leaseFor: LEASE };
    await inTime(run());
    expect(coordinator.results).toEqual([]);
  });

  it('waits for the answer to its result as long as the claim that may come with it holds, and takes that for no trouble', async () => {
    const { coordinator, run, troubles } = worker({ apply: () => Promise.resolve(1) });
    coordinator.answer = forEver();
    setTimeout(() => (coordinator.renewal = { verdict: 'stale', leaseFor: LEASE }), LEASE * 2);
    const began = performance.now();
    let endedAfter = 0;
    await inTime(run().then(() => (endedAfter = performance.now() - began)));
    // The first renewal after it was lost tells so.
    expect(endedAfter).toBe(LEASE * 3);
    expect(coordinator.renewals).toBe(6);
    expect(troubles).toEqual([]);
  });
});

describe('a worker that stops', () => {
  setClock();

  it('detaches from its work and hands the step back', async () => {
    let why: unknown;
    const {
      coordinator,
      worker: one,
      run,
    } = worker({
      apply: async (step) => {
        await untilTold(step).catch(() => undefined);
        why = (step.signal.reason as { stopReason: string }).stopReason;
        throw step.signal.reason as Error;
      },
    });
    const ended = run();
    await pass(LEASE);
    expect(coordinator.renewals).toBeGreaterThan(0);
    await inTime(one.stop());
    await ended;
    expect(why).toBe('detached');
    expect(coordinator.results).toEqual([{ kind: 'released' }]);
    await expect(one.answer(wakeUp)).rejects.toThrow('maker is stopping');
  });

  it('reports what ended well after it was told to stop', async () => {
    const {
      coordinator,
      worker: one,
      run,
    } = worker({ apply: (step) => untilTold(step).catch(() => 'made it') as Promise<string> });
    const ended = run();
    await pass(LEASE);
    expect(coordinator.renewals).toBeGreaterThan(0);
    await inTime(one.stop());
    await ended;
    expect(coordinator.results).toEqual([{ kind: 'done', output: 'made it' }]);
  });

  it('does not wait for work that hears nothing', async () => {
    const { coordinator, worker: one, run } = worker({ apply: forEver });
    const ended = run();
    await pass(LEASE);
    expect(coordinator.renewals).toBeGreaterThan(0);
    await inTime(one.stop());
    await ended;
    expect(coordinator.results).toEqual([{ kind: 'released' }]);
  });

  it('hands back a step that was granted while it stopped', async () => {
    let grant: (() => void) | undefined;
    let applied = false;
    const { coordinator, worker: one, run } = worker({ apply: () => Promise.resolve(void (applied = true)) });
    coordinator.granting = new Promise<void>((resolve) => (grant = resolve));
    const ended = run();
    await one.stop();
    grant?.();
    await ended;
    expect(applied).toBe(false);
    expect(coordinator.results).toEqual([{ kind: 'released' }]);
  });
});

describe('a forceful cancel', () => {
  setClock();

  const cancelled: RenewReply = { verdict: 'journaled', leaseFor: LEASE, cancel: 'FORCEFUL' };

  it('ends what runs outside under a lease that still stands, with a signal of its own', async () => {
    const stopped: string[] = [];
    const { coordinator, run } = worker({
      apply: (step) => untilTold(step) as Promise<undefined>,
      stop: (step) => {
        step.assertLease();
        stopped.push(`${step.stepId} ${step.signal.aborted}`);
        return Promise.resolve(true);
      },
    });
    coordinator.renewal = cancelled;
    await inTime(run());
    expect(stopped).toEqual(['s false']);
    expect(coordinator.results).toEqual([{ kind: 'cancelled', confirmed: true, detail: 'stopped on request' }]);
  });

  it.each<[string, () => Promise<boolean>, string]>([
    ['can’t be confirmed', () => Promise.resolve(false), 'its host could not be reached'],
    ['fails', () => Promise.reject(new TransientError('host.away', 'host 10.0.0.1 is away')), 'host 10.0.0.1 is away'],
  ])('says so when the end %s', async (_what, stop, detail) => {
    const { coordinator, run } = worker({ apply: forEver, stop });
    coordinator.renewal = cancelled;
    await inTime(run());
    expect(coordinator.results).toMatchObject([{ kind: 'cancelled', confirmed: false }]);
    expect(JSON.stringify(coordinator.results)).toContain(`not confirmed stopped: ${detail}`);
  });

  it('that comes too late lets the result stand', async () => {
    const { coordinator, run } = worker({ apply: (step) => untilTold(step).catch(() => 'made it') as Promise<string> });
    coordinator.renewal = cancelled;
    await inTime(run());
    expect(coordinator.results).toEqual([{ kind: 'done', output: 'made it' }]);
  });
});

describe.concurrent('an action with a time limit', () => {
  it.each<[string, (run: StepRun) => Promise<undefined>]>([
    ['ends when its signal says so', (run) => untilTold(run) as Promise<undefined>],
    ['hears nothing', forEver],
  ])('fails when it takes longer, though its lease is renewed: one that %s', async (_what, apply) => {
    const { coordinator, run } = worker({ apply, within: millis(150) });
    await run();
    expect(coordinator.results).toMatchObject([
      { kind: 'failed', error: { kind: 'terminal', code: 'step.overdue', detail: 'make@1 did not end within 150 ms' } },
    ]);
  });

  it('fails so too where garbage is collected meanwhile: the time limit is none', async () => {
    const apply = async (run: StepRun) => {
      const told = pause(60_000, undefined, { signal: run.signal });
      // What is made in one turn of the event loop is kept until the next.
      await pause(10);
      collectGarbage();
      await told;
      return undefined;
    };
    const { coordinator, run } = worker({ apply, within: millis(150) });
    await run();
    expect(coordinator.results).toMatchObject([{ kind: 'failed', error: { code: 'step.overdue' } }]);
  });

  it('is not disturbed when it ends in time', async () => {
    const { coordinator, run } = worker({ apply: () => pause(20, 1), within: seconds(60) });
    await run();
    expect(coordinator.results).toEqual([{ kind: 'done', output: 1 }]);
  });
});

describe.concurrent('a claim of what the worker does not have', () => {
  it('is told, and left to its lease', async () => {
    const { coordinator, run, troubles } = worker({ apply: forEver }, { action: 'other', version: 3 });
    await run();
    expect(coordinator.results).toEqual([]);
    expect(troubles).toEqual(["claimed other@3, which maker doesn't have"]);
  });
});
