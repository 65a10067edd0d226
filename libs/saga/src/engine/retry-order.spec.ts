import { describe, expect, it } from 'vitest';
import { sequence } from '../plan/plan.js';
import { inline, make, Stage } from '../testing/stage.js';

describe('a retry', () => {
  it('checks done steps in their order: nothing after a step is looked at before the step is there again', async () => {
    const stage = Stage.of(sequence(make('image'), inline('prepare'), make('stack'), make('configure')));
    await stage.begin();
    await stage.run('image');
    await stage.run('stack');
    await stage.fail('configure');
    await stage.coordinator.retry('op');
    for (const id of ['image', 'stack', 'configure']) {
      expect(stage.ready()).toEqual([id]);
      await stage.run(id);
    }
    expect(stage.operation().status).toBe('completed');
    expect(stage.inlineRuns.map(({ stepId }) => stepId)).toEqual(['prepare']);
  });

  it('does not touch grafted steps before all that comes before their hook is there again', async () => {
    const stage = Stage.of(sequence(make('stack'), inline('keep'), make('hook'), make('last')));
    await stage.begin();
    await stage.run('stack');
    await stage.run('hook', { kind: 'expand', plan: { root: sequence(make('a'), make('b')) } });
    await stage.run('hook/a', { kind: 'expand', plan: { root: make('deep') } });
    await stage.run('hook/a/deep');
    await stage.fail('hook/b');
    await stage.coordinator.retry('op');
    for (const id of ['stack', 'hook/a/deep', 'hook/b', 'last']) {
      expect(stage.ready()).toEqual([id]);
      await stage.run(id);
    }
    expect(stage.operation().status).toBe('completed');
  });

  it('clears the failure, and is refused in any other state', async () => {
    const stage = Stage.of(make('a'));
    await stage.begin();
    await expect(stage.coordinator.retry('op')).rejects.toMatchObject({ status: 409, code: 'operation.wrong-state' });
    await stage.fail('a');
    await stage.coordinator.retry('op');
    expect(stage.operation()).toMatchObject({ status: 'running', failure: null });
    await stage.run('a');
    for (const task of ['retry', 'rollback', 'abandon'] as const)
      await expect(stage.coordinator[task]('op')).rejects.toMatchObject({ status: 409 });
    await expect(stage.coordinator.retry('none')).rejects.toMatchObject({ status: 404, code: 'operation.unknown' });
  });
});
