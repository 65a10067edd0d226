import { describe, expect, it } from 'vitest';
import { parallel, sequence, type PlanNode } from '../plan/plan.js';
import { inline, make, Stage } from '../testing/stage.js';

const expand = (root: PlanNode) => ({ kind: 'expand', plan: { root } }) as const;

/** Undoes whatever may be undone, one step at a time, and tells the order. */
async function undoAll(stage: Stage): Promise<string[]> {
  const order: string[] = [];
  for (let next = stage.ready()[0]; next !== undefined; next = stage.ready()[0]) {
    order.push(next);
    await stage.run(next);
  }
  return order;
}

describe('rolling back', () => {
  it('undoes every step that was ever claimed, in reverse, parallel ones side by side', async () => {
    const stage = Stage.of(sequence(make('a'), parallel([make('b'), make('c')]), make('d'), make('e')));
    await stage.begin();
    for (const id of ['a', 'b', 'c']) await stage.run(id);
    await stage.fail('d');
    await stage.coordinator.rollback('op');
    expect(stage.ready()).toEqual(['d']);
    await stage.run('d');
    expect(stage.ready()).toEqual(['b', 'c']);
    await stage.run('c');
    expect(stage.ready()).toEqual(['b']);
    await stage.run('b');
    await stage.run('a');
    expect(stage.operation()).toMatchObject({ status: 'rolled-back', failure: { stepId: 'd' } });
    expect(stage.state('e')).toBe('do waiting');
  });

  it('undoes a step whose worker was lost before it said anything', async () => {
    const stage = Stage.of(parallel([make('a'), make('b')]));
    await stage.begin();
    await stage.claim('a');
    await stage.fail('b');
    expect(stage.operation().status).toBe('stopping');
    await stage.pass(stage.policy.lease + 1);
    expect(stage.operation().status).toBe('suspended');
    await stage.coordinator.rollback('op');
    expect(await undoAll(stage)).toEqual(['a', 'b']);
  });

  it('passes by what can’t be undone, and what was inline', async () => {
    const stage = Stage.of(sequence(inline('i'), make('a'), make('read', { traits: { undoable: false } }), make('b')));
    await stage.begin();
    await stage.run('a');
    await stage.run('read');
    await stage.fail('b');
    await stage.coordinator.rollback('op');
    expect(await undoAll(stage)).toEqual(['b', 'a']);
    expect(stage.operation().status).toBe('rolled-back');
    expect(stage.inlineRuns.map(({ phase }) => phase)).toEqual(['do']);
  });

  it('undoes grafted steps after all that follows their hook, however deep they stand', async () => {
    const stage = Stage.of(sequence(make('first'), make('hook'), make('last')));
    await stage.begin();
    await stage.run('first');
    await stage.run('hook', expand(sequence(make('x'), make('y'))));
    await stage.run('hook/x');
    await stage.run('hook/y', expand(make('z')));
    await stage.run('hook/y/z');
    await stage.fail('last');
    await stage.coordinator.rollback('op');
    for (const id of ['last', 'hook/y/z', 'hook/x', 'first']) {
      expect(stage.ready()).toEqual([id]);
      await stage.run(id);
    }
    expect(stage.operation().status).toBe('rolled-back');
  });

  it('shows why it stands when an undo fails, and goes on from there', async () => {
    const stage = Stage.of(sequence(make('a'), make('b')));
    await stage.begin();
    await stage.run('a');
    await stage.fail('b', { kind: 'terminal', code: 'first', detail: 'why', status: 500 });
    await stage.coordinator.rollback('op');
    await stage.run('b');
    await stage.fail('a', { kind: 'terminal', code: 'second', detail: 'can’t be undone', status: 500 });
    expect(stage.operation()).toMatchObject({ status: 'suspended', failure: { code: 'second', stepId: 'a' } });
    await stage.coordinator.rollback('op');
    expect(stage.ready()).toEqual(['a']);
    await stage.run('a');
    expect(stage.operation().status).toBe('rolled-back');
    expect(stage.step('b')).toMatchObject({ phase: 'undo', state: 'done' });
  });

  it('can be given up for a retry: what was undone is made anew, what was not is checked', async () => {
    const stage = Stage.of(sequence(make('a'), make('b'), make('c'), make('d')));
    await stage.begin();
    for (const id of ['a', 'b', 'c']) await stage.run(id);
    await stage.fail('d');
    await stage.coordinator.rollback('op');
    for (const id of ['d', 'c']) await stage.run(id);
    await stage.fail('b');
    await stage.coordinator.retry('op');
    const recheck = async (id: string) => {
      const reply = await stage.claim(id);
      await stage.say(id, { kind: 'done' });
      return reply.granted && reply.claim.recheck;
    };
    expect(await recheck('a')).toBe(true);
    // Its undo had begun: half of it may be gone.
    expect(await recheck('b')).toBe(false);
    expect(await recheck('c')).toBe(false);
    expect(await recheck('d')).toBe(false);
    expect(stage.operation().status).toBe('completed');
  });
});

