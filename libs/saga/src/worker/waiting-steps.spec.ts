import { describe, expect, it } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { TerminalError, type JsonObject } from '@windlass/foundation';
import type {
  Claim,
  ClaimReply,
  CoordinatorClient,
  RenewReply,
  RenewRequest,
  ResultReply,
  ResultRequest,
} from '../coordinator/messages.js';
import { defineAction } from '../plan/action-contract.js';
import { bindActions, implementAction, type StepRun } from './action.js';
import { StepWorker } from './step-worker.js';

const LEASE = 600;
const make = defineAction<JsonObject>({ service: 'maker', name: 'make', version: 1 });

const claimOf = (operationId: string, stepId: string, leaseFor = LEASE): Claim => ({
  ...{ operationId, stepId, epoch: 1, action: 'make', version: 1, phase: 'do', attempt: 1, attemptEpoch: 1 },
  ...{ resumed: false, recheck: false, target: null, tenant: 't', input: {}, leaseFor },
});

/** A coordinator that grants what is asked for; the result of `wait` is answered with `read` to whoever asks. */
class Granting implements CoordinatorClient {
  readonly renewals: RenewRequest[] = [];
  readonly results: ResultRequest[] = [];
  /** Of the release before: it refuses a renewal that says more than it knows. */
  isOlder = false;
  /** Operations whose places others want. */
  readonly crowded = new Set<string>();

  constructor(private readonly leaseFor = LEASE) {}

  claim({ operationId, stepId }: { operationId: string; stepId: string }): Promise<ClaimReply> {
    const crowded = this.crowded.has(operationId) ? { crowded: true } : {};
    return Promise.resolve({ granted: true, claim: { ...claimOf(operationId, stepId, this.leaseFor), ...crowded } });
  }

  renew(request: RenewRequest): Promise<RenewReply> {
    this.renewals.push(request);
    if (this.isOlder && request.waits !== undefined)
      return Promise.reject(new TerminalError('messaging.undecodable', 'must NOT have additional properties: "waits"'));
    return Promise.resolve({ verdict: 'journaled', leaseFor: this.leaseFor });
  }

  result(request: ResultRequest): Promise<ResultReply> {
    this.results.push(request);
    const follows = request.stepId === 'wait' && request.next !== undefined;
    return Promise.resolve({ verdict: 'journaled', ...(follows ? { next: claimOf(request.operationId, 'read') } : {}) });
  }

  get waitsTold(): number {
    return this.renewals.filter(({ waits }) => waits === true).length;
  }
}

function working(coordinator: Granting) {
  let end = (): void => undefined;
  const over = new Promise<undefined>((resolve) => (end = () => resolve(undefined)));
  let endReading = (): void => undefined;
  const read = new Promise<undefined>((resolve) => (endReading = () => resolve(undefined)));
  const ran: string[] = [];
  const troubles: Error[] = [];
  const apply = async (run: StepRun): Promise<undefined> => {
    ran.push(run.stepId);
    if (run.stepId === 'work') return undefined;
    if (run.stepId === 'read') return read;
    run.onlyWaits();
    run.onlyWaits();
    return Promise.race([
      over,
      new Promise<never>((_resolve, reject) => run.signal.addEventListener('abort', () => reject(run.signal.reason as Error))),
    ]);
  };
  const actions = bindActions([implementAction(make, { apply })], (run, use) => use(run));
  const worker = new StepWorker({
    ...{ service: 'maker', worker: 'w1', actions, coordinator },
    onTrouble: (_claim, error) => void troubles.push(error),
  });
  const answer = (operationId: string, stepId = 'wait') => worker.answer({ operationId, stepId, epoch: 0, service: 'maker' });
  return { worker, answer, ran, troubles, end: () => end(), endReading: () => endReading() };
}

