import { TransientError } from '@windlass/foundation';
import { LacksAction } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { answerWakeUp } from './answer-wake-up.js';

const WAKE_UP = { operationId: 'o', stepId: 's', epoch: 0, service: 'maker' };

/** A delivery that notes what becomes of it. */
function delivered(deliveries: number) {
  const state = { acked: 0 };
  return { state, delivery: { deliveries, ack: () => void (state.acked += 1) } };
}

const lacking = { answer: () => Promise.reject(new LacksAction(WAKE_UP, 'maker@host:1')) };

describe('a wake-up whose action the worker lacks', () => {
  it('is given back, so that another worker of the service gets it', async () => {
    for (const deliveries of [1, 6]) {
      const { state, delivery } = delivered(deliveries);
      await expect(answerWakeUp(lacking, WAKE_UP, delivery)).rejects.toThrow(
        'maker@host:1 does not have the action, or its version, of step "s" of operation o',
      );
      expect(state.acked).toBe(0);
    }
  });

  it('is given back for half a minute at most: then the sweep sends another one', async () => {
    const { state, delivery } = delivered(7);
    await answerWakeUp(lacking, WAKE_UP, delivery);
    expect(state.acked).toBe(1);
  });
});

describe('a wake-up that no coordinator answers', () => {
  it('is given back however often it came', async () => {
    const { state, delivery } = delivered(50);
    const silent = { answer: () => Promise.reject(new TransientError('nats.no-answer', 'nobody answers')) };
    await expect(answerWakeUp(silent, WAKE_UP, delivery)).rejects.toThrow('nobody answers');
    expect(state.acked).toBe(0);
  });
});

describe('a wake-up whose claim is answered', () => {
  it('is acknowledged before its run has ended', async () => {
    const { state, delivery } = delivered(1);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const answered = answerWakeUp({ answer: () => Promise.resolve({ ended, left: ended }) }, WAKE_UP, delivery);
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.acked).toBe(1);
    end();
    await answered;
  });

  it('takes up its place no longer than until its run only waits', async () => {
    const { state, delivery } = delivered(1);
    const run = { ended: new Promise<void>(() => undefined), left: Promise.resolve() };
    await answerWakeUp({ answer: () => Promise.resolve(run) }, WAKE_UP, delivery);
    expect(state.acked).toBe(1);
  });
});
