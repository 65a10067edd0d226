import { describe, expect, it } from 'vitest';
import { parallel, sequence } from '../plan/plan.js';
import { outputOf } from '../plan/refs.js';
import { make, once, Stage, terminal, transient } from '../testing/stage.js';

describe('messages that come twice, late or out of order', () => {
  it('grants a wake-up once: taken while it runs, stale when a later claim was lost, not ready when it is done', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    const [wakeUp] = stage.wakeUps;
    await stage.claim('s', { epoch: wakeUp!.epoch });
    expect(await stage.claim('s', { epoch: wakeUp!.epoch })).toEqual({ granted: false, reason: 'taken' });
    await stage.pass(stage.policy.lease + 1);
    expect(await stage.claim('s', { epoch: wakeUp!.epoch })).toEqual({ granted: false, reason: 'stale' });
    await stage.run('s');
    expect(await stage.claim('s')).toEqual({ granted: false, reason: 'not-ready' });
  });

  it('refuses a wake-up of another service, version, step or operation', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    const ask = (change: object) =>
      stage.coordinator.claim({
        operationId: 'op',
        stepId: 's',
        epoch: 0,
        service: 'maker',
        worker: 'w',
        actions: ['make@1'],
        ...change,
      });
    expect(await ask({ service: 'other' })).toMatchObject({ reason: 'unknown' });
    expect(await ask({ stepId: 'none' })).toMatchObject({ reason: 'unknown' });
    expect(await ask({ operationId: 'none' })).toMatchObject({ reason: 'unknown' });
    expect(await ask({ actions: ['make@2', 'made@1'] })).toMatchObject({ reason: 'version' });
    expect(await ask({})).toMatchObject({ granted: true });
  });

  it('refuses a wake-up that comes too early for the next attempt', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    await stage.fail('s', transient, { attempts: 2, backoff: 1_000 });
    expect(await stage.claim('s')).toEqual({ granted: false, reason: 'pausing' });
    await stage.pass(1_001);
    expect(await stage.claim('s')).toMatchObject({ granted: true, claim: { attempt: 2 } });
  });

  it('answers a repeated result as the first time, whatever it says now and however much later', async () => {
    const stage = Stage.of(sequence(make('a'), make('b', { input: { of: outputOf('a') } })));
    await stage.begin();
    await stage.claim('a');
    expect(await stage.say('a', { kind: 'done', output: 1 })).toBe('journaled');
    expect(await stage.say('a', { kind: 'done', output: 2 })).toBe('journaled');
    expect(await stage.say('a', { kind: 'failed', error: terminal, retry: once })).toBe('journaled');
    expect(await stage.claim('b')).toMatchObject({ claim: { input: { of: 1 } } });
    await stage.say('b', { kind: 'done' });
    expect(stage.operation().status).toBe('completed');
    expect(await stage.say('a', { kind: 'done', output: 3 })).toBe('journaled');
    expect(stage.operation().status).toBe('completed');
  });

  it('refuses whatever an older claim says, of a step that runs again and of one that is done', async () => {
    const stage = Stage.of(sequence(make('a'), make('b')));
    await stage.begin();
    await stage.claim('a');
    await stage.pass(stage.policy.lease + 1);
    expect(await stage.say('a', { kind: 'done' }, { epoch: 1 })).toBe('stale');
    await stage.claim('a');
    for (const outcome of [{ kind: 'done' }, { kind: 'released' }, { kind: 'failed', error: terminal, retry: once }] as const)
      expect(await stage.say('a', outcome, { epoch: 1 })).toBe('stale');
    expect(stage.state('a')).toBe('do running');
    await stage.say('a', { kind: 'done' }, { epoch: 2 });
    expect(await stage.say('a', { kind: 'failed', error: terminal, retry: once }, { epoch: 1 })).toBe('stale');
    expect(await stage.coordinator.renew({ operationId: 'op', stepId: 'a', epoch: 1 })).toMatchObject({ verdict: 'stale' });
    expect(await stage.coordinator.renew({ operationId: 'op', stepId: 'a', epoch: 2 })).toMatchObject({ verdict: 'stale' });
    expect(stage.state('a')).toBe('do done');
  });

  it('knows nothing of results and renewals of what does not exist', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    const outcome = { kind: 'done' } as const;
    expect(await stage.coordinator.result({ operationId: 'none', stepId: 's', epoch: 1, outcome })).toEqual({ verdict: 'stale' });
    expect(await stage.coordinator.result({ operationId: 'op', stepId: 'none', epoch: 1, outcome })).toEqual({
      verdict: 'stale',
    });
    expect(await stage.coordinator.renew({ operationId: 'none', stepId: 's', epoch: 1 })).toMatchObject({ verdict: 'stale' });
  });

  it('begins an operation once, however often its wake-up comes', async () => {
    const stage = Stage.of(parallel([make('a'), make('b')]));
    await stage.begin();
    await Promise.all([stage.coordinator.begin('op'), stage.other.begin('op'), stage.coordinator.begin('none')]);
    expect(stage.journal.steps.get('op')).toHaveLength(2);
    expect(stage.wakeUps).toHaveLength(2);
  });

  it('sends no wake-up for a step that became ready before its transaction was committed', async () => {
    const stage = Stage.of(make('s'));
    stage.journal.accept({ id: 'op' });
    stage.journal.atCommit = (when) => {
      expect(stage.wakeUps, when).toEqual([]);
    };
    await stage.coordinator.begin('op');
    expect(stage.wakeUps).toHaveLength(1);
  });
});
