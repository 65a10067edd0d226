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

  it('leaves alone what came before a pivot that is done, grafted steps too: what they were done to may be gone', async () => {
    const shrink = make('shrink', { traits: { pivot: true, undoable: false } });
    const stage = Stage.of(sequence(make('first'), make('hook'), shrink, make('read'), make('last')));
    await stage.begin();
    await stage.run('first');
    await stage.run('hook', { kind: 'expand', plan: { root: sequence(make('leave'), make('forget')) } });
    for (const id of ['hook/leave', 'hook/forget', 'shrink', 'read']) await stage.run(id);
    await stage.fail('last');
    await stage.coordinator.retry('op');
    for (const id of ['shrink', 'read', 'last']) {
      expect(stage.ready()).toEqual([id]);
      await stage.run(id);
    }
    expect(stage.operation().status).toBe('completed');
  });

  it('after a roll-back that stood half-way makes anew what came after the steps it had begun to undo', async () => {
    const stage = Stage.of(sequence(make('image'), make('stack'), make('read', { traits: { undoable: false } }), make('last')));
    await stage.begin();
    for (const id of ['image', 'stack', 'read']) await stage.run(id);
    await stage.fail('last');
    await stage.coordinator.rollback('op');
    await stage.run('last');
    await stage.run('stack');
    await stage.fail('image');
    await stage.coordinator.retry('op');
    const rechecks: Record<string, boolean | undefined> = {};
    for (const id of ['image', 'stack', 'read', 'last']) {
      rechecks[id] = stage.step(id).recheck;
      await stage.run(id);
    }
    expect(rechecks).toEqual({ image: false, stack: false, read: false, last: false });
    expect(stage.operation().status).toBe('completed');
  });

  it('after a roll-back that stood before it came to them looks at done steps again', async () => {
    const stage = Stage.of(sequence(make('image'), make('read', { traits: { undoable: false } }), make('stack')));
    await stage.begin();
    for (const id of ['image', 'read']) await stage.run(id);
    await stage.fail('stack');
    await stage.coordinator.rollback('op');
    await stage.fail('stack');
    await stage.coordinator.retry('op');
    expect(stage.step('image').recheck).toBe(true);
    expect(stage.step('read').recheck).toBe(true);
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
