import { minutes, seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { sequence } from '../plan/plan.js';
import { make, Stage, transient } from '../testing/stage.js';

describe('a step that nobody claims', () => {
  it('gets its wake-up again with growing pauses, and fails at its dispatch deadline naming the service', async () => {
    const stage = Stage.of(make('s'), { dispatchWithin: minutes(2) });
    await stage.begin();
    const rungAt: number[] = [];
    for (let second = 0; second < 119; second++) {
      const before = stage.wakeUps.length;
      await stage.pass(1_000);
      if (stage.wakeUps.length > before) rungAt.push(second + 1);
    }
    expect(rungAt).toEqual([2, 6, 14, 30, 60, 90]);
    expect(stage.operation().status).toBe('running');
    await stage.pass(2_000);
    expect(stage.operation()).toMatchObject({
      status: 'suspended',
      failure: {
        code: 'step.no-worker',
        status: 503,
        stepId: 's',
        detail: 'no worker for maker: nobody claimed it in time. Start the service, then retry',
      },
    });
  });

  it('is there for a worker that comes late, and again after a retry', async () => {
    const stage = Stage.of(make('s'), { dispatchWithin: seconds(10) });
    await stage.begin();
    await stage.pass(seconds(11));
    expect(stage.operation().status).toBe('suspended');
    await stage.coordinator.retry('op');
    await stage.pass(seconds(9));
    await stage.run('s');
    expect(stage.operation().status).toBe('completed');
  });

  it('has its whole time again after each attempt', async () => {
    const stage = Stage.of(make('s'), { dispatchWithin: seconds(10) });
    await stage.begin();
    await stage.pass(seconds(9));
    await stage.fail('s', transient, { attempts: 2, backoff: seconds(30) });
    await stage.pass(seconds(31));
    await stage.pass(seconds(8));
    expect(stage.state('s')).toBe('do ready');
    await stage.pass(seconds(3));
    expect(stage.state('s')).toBe('do failed');
  });

  it('does not keep the steps before it from being rolled back', async () => {
    const stage = Stage.of(sequence(make('a'), make('b', { service: 'absent' })), { dispatchWithin: seconds(10) });
    await stage.begin();
    await stage.run('a');
    await stage.pass(seconds(11));
    await stage.coordinator.rollback('op');
    await stage.run('a');
    expect(stage.operation().status).toBe('rolled-back');
    expect(stage.state('b')).toBe('do waiting');
  });
});
