import { describe, expect, it } from 'vitest';
import { parallel, sequence } from '../plan/plan.js';
import { inline, make, Stage } from '../testing/stage.js';
import type { CancelMode } from './records.js';

const begun = inline('grant', { traits: { inline: true, undoable: false, milestone: 'GO' } });
const modes: CancelMode[] = ['GRACEFUL', 'FORCEFUL'];

describe.each(modes)('a %s cancel', (mode) => {
  it('of an accepted operation ends it before it began', async () => {
    const stage = Stage.of(make('a'));
    stage.journal.accept({ id: 'op' });
    await stage.coordinator.cancel('op', mode);
    expect(stage.operation()).toMatchObject({
      status: 'rolled-back',
      failure: { kind: 'cancelled', code: 'operation.cancelled' },
    });
    await stage.coordinator.begin('op');
    expect(stage.journal.steps.get('op')).toEqual([]);
  });

  it('of one that was accepted past its first milestone waits for its plan, and then for a person', async () => {
    const stage = Stage.of(sequence(inline('begin'), make('a'), inline('publish')));
    stage.journal.accept({ id: 'op', milestone: 'GO' });
    await stage.coordinator.cancel('op', mode);
    expect(stage.operation()).toMatchObject({ status: 'accepted', cancel: mode });
    await stage.coordinator.begin('op');
    expect(stage.operation()).toMatchObject({ status: 'suspended', cancel: null, failure: { code: 'operation.cancelled' } });
    await stage.coordinator.retry('op');
    await stage.run('a');
    expect(stage.operation()).toMatchObject({ status: 'completed', failure: null });
  });

  it('of one that was accepted past its first milestone and has only inline steps lets it complete', async () => {
    const stage = Stage.of(sequence(inline('begin'), inline('publish')));
    stage.journal.accept({ id: 'op', milestone: 'GO' });
    await stage.coordinator.cancel('op', mode);
    await stage.coordinator.begin('op');
    expect(stage.operation()).toMatchObject({ status: 'completed', cancel: null, failure: null });
    expect(stage.inlineRuns.map(({ stepId }) => stepId)).toEqual(['begin', 'publish']);
  });

  it('before the first milestone rolls it back', async () => {
    const stage = Stage.of(sequence(make('a'), make('b'), begun));
    await stage.begin();
    await stage.run('a');
    await stage.coordinator.cancel('op', mode);
    expect(stage.operation()).toMatchObject({ status: 'rolling-back', cancel: null });
    await stage.run('a');
    expect(stage.operation().status).toBe('rolled-back');
  });

  it('after it lets the step in flight end, and then waits for a person', async () => {
    const stage = Stage.of(sequence(begun, parallel([make('a'), make('b')]), make('c')));
    await stage.begin();
    await stage.claim('a');
    await stage.coordinator.cancel('op', mode);
    expect(stage.operation()).toMatchObject({ status: 'stopping', cancel: mode });
    expect(stage.ready()).toEqual([]);
    const renewal = await stage.coordinator.renew({ operationId: 'op', stepId: 'a', epoch: 1 });
    expect(renewal.cancel).toBe(mode === 'FORCEFUL' ? 'FORCEFUL' : undefined);
    await stage.say('a', { kind: 'done' });
    expect(stage.operation()).toMatchObject({ status: 'suspended', cancel: null, failure: { code: 'operation.cancelled' } });
    await stage.coordinator.retry('op');
    for (const id of ['a', 'b', 'c']) await stage.run(id);
    expect(stage.operation()).toMatchObject({ status: 'completed', failure: null });
  });

  it('that comes when only inline steps are left lets the operation complete', async () => {
    const stage = Stage.of(sequence(begun, make('a'), inline('publish')));
    await stage.begin();
    await stage.claim('a');
    await stage.coordinator.cancel('op', mode);
    await stage.say('a', { kind: 'done' });
    expect(stage.operation()).toMatchObject({ status: 'completed', cancel: null, failure: null });
    expect(stage.inlineRuns.map(({ stepId }) => stepId)).toEqual(['grant', 'publish']);
  });

  it('of a roll-back stops it, and rolling back goes on when a person says so', async () => {
    const stage = Stage.of(sequence(begun, make('a'), make('b')));
    await stage.begin();
    await stage.run('a');
    await stage.fail('b');
    await stage.coordinator.rollback('op');
    await stage.claim('b');
    await stage.coordinator.cancel('op', mode);
    await stage.say('b', { kind: 'done' });
    expect(stage.operation().status).toBe('suspended');
    await stage.coordinator.rollback('op');
    await stage.run('a');
    expect(stage.operation().status).toBe('rolled-back');
  });

  it('that comes when the last undo is under way lets the roll-back end', async () => {
    const stage = Stage.of(sequence(begun, make('a'), inline('publish')));
    await stage.begin();
    await stage.fail('a');
    await stage.coordinator.rollback('op');
    await stage.claim('a');
    await stage.coordinator.cancel('op', mode);
    await stage.say('a', { kind: 'done' });
    expect(stage.operation()).toMatchObject({ status: 'rolled-back', cancel: null, failure: { stepId: 'a' } });
  });

  it('of one that is stopping already is noted, and changes nothing else', async () => {
    const stage = Stage.of(sequence(begun, parallel([make('a'), make('b')])));
    await stage.begin();
    await stage.claim('a');
    await stage.fail('b');
    await stage.coordinator.cancel('op', mode);
    expect(stage.operation()).toMatchObject({ status: 'stopping', cancel: mode, failure: { stepId: 'b' } });
    await stage.say('a', { kind: 'done' });
    expect(stage.operation()).toMatchObject({ status: 'suspended', cancel: null, failure: { stepId: 'b' } });
  });

  it('of one whose worker is lost ends with the lease', async () => {
    const stage = Stage.of(sequence(begun, make('a'), make('b')));
    await stage.begin();
    await stage.claim('a');
    await stage.coordinator.cancel('op', mode);
    await stage.pass(stage.policy.lease + 1);
    expect(stage.operation().status).toBe('suspended');
    expect(await stage.say('a', { kind: 'done' })).toBe('stale');
  });

  it('is refused while it waits for a person, and when it is over', async () => {
    const stage = Stage.of(sequence(begun, make('a')));
    await stage.begin();
    await stage.fail('a');
    await expect(stage.coordinator.cancel('op', mode)).rejects.toMatchObject({ status: 409, code: 'operation.wrong-state' });
    await stage.coordinator.abandon('op');
    await expect(stage.coordinator.cancel('op', mode)).rejects.toMatchObject({ status: 409 });
    expect(stage.operation().cancel).toBeNull();
    await expect(stage.coordinator.cancel('none', mode)).rejects.toMatchObject({ status: 404 });
  });
});

