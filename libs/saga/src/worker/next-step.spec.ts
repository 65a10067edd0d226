import { describe, expect, it } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { TransientError, type JsonObject } from '@windlass/foundation';
import type { Claim, ClaimReply, CoordinatorClient, RenewReply, ResultReply, ResultRequest } from '../coordinator/messages.js';
import { defineAction } from '../plan/action-contract.js';
import { bindActions, implementAction, type StepRun } from './action.js';
import { StepWorker } from './step-worker.js';

const LEASE = 300;
const claim = (stepId: string): Claim => ({
  ...{ operationId: 'op', stepId, epoch: 1, action: 'make', version: 1, phase: 'do', attempt: 1, attemptEpoch: 1 },
  ...{ resumed: false, recheck: false, target: null, tenant: 't', input: {}, leaseFor: LEASE },
});

/** A coordinator that grants what is asked for, and answers the results of steps with those that come after them. */
class Following implements CoordinatorClient {
  readonly results: ResultRequest[] = [];
  readonly renewed: string[] = [];
  renewal: RenewReply = { verdict: 'journaled', leaseFor: LEASE };
  /** A result is answered when this resolves. */
  answer: () => Promise<unknown> = () => Promise.resolve();

  constructor(private readonly after: Readonly<Record<string, string>>) {}

  claim({ stepId }: { stepId: string }): Promise<ClaimReply> {
    return Promise.resolve({ granted: true, claim: claim(stepId) });
  }

  renew({ stepId }: { stepId: string }): Promise<RenewReply> {
    this.renewed.push(stepId);
    // As of a step that has ended.
    const ended = this.results.some((result) => result.stepId === stepId);
    return Promise.resolve(ended ? { verdict: 'stale', leaseFor: LEASE } : this.renewal);
  }

  async result(request: ResultRequest, signal?: AbortSignal): Promise<ResultReply> {
    this.results.push(request);
    const givenUp = new Promise<never>((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(new TransientError('messaging.given-up', 'given up'))),
    );
    await Promise.race([this.answer(), givenUp]);
    const following = request.next === undefined ? undefined : this.after[request.stepId];
    return { verdict: 'journaled', ...(following === undefined ? {} : { next: claim(following) }) };
  }

  get said(): string[] {
    return this.results.map(({ stepId, outcome }) => `${stepId} ${outcome.kind}`);
  }
}

const make = defineAction<JsonObject>({ service: 'maker', name: 'make', version: 1 });

function working(coordinator: Following, work: (run: StepRun) => Promise<undefined> = () => Promise.resolve(undefined)) {
  const ran: string[] = [];
  const apply = (run: StepRun): Promise<undefined> => {
    ran.push(run.stepId);
    return work(run);
  };
  const actions = bindActions([implementAction(make, { apply })], (run, use) => use(run));
  const worker = new StepWorker({ service: 'maker', worker: 'w1', actions, coordinator, onTrouble: () => undefined });
  const answer = (stepId: string) => worker.answer({ operationId: 'op', stepId, epoch: 0, service: 'maker' });
  return { worker, ran, answer };
}

describe('a worker whose result is answered with a step', () => {
  it('goes on with it, and ends with the last one: whoever waits for the run waits for all of them', async () => {
    const coordinator = new Following({ a: 'b', b: 'c' });
    const { answer, ran, worker } = working(coordinator);
    await (
      await answer('a')
    )?.ended;
    expect(ran).toEqual(['a', 'b', 'c']);
    expect(coordinator.said).toEqual(['a done', 'b done', 'c done']);
    expect(coordinator.results[0]?.next).toEqual({ worker: 'w1', actions: ['make@1'] });
    expect([worker.runningCount, coordinator.renewed]).toEqual([0, []]);
  });

  it('begins no claim twice, by whichever way it comes', async () => {
    const { answer, ran } = working(new Following({ a: 'b' }));
    await (
      await answer('a')
    )?.ended;
    expect(await answer('b')).toBeUndefined();
    expect(ran).toEqual(['a', 'b']);
  });

  it('asks how long it holds it where the answer was long in coming, and leaves it where it is another’s', async () => {
    for (const [verdict, expected] of [
      ['journaled', ['a', 'b']],
      ['stale', ['a']],
    ] as const) {
      const coordinator = new Following({ a: 'b' });
      coordinator.answer = () => pause(coordinator.results.length === 1 ? LEASE / 2 : 0);
      coordinator.renewal = { verdict, leaseFor: LEASE };
      const { answer, ran } = working(coordinator);
      await (
        await answer('a')
      )?.ended;
      expect(ran).toEqual(expected);
      expect(coordinator.renewed).toContain('b');
    }
  });

  it('goes on with it where the answer comes after a renewal that was refused because the result is journaled', async () => {
    const coordinator = new Following({ a: 'b' });
    coordinator.answer = () => pause(coordinator.results.length === 1 ? LEASE * 0.6 : 0);
    const { answer, ran } = working(coordinator);
    await (
      await answer('a')
    )?.ended;
    expect(coordinator.renewed).toContain('a');
    expect(ran).toEqual(['a', 'b']);
    expect(coordinator.said).toEqual(['a done', 'b done']);
  });

  it('asks for none when it stops, and hands back the one that came meanwhile', async () => {
    const coordinator = new Following({ a: 'b' });
    let stopped: Promise<void> | undefined;
    const { answer, worker, ran } = working(coordinator);
    coordinator.answer = () => {
      if (coordinator.results.length === 1) stopped = worker.stop();
      return Promise.resolve();
    };
    await answer('a');
    while (stopped === undefined) await pause(1);
    await stopped;
    expect(coordinator.said).toEqual(['a done', 'b released']);
    expect(coordinator.results[1]?.next).toBeUndefined();
    expect(ran).toEqual(['a']);
  });
});
