import { describe, expect, it } from 'vitest';
import { parallel, sequence } from '../plan/plan.js';
import { make, Stage, transient } from '../testing/stage.js';
import { countSteps, stepViews, type StepView, type WaitReason } from './step-view.js';

const shown = (stage: Stage): StepView[] =>
  stepViews(stage.journal.steps.get('op')!, stage.operation().status, stage.journal.now);
const waits = (stage: Stage): Record<string, WaitReason[]> =>
  Object.fromEntries(shown(stage).map(({ id, waitsFor }) => [id, waitsFor]));
const forStep = (id: string): WaitReason => ({ for: 'step', id });

describe('the steps of an operation as people see them', () => {
  it('are a tree from top to bottom: a hook, then the plan that it became, then what follows it', async () => {
    const stage = Stage.of(sequence(make('before'), make('hook'), make('after')));
    await stage.begin();
    await stage.run('before');
    await stage.run('hook', { kind: 'expand', plan: { root: sequence(make('a'), parallel([make('b'), make('c')])) } });
    expect(shown(stage).map(({ id, depth, parentId }) => [id, depth, parentId])).toEqual([
      ['before', 0, null],
      ['hook', 0, null],
      ['hook/a', 1, 'hook'],
      ['hook/b', 1, 'hook'],
      ['hook/c', 1, 'hook'],
      ['after', 0, null],
    ]);
    expect(countSteps(shown(stage))).toEqual({ total: 6, done: 1, undone: 0, running: 1, ready: 1, waiting: 3, failed: 0 });
  });

  it('say what they wait for: steps before them, a worker, the pause before an attempt', async () => {
    const stage = Stage.of(sequence(parallel([make('a'), make('b')]), make('c')));
    await stage.begin();
    await stage.claim('a');
    expect(waits(stage)).toEqual({ a: [], b: [{ for: 'worker', service: 'maker' }], c: [forStep('a'), forStep('b')] });
    await stage.say('a', { kind: 'failed', error: transient, retry: { attempts: 3, backoff: 60_000 } });
    expect(waits(stage).a).toEqual([{ for: 'time', until: new Date(stage.journal.now.getTime() + 60_000) }]);
    expect(shown(stage)[0]).toMatchObject({ attempt: 1, attemptsAllowed: 3, error: { code: 'test.busy' } });
    await stage.run('b');
    expect(waits(stage).c).toEqual([forStep('a')]);
  });

  it('say which limit or group keeps them out', async () => {
    const stage = Stage.of(parallel([make('a', { limits: ['host:1'] }), make('b', { limits: ['host:1'] })]), {
      limitOf: () => 1,
    });
    await stage.begin();
    await stage.claim('a');
    expect(await stage.claim('b')).toMatchObject({ granted: false, reason: 'limited' });
    expect(waits(stage).b).toEqual([{ for: 'limit', key: 'host:1' }]);
    const grouped = Stage.of(parallel([make('a'), make('b')], { limit: 1 }));
    await grouped.begin();
    expect(waits(grouped).b).toMatchObject([{ for: 'group', limit: 1 }]);
  });

  it('wait for what came after them when they are undone, and for nothing while the operation stands', async () => {
    const stage = Stage.of(sequence(make('a'), make('b'), make('c')));
    await stage.begin();
    await stage.run('a');
    await stage.fail('b');
    expect(stage.operation().status).toBe('suspended');
    expect(waits(stage)).toEqual({ a: [], b: [], c: [] });
    await stage.coordinator.rollback('op');
    expect(waits(stage)).toEqual({ a: [forStep('b')], b: [{ for: 'worker', service: 'maker' }], c: [] });
    await stage.run('b');
    expect(countSteps(shown(stage))).toEqual({ total: 3, done: 0, undone: 1, running: 0, ready: 1, waiting: 1, failed: 0 });
  });
});
