import { describe, expect, it } from 'vitest';
import { MAX_PLAN_BYTES } from '../plan/compile.js';
import { parallel, sequence, type Plan, type PlanNode } from '../plan/plan.js';
import { common, outputOf } from '../plan/refs.js';
import { make, Stage } from '../testing/stage.js';

const expand = (root: PlanNode, extra: Partial<Plan> = {}) => ({ kind: 'expand', plan: { root, ...extra } }) as const;
const root = sequence(make('before'), make('hook'), make('after'));

describe('a plan that a step returns', () => {
  const grown = async (stage = Stage.of(root)) => {
    await stage.begin();
    await stage.run('before', { kind: 'done', output: { ip: '10.0.0.1' } });
    return stage;
  };

  it('is done below the step, and what follows waits for all of it', async () => {
    const stage = await grown();
    await stage.run('hook', expand(sequence(make('a'), parallel([make('b'), make('c')]))));
    expect(stage.ready()).toEqual(['hook/a']);
    await stage.run('hook/a');
    await stage.run('hook/c');
    expect(stage.state('after')).toBe('do waiting');
    await stage.run('hook/b');
    expect(stage.state('hook')).toBe('do done');
    await stage.run('after');
    expect(stage.operation().status).toBe('completed');
  });

  it('has a common part of its own, and reaches outputs of the plan above', async () => {
    const stage = await grown();
    const input = { colour: common('/colour'), ip: outputOf('/before', '/ip') };
    await stage.run('hook', expand(make('a', { input }), { common: { colour: 'green' } }));
    expect(await stage.claim('hook/a')).toMatchObject({ claim: { input: { colour: 'green', ip: '10.0.0.1' } } });
  });

  it('stands with its first answer: a second one is dropped, of the same claim and of a later one', async () => {
    const stage = await grown();
    await stage.claim('hook');
    await stage.pass(stage.policy.lease + 1);
    await stage.claim('hook');
    expect(await stage.say('hook', expand(make('old')), { epoch: 1 })).toBe('stale');
    expect(await stage.say('hook', expand(make('first')), { epoch: 2 })).toBe('journaled');
    expect(await stage.say('hook', expand(make('second')), { epoch: 2 })).toBe('journaled');
    expect(stage.journal.steps.get('op')!.map(({ id }) => id)).toEqual(['before', 'hook', 'after', 'hook/first']);
  });

  it('is not asked for again on retry, even where it had no step', async () => {
    const stage = await grown(Stage.of(sequence(make('before'), parallel([make('hook'), make('broken')]))));
    await stage.claim('hook');
    await stage.fail('broken');
    await stage.say('hook', expand(sequence()));
    expect(stage.operation().status).toBe('suspended');
    expect(stage.state('hook')).toBe('do done');
    await stage.coordinator.retry('op');
    await stage.run('before');
    expect(await stage.claim('hook')).toMatchObject({ claim: { recheck: true } });
  });

  it('is not joined by a second one, even if its step were asked again', async () => {
    const stage = await grown();
    await stage.run('hook', expand(make('first')));
    Object.assign(stage.step('hook'), { state: 'ready' });
    await stage.run('hook', expand(make('second')));
    expect(stage.journal.steps.get('op')!.map(({ id }) => id)).toEqual(['before', 'hook', 'after', 'hook/first']);
    expect(stage.state('hook')).toBe('do expanded');
  });

  it('is grafted whole or not at all', async () => {
    const stage = await grown();
    await stage.claim('hook');
    stage.journal.atCommit = (when) => {
      if (when === 'before') throw new Error('the power went');
    };
    await expect(stage.say('hook', expand(parallel([make('a'), make('b')])))).rejects.toThrow('the power went');
    stage.journal.atCommit = () => undefined;
    expect(stage.journal.steps.get('op')).toHaveLength(3);
    expect([...stage.journal.payloads.keys()].filter((key) => key.includes('hook/'))).toEqual([]);
    expect(await stage.say('hook', expand(parallel([make('a'), make('b')])))).toBe('journaled');
    expect(stage.journal.steps.get('op')).toHaveLength(5);
  });

  it('may itself hold a step that returns one, but no deeper', async () => {
    const stage = await grown();
    await stage.run('hook', expand(make('a')));
    await stage.run('hook/a', expand(make('b')));
    await stage.run('hook/a/b', expand(make('c')));
    expect(stage.operation()).toMatchObject({
      status: 'suspended',
      failure: {
        code: 'plan.too-deep',
        detail: '"hook/a/b" returned a plan, but stands in a returned plan itself: one level is allowed',
      },
    });
    expect(stage.journal.steps.get('op')).toHaveLength(5);
  });

  it.each([
    ['two steps of one id', parallel([make('a'), make('a')]), 'the plan has two steps with the id "a"'],
    ['too many bytes', make('a', { input: { text: 'x'.repeat(MAX_PLAN_BYTES) } }), 'bytes of JSON, 524288 are allowed'],
    [
      'a reference to nothing',
      make('a', { input: { x: outputOf('typo') } }),
      'uses the output of "hook/typo", which is not in the plan',
    ],
  ])('with %s fails the step that returned it', async (_what, bad, message) => {
    const stage = await grown();
    await stage.run('hook', expand(bad));
    expect(stage.operation()).toMatchObject({ status: 'suspended', failure: { kind: 'invariant', stepId: 'hook' } });
    expect(stage.operation().failure!.detail).toContain(message);
  });

  it('is no answer to an undo', async () => {
    const stage = await grown();
    await stage.run('hook');
    await stage.fail('after');
    await stage.coordinator.rollback('op');
    await stage.run('after');
    await stage.claim('hook');
    await expect(stage.say('hook', expand(make('a')))).rejects.toThrow('answered an undo with a plan');
  });
});

