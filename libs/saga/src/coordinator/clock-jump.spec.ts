import { hours, minutes, seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { parallel } from '../plan/plan.js';
import { make, Stage, transient } from '../testing/stage.js';

const HOUR = hours(1);

/** A coordinator that looks every half second, as the sweeper does. */
async function pass(stage: Stage, time: number): Promise<void> {
  for (let left = time; left > 0; left -= 500) await stage.pass(Math.min(500, left));
}

async function renew(stage: Stage, stepId: string): Promise<string> {
  return (await stage.coordinator.renew({ operationId: 'op', stepId, epoch: stage.step(stepId).epoch })).verdict;
}

describe.each([
  ['forwards', HOUR],
  ['backwards', 0 - HOUR],
])('a database’s clock that jumps an hour %s', (_where, jump) => {
  it('takes no step from a worker that lives', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    await stage.claim('s');
    await pass(stage, 1_000);
    stage.journal.jump(jump);
    for (let renewals = 0; renewals < 10; renewals++) {
      await pass(stage, stage.policy.lease / 3);
      expect(await renew(stage, 's')).toBe('journaled');
    }
    expect(stage.step('s')).toMatchObject({ state: 'running', epoch: 1, losses: 0 });
  });

  it('nor from one whose claim no coordinator had seen before the jump', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    await pass(stage, 1_000);
    await stage.claim('s');
    stage.journal.jump(jump);
    await pass(stage, stage.policy.lease / 2);
    expect(await renew(stage, 's')).toBe('journaled');
    expect(stage.step('s')).toMatchObject({ losses: 0 });
  });

  it.each(['seen', 'unseen'])(
    'lets a dead worker’s lease (%s before the jump) last no longer than a lease and a sweep',
    async (how) => {
      const stage = Stage.of(make('s'));
      await stage.begin();
      await stage.pass(1);
      await stage.claim('s');
      if (how === 'seen') await stage.pass(500);
      stage.journal.jump(jump);
      await pass(stage, stage.policy.lease - 1_000);
      expect(stage.state('s')).toBe('do running');
      await pass(stage, 2_000);
      expect(stage.state('s')).toBe('do ready');
    },
  );

  it('lasts no longer for a coordinator that is started after it', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    await stage.claim('s');
    stage.journal.jump(jump);
    await stage.other.sweep();
    stage.journal.pass(stage.policy.lease);
    await stage.other.sweep();
    expect(stage.state('s')).toBe('do ready');
  });

  it('leaves the pause before the next attempt as long as it was', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    await stage.fail('s', transient, { attempts: 2, backoff: seconds(20) });
    await pass(stage, 1_000);
    stage.journal.jump(jump);
    await pass(stage, seconds(18));
    expect(stage.step('s').nextAttemptAt).not.toBeNull();
    await pass(stage, seconds(2));
    await stage.run('s');
    expect(stage.operation().status).toBe('completed');
  });

  it('leaves a step that nobody claims its time, and fails it then', async () => {
    const stage = Stage.of(make('s'), { dispatchWithin: minutes(2) });
    await stage.begin();
    await pass(stage, 1_000);
    stage.journal.jump(jump);
    await pass(stage, minutes(2) - seconds(2));
    expect(stage.state('s')).toBe('do ready');
    await pass(stage, seconds(2));
    expect(stage.operation().failure).toMatchObject({ code: 'step.no-worker' });
  });

  it('sends a wake-up again that was lost just before it', async () => {
    const stage = Stage.of(parallel([make('a'), make('b')]));
    await stage.begin();
    await pass(stage, 500);
    stage.wakeUps.length = 0;
    stage.journal.jump(jump);
    await pass(stage, seconds(3));
    expect(stage.wakeUps.map(({ stepId }) => stepId).sort()).toEqual(['a', 'b']);
  });
});

describe('a database that was away for longer than a step may wait for a worker', () => {
  it.each(['the same coordinator', 'a new one'])('has the step’s wake-up sent first when %s finds it back', async (who) => {
    const stage = Stage.of(make('s'), { dispatchWithin: minutes(10) });
    await stage.begin();
    if (who === 'the same coordinator') await stage.pass(500);
    stage.wakeUps.length = 0;
    stage.journal.pass(minutes(11));
    const coordinator = who === 'a new one' ? stage.started() : stage.coordinator;
    await coordinator.sweep();
    expect(stage.wakeUps).toMatchObject([{ stepId: 's' }]);
    await stage.run('s');
    expect(stage.operation().status).toBe('completed');
  });

  it('fails it after a minute when nobody comes then either', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    stage.journal.pass(minutes(11));
    const coordinator = stage.started();
    await coordinator.sweep();
    stage.journal.pass(minutes(1));
    await coordinator.sweep();
    expect(stage.operation().failure).toMatchObject({ code: 'step.no-worker' });
  });
});