describe('a failure that rolls back by itself', () => {
  it('takes back what was done, without waiting for a person', async () => {
    const stage = Stage.of(sequence(make('a'), make('b', { traits: { onFailure: 'roll-back' } })));
    await stage.begin();
    await stage.run('a');
    await stage.fail('b');
    expect(stage.operation().status).toBe('rolling-back');
    expect(await undoAll(stage)).toEqual(['b', 'a']);
    expect(stage.operation()).toMatchObject({ status: 'rolled-back', failure: { stepId: 'b' } });
  });

  it('of an inline step ends the operation in one transaction when nothing was done before', async () => {
    const stage = Stage.of(
      sequence(
        inline('grant', { traits: { inline: true, undoable: false, milestone: 'GO', onFailure: 'roll-back' } }),
        make('a'),
      ),
    );
    stage.inlineWork.set('grant', () => {
      throw new Error('refused');
    });
    await stage.begin();
    expect(stage.operation()).toMatchObject({ status: 'rolled-back', milestone: null, failure: { stepId: 'grant' } });
    expect(stage.moves.flatMap(({ statuses }) => statuses.map(({ to }) => to))).toContain('rolled-back');
  });

  it('waits for siblings in flight', async () => {
    const stage = Stage.of(parallel([make('a'), make('b', { traits: { onFailure: 'roll-back' } })]));
    await stage.begin();
    await stage.claim('a');
    await stage.fail('b');
    expect(stage.operation().status).toBe('stopping');
    await stage.say('a', { kind: 'done' });
    expect(await undoAll(stage)).toEqual(['a', 'b']);
  });
});

describe('a pivot', () => {
  const pivot = make('pivot', { traits: { pivot: true, undoable: false } });

  it('refuses to be rolled back once it was claimed, by its name, and can still be retried or failed', async () => {
    const stage = Stage.of(sequence(make('a'), pivot, make('b')));
    await stage.begin();
    await stage.run('a');
    await stage.fail('pivot');
    await expect(stage.coordinator.rollback('op')).rejects.toMatchObject({
      status: 409,
      code: 'operation.past-pivot',
      message: expect.stringContaining('"pivot" has begun') as string,
    });
    expect(stage.operation().status).toBe('suspended');
    await stage.coordinator.retry('op');
    await stage.run('a');
    await stage.fail('pivot');
    await stage.coordinator.abandon('op');
    expect(stage.operation().status).toBe('abandoned');
  });

  it('does not keep what failed before it from being rolled back', async () => {
    const stage = Stage.of(sequence(make('a'), pivot));
    await stage.begin();
    await stage.fail('a');
    await stage.coordinator.rollback('op');
    expect(await undoAll(stage)).toEqual(['a']);
    expect(stage.operation().status).toBe('rolled-back');
  });

  it('turns a failure that would roll back by itself into one that waits for a person', async () => {
    const stage = Stage.of(sequence(pivot, make('b', { traits: { onFailure: 'roll-back' } })));
    await stage.begin();
    await stage.run('pivot');
    await stage.fail('b');
    expect(stage.operation()).toMatchObject({ status: 'suspended', failure: { stepId: 'b' } });
  });
});
