import { describe, expect, it, vi } from 'vitest';
import { limitsByPrefix } from '../engine/policy.js';
import { parallel, sequence } from '../plan/plan.js';
import { outputOf } from '../plan/refs.js';
import { inline, make, Stage, terminal } from '../testing/stage.js';
import type { ResultReply, WorkerOutcome } from './messages.js';

const done = { kind: 'done' } as const;
const next = { worker: 'w1', actions: ['make@1'] };

/** The result of a step as a worker says it that would go on. */
const said = (
  stage: Stage,
  stepId: string,
  { operationId = 'op', epoch = 1, outcome = done as WorkerOutcome, wanted = next } = {},
): Promise<ResultReply> => stage.coordinator.result({ operationId, stepId, epoch, outcome, next: wanted });

async function begun(stage: Stage, stepId: string, operationId = 'op'): Promise<Stage> {
  await stage.begin(operationId);
  await stage.claim(stepId, { operationId });
  stage.wakeUps.length = 0;
  return stage;
}

describe('the answer to a result', () => {
  it('brings the step that it has made ready to a worker that asks, and no wake-up is sent for it', async () => {
    const stage = await begun(Stage.of(sequence(make('a'), make('b'), make('c'))), 'a');
    expect(await said(stage, 'a')).toMatchObject({
      verdict: 'journaled',
      next: { stepId: 'b', epoch: 1, attempt: 1, phase: 'do' },
    });
    expect(stage.step('b')).toMatchObject({ state: 'running', owner: 'w1' });
    expect(stage.wakeUps).toEqual([]);
    expect(await said(stage, 'b')).toMatchObject({ next: { stepId: 'c', leaseFor: stage.policy.lease } });
    expect(await said(stage, 'c')).toEqual({ verdict: 'journaled' });
    expect(stage.operation().status).toBe('completed');
  });

  it('brings the step behind what the coordinator itself runs, with what that gave, and the same again to who says it again', async () => {
    const fed = make('b', { input: { of: outputOf('prepare') } });
    const stage = await begun(Stage.of(sequence(make('a'), inline('prepare'), inline('keep'), fed)), 'a');
    stage.inlineWork.set('prepare', () => 'prepared');
    const first = await said(stage, 'a');
    expect(first).toMatchObject({ next: { stepId: 'b', epoch: 1, input: { of: 'prepared' } } });
    expect(await said(stage, 'a')).toEqual(first);
    expect(stage.inlineRuns.map(({ stepId }) => stepId)).toEqual(['prepare', 'keep']);
    expect(stage.wakeUps).toEqual([]);
  });

  it('brings nothing where what the coordinator itself runs has failed', async () => {
    const stage = await begun(Stage.of(sequence(make('a'), inline('prepare'), make('b'))), 'a');
    stage.inlineWork.set('prepare', () => {
      throw new Error('no');
    });
    expect(await said(stage, 'a')).toEqual({ verdict: 'journaled' });
    expect(stage.operation().status).toBe('suspended');
    expect(stage.state('b')).toBe('do waiting');
  });

  it('brings nothing to a worker of the release before, which does not ask: it is woken', async () => {
    const stage = await begun(Stage.of(sequence(make('a'), make('b'))), 'a');
    expect(await stage.coordinator.result({ operationId: 'op', stepId: 'a', epoch: 1, outcome: done })).toEqual({
      verdict: 'journaled',
    });
    expect(stage.wakeUps).toMatchObject([{ stepId: 'b' }]);
  });

  it('is understood where a coordinator of the release before hears the worker ask, within the outcome: it journals the result', async () => {
    const stage = await begun(Stage.of(sequence(make('a'), make('b', { input: { of: outputOf('a', '/made') } }))), 'a');
    const outcome = { kind: 'done', output: { made: 'it' }, next } as WorkerOutcome;
    expect(await stage.coordinator.result({ operationId: 'op', stepId: 'a', epoch: 1, outcome })).toEqual({
      verdict: 'journaled',
    });
    expect(await stage.claim('b')).toMatchObject({ granted: true, claim: { input: { of: 'it' } } });
  });

  it('is lost where the result is said again to a coordinator of the release before, which knows of no next step: nothing is done twice, and the step comes a lease later', async () => {
    const stage = await begun(Stage.of(sequence(make('a'), make('b'), make('c'))), 'a');
    const outcome = { ...done, next } as WorkerOutcome;
    // This release's answer is lost, and an older one hears the same words.
    expect(await said(stage, 'a')).toMatchObject({ next: { stepId: 'b', epoch: 1 } });
    const before = stage.step('b');
    expect(await stage.coordinator.result({ operationId: 'op', stepId: 'a', epoch: 1, outcome })).toEqual({
      verdict: 'journaled',
    });
    expect(stage.step('b')).toEqual(before);
    expect(stage.wakeUps).toEqual([]);
    stage.journal.pass(stage.policy.lease + 1);
    await stage.coordinator.sweep();
    stage.journal.pass(stage.policy.lease + 1);
    await stage.coordinator.sweep();
    expect(await stage.claim('b')).toMatchObject({ granted: true, claim: { epoch: 2, attempt: 1 } });
    // Whoever should have had it, and says so after all, changes nothing.
    expect(await said(stage, 'b', { epoch: 1 })).toEqual({ verdict: 'stale' });
  });

  it('brings nothing where the result was said to a coordinator of the release before first: the step was woken, and is claimed once', async () => {
    const stage = await begun(Stage.of(sequence(make('a'), make('b'))), 'a');
    const outcome = { ...done, next } as WorkerOutcome;
    await stage.coordinator.result({ operationId: 'op', stepId: 'a', epoch: 1, outcome });
    expect(stage.wakeUps).toMatchObject([{ stepId: 'b' }]);
    expect(await said(stage, 'a')).toEqual({ verdict: 'journaled' });
    expect(stage.state('b')).toBe('do ready');
    expect(await stage.claim('b')).toMatchObject({ granted: true, claim: { epoch: 1 } });
    expect(await stage.claim('b')).toMatchObject({ granted: false });
  });

  it('brings one of several, and the others are woken', async () => {
    const stage = await begun(Stage.of(sequence(make('a'), parallel([make('b'), make('c'), make('d')]))), 'a');
    expect(await said(stage, 'a')).toMatchObject({ next: { stepId: 'b' } });
    expect(stage.wakeUps.map(({ stepId }) => stepId)).toEqual(['c', 'd']);
  });

  it.each([
    ['of another service', make('b', { service: 'breaker' })],
    ['of an action that it does not have', make('b', { version: 2 })],
    ['under a limit of which it holds no place', make('b', { limits: ['host:x'] })],
  ])('does not bring a step %s: who can run it is woken', async (_what, step) => {
    const stage = await begun(Stage.of(sequence(make('a'), step), { limitOf: limitsByPrefix({ host: 1 }) }), 'a');
    expect(await said(stage, 'a')).toEqual({ verdict: 'journaled' });
    expect(stage.wakeUps).toMatchObject([{ stepId: 'b' }]);
  });

  it('brings nothing after a failure', async () => {
    const stage = await begun(Stage.of(sequence(make('a'), make('b'))), 'a');
    const outcome = { kind: 'failed', error: terminal, retry: { attempts: 1, backoff: 0 } } as const;
    expect(await said(stage, 'a', { outcome })).toEqual({ verdict: 'journaled' });
  });

  it('is the same for a result that is said again, for what is left of the lease', async () => {
    const stage = await begun(Stage.of(sequence(make('a'), make('b', { input: { name: 'it' } }), make('c'))), 'a');
    const first = await said(stage, 'a');
    stage.journal.pass(1_000);
    const again = await said(stage, 'a');
    expect(again).toEqual({ ...first, next: { ...first.next, leaseFor: stage.policy.lease - 1_000 } });
    expect(stage.step('b').epoch).toBe(1);
    expect(await said(stage, 'a', { wanted: { ...next, worker: 'another' } })).toEqual({ verdict: 'journaled' });
    await said(stage, 'b');
    expect(await said(stage, 'a')).toEqual({ verdict: 'journaled' });
  });

  it('that is lost for good loses nothing: the lease runs out, and the step goes to whoever claims it', async () => {
    const stage = await begun(Stage.of(sequence(make('a'), make('b'))), 'a');
    await said(stage, 'a');
    await stage.pass(stage.policy.lease + 1);
    expect(stage.wakeUps).toMatchObject([{ stepId: 'b' }]);
    expect(await stage.claim('b')).toMatchObject({ granted: true, claim: { epoch: 2, resumed: true } });
    expect(await said(stage, 'a')).toEqual({ verdict: 'journaled' });
  });

  it('goes on in the place that it has left, under a limit that is reached', async () => {
    const under = { limits: ['vim:a'] };
    const stage = Stage.of(sequence(make('a', under), make('b', under)), { limitOf: limitsByPrefix({ vim: 1 }) });
    await begun(stage, 'a', 'one');
    await stage.begin('two');
    expect(await stage.claim('a', { operationId: 'two' })).toEqual({ granted: false, reason: 'limited' });
    stage.wakeUps.length = 0;
    const looked = vi.spyOn(stage.journal, 'waiting');
    expect(await said(stage, 'a', { operationId: 'one' })).toMatchObject({ next: { stepId: 'b' } });
    // No place has become free: who waits for one is not looked for.
    expect(looked).not.toHaveBeenCalled();
    expect(await stage.claim('a', { operationId: 'two' })).toEqual({ granted: false, reason: 'limited' });
    expect(stage.wakeUps).toEqual([]);
    await said(stage, 'b', { operationId: 'one' });
    expect(stage.wakeUps).toMatchObject([{ operationId: 'two', stepId: 'a' }]);
  });

  it('brings what is to be undone next', async () => {
    const stage = Stage.of(sequence(make('a'), make('b'), make('c')));
    await stage.begin();
    for (const id of ['a', 'b']) await stage.run(id);
    await stage.fail('c');
    await stage.coordinator.rollback('op');
    await stage.run('c');
    await stage.claim('b');
    expect(await said(stage, 'b', { epoch: 2 })).toMatchObject({ next: { stepId: 'a', phase: 'undo' } });
  });
});