describe('a run that only waits', () => {
  it('leaves its place of the worker at once, and is run on: the worker begins others beside it', async () => {
    const coordinator = new Granting();
    const { answer, worker, ran, end, endReading } = working(coordinator);
    const waiting = await answer('one');
    await waiting?.left;
    expect(worker.runningCount).toBe(1);
    await (
      await answer('two', 'work')
    )?.left;
    expect(ran).toEqual(['wait', 'work']);
    endReading();
    end();
    await waiting?.ended;
    expect(ran).toEqual(['wait', 'work', 'read']);
    expect(worker.runningCount).toBe(0);
  });

  it('tells the coordinators so soon and once, and nothing where it is over by then', async () => {
    const coordinator = new Granting();
    const { answer, end, endReading } = working(coordinator);
    const waiting = await answer('one');
    await pause(LEASE * 1.2);
    expect(coordinator.renewals[0]).toEqual({ operationId: 'one', stepId: 'wait', epoch: 1, waits: true });
    expect(coordinator.renewals.length).toBeGreaterThan(2);
    expect(coordinator.waitsTold).toBe(1);
    endReading();
    end();
    await waiting?.ended;
    const told = coordinator.renewals.length;
    await (
      await answer('two')
    )?.ended;
    expect(coordinator.renewals).toHaveLength(told);
  });

  it('tells them as soon where a lease is long: its places would keep others out for a tenth of it', async () => {
    const coordinator = new Granting(3_600_000);
    const { answer, end, endReading } = working(coordinator);
    const waiting = await answer('one');
    await expect.poll(() => coordinator.waitsTold, { timeout: 60_000 }).toBe(1);
    endReading();
    end();
    await waiting?.ended;
  });

  it('tells them before others do where its places are wanted', async () => {
    const coordinator = new Granting(3_600_000);
    coordinator.crowded.add('two');
    const { answer, end, endReading } = working(coordinator);
    const waiting = [await answer('one'), await answer('two')];
    await expect
      .poll(() => coordinator.renewals.map(({ operationId }) => operationId), { timeout: 60_000 })
      .toEqual(['two', 'one']);
    endReading();
    end();
    for (const each of waiting) await each?.ended;
  });

  it('is renewed on by a coordinator of the release before, which refuses to hear of waiting', async () => {
    const coordinator = new Granting();
    coordinator.isOlder = true;
    const { answer, end, endReading, troubles } = working(coordinator);
    const waiting = await answer('one');
    await pause(LEASE * 1.5);
    expect(coordinator.waitsTold).toBe(1);
    expect(coordinator.renewals.length).toBeGreaterThan(3);
    endReading();
    end();
    await waiting?.ended;
    expect(coordinator.results.map(({ stepId, outcome }) => `${stepId} ${outcome.kind}`)).toEqual(['wait done', 'read done']);
    expect(troubles).toEqual([]);
  });

  it('is handed back when its worker stops', async () => {
    const coordinator = new Granting();
    const { answer, worker } = working(coordinator);
    await (
      await answer('one')
    )?.left;
    await worker.stop();
    expect(coordinator.results).toMatchObject([{ stepId: 'wait', outcome: { kind: 'released' } }]);
  });

  it('keeps its place where a thousand wait', async () => {
    const coordinator = new Granting();
    const { answer, end, endReading } = working(coordinator);
    const waiting = [];
    for (let n = 0; n <= 1_000; n++) waiting.push(await answer(`op ${n}`));
    const left = await Promise.race([waiting[1_000]!.left.then(() => true), pause(20).then(() => false)]);
    expect(left).toBe(false);
    await waiting[999]!.left;
    endReading();
    end();
    for (const each of waiting) await each?.ended;
  });
});

describe('runs that go on from waits which end together', () => {
  it('are few beside those that wake-ups begin: the others ask for nothing, and their next steps come by wake-ups', async () => {
    const coordinator = new Granting();
    const { answer, ran, end, endReading } = working(coordinator);
    const waiting = [];
    for (let n = 0; n < 100; n++) waiting.push(await answer(`op ${n}`));
    end();
    await pause(50);
    expect(ran.filter((stepId) => stepId === 'read')).toHaveLength(64);
    expect(coordinator.results.filter(({ stepId, next }) => stepId === 'wait' && next === undefined)).toHaveLength(36);
    endReading();
    for (const each of waiting) await each?.ended;
    const more = await answer('later');
    await more?.ended;
    expect(ran.filter((stepId) => stepId === 'read')).toHaveLength(65);
  });
});