describe('what a forceful cancel could not confirm', () => {
  it.each([
    [true, 'step.cancelled'],
    [false, 'step.not-confirmed-stopped'],
  ])('is told at the step (confirmed: %s)', async (confirmed, code) => {
    const stage = Stage.of(sequence(begun, make('a')));
    await stage.begin();
    await stage.claim('a');
    await stage.coordinator.cancel('op', 'FORCEFUL');
    await stage.say('a', { kind: 'cancelled', confirmed, detail: 'the host is away' });
    expect(stage.step('a')).toMatchObject({ state: 'failed', error: { kind: 'cancelled', code, detail: 'the host is away' } });
    expect(stage.operation().status).toBe('suspended');
  });

  it('may follow a graceful one that takes too long', async () => {
    const stage = Stage.of(sequence(begun, make('a')));
    await stage.begin();
    await stage.claim('a');
    await stage.coordinator.cancel('op', 'GRACEFUL');
    await stage.coordinator.cancel('op', 'FORCEFUL');
    expect(await stage.coordinator.renew({ operationId: 'op', stepId: 'a', epoch: 1 })).toMatchObject({ cancel: 'FORCEFUL' });
  });
});

describe('a cancel after a pivot', () => {
  it('waits for a person, even before the first milestone', async () => {
    const stage = Stage.of(sequence(make('p', { traits: { pivot: true } }), make('a')));
    await stage.begin();
    await stage.run('p');
    await stage.coordinator.cancel('op', 'GRACEFUL');
    expect(stage.operation().status).toBe('suspended');
  });
});