describe('the data of a plan', () => {
  it('that points at nothing fails the step, names where, and can be rolled back', async () => {
    const stage = Stage.of(sequence(make('a'), make('b', { input: { ip: outputOf('a', '/ip') } })));
    await stage.begin();
    await stage.run('a', { kind: 'done', output: {} });
    expect(await stage.claim('b')).toEqual({ granted: false, reason: 'not-ready' });
    expect(stage.operation()).toMatchObject({
      status: 'suspended',
      failure: { stepId: 'b', detail: 'the plan points at "step:a" /ip, where nothing is' },
    });
    await stage.coordinator.rollback('op');
    // It never got its input, so it never began: there is nothing to undo, and nobody is asked.
    expect(stage.state('b')).toBe('do waiting');
    await stage.run('a');
    expect(stage.operation().status).toBe('rolled-back');
  });

  it('is read anew at each claim, but undone with what the first one had', async () => {
    const stage = Stage.of(sequence(make('a', { input: { vim: { $from: 'vim' } } }), make('b')));
    stage.sources.set('vim', 'old password');
    await stage.begin();
    await stage.claim('a');
    stage.sources.set('vim', 'new password');
    await stage.pass(stage.policy.lease + 1);
    expect(await stage.claim('a')).toMatchObject({ claim: { input: { vim: 'new password' } } });
    await stage.say('a', { kind: 'done' });
    await stage.fail('b');
    await stage.coordinator.rollback('op');
    await stage.run('b');
    stage.sources.delete('vim');
    expect(await stage.claim('a')).toMatchObject({ claim: { phase: 'undo', input: { vim: 'old password' } } });
  });

  it('stands from before when a check finds a step done without saying what it gave', async () => {
    const stage = Stage.of(sequence(make('a'), make('b', { input: { of: outputOf('a') } })));
    await stage.begin();
    await stage.run('a', { kind: 'done', output: 1 });
    await stage.fail('b');
    await stage.coordinator.retry('op');
    await stage.run('a');
    expect(await stage.claim('b')).toMatchObject({ claim: { input: { of: 1 } } });
  });
});
