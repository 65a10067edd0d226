import { InvariantError, millis, RequestError, TerminalError, TransientError } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { parallel, sequence } from '../plan/plan.js';
import { make, Stage, terminal, transient } from '../testing/stage.js';
import { errorOf, reportError } from './error-report.js';

describe('the retry policy of a step', () => {
  it('pauses longer from attempt to attempt, and gives up after the last', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    const retry = { attempts: 4, backoff: 1_000, growth: 3 };
    const pauses: number[] = [];
    for (let attempt = 1; attempt < 4; attempt++) {
      await stage.fail('s', transient, retry);
      pauses.push(stage.step('s').nextAttemptAt!.getTime() - stage.journal.now.getTime());
      await stage.pass(pauses.at(-1)! + 1);
    }
    expect(pauses).toEqual([1_000, 3_000, 9_000]);
    expect(stage.step('s')).toMatchObject({ attempt: 3, error: { code: 'test.busy' } });
    await stage.fail('s', transient, retry);
    expect(stage.operation()).toMatchObject({ status: 'suspended', failure: { ...transient, stepId: 's' } });
  });

  it('waits at least as long as the other side asked for', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    await stage.fail('s', { ...transient, retryAfter: 60_000 }, { attempts: 2, backoff: 1_000 });
    expect(stage.step('s').nextAttemptAt!.getTime() - stage.journal.now.getTime()).toBe(60_000);
  });

  it('sends the wake-up at once where there is no pause, by the sweep where there is one', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    stage.wakeUps.length = 0;
    await stage.fail('s', transient, { attempts: 3, backoff: 0 });
    expect(stage.wakeUps).toMatchObject([{ epoch: 1 }]);
    await stage.fail('s', transient, { attempts: 3, backoff: 5_000 });
    await stage.pass(4_000);
    expect(stage.wakeUps).toHaveLength(1);
    await stage.pass(1_500);
    expect(stage.wakeUps).toHaveLength(2);
  });

  it('does not count an attempt that was only handed over', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    const retry = { attempts: 2, backoff: 0 };
    await stage.run('s', { kind: 'released' });
    await stage.claim('s');
    await stage.pass(stage.policy.lease + 1);
    await stage.fail('s', transient, retry);
    expect(stage.state('s')).toBe('do ready');
    expect(await stage.claim('s')).toMatchObject({ claim: { attempt: 2, resumed: false, attemptEpoch: 4, epoch: 4 } });
    await stage.say('s', { kind: 'failed', error: transient, retry });
    expect(stage.operation().status).toBe('suspended');
  });

  it.each(['terminal', 'invariant', 'request'] as const)('does not repeat a %s error', async (kind) => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    await stage.fail('s', { ...terminal, kind }, { attempts: 5, backoff: 0 });
    expect(stage.operation().status).toBe('suspended');
  });

  it('begins no attempt while siblings end on the way to a stop', async () => {
    const stage = Stage.of(parallel([make('a'), make('b'), make('c')]));
    await stage.begin();
    await stage.claim('a');
    await stage.claim('b');
    await stage.say('a', { kind: 'failed', error: terminal, retry: { attempts: 1, backoff: 0 } });
    expect(stage.operation().status).toBe('stopping');
    expect(stage.state('c')).toBe('do waiting');
    await stage.say('b', { kind: 'failed', error: transient, retry: { attempts: 5, backoff: 0 } });
    expect(stage.operation()).toMatchObject({ status: 'suspended', failure: { stepId: 'a' } });
  });

  it('lets siblings in flight end well, and keeps what they did', async () => {
    const stage = Stage.of(sequence(parallel([make('a'), make('b')]), make('c')));
    await stage.begin();
    await stage.claim('b');
    await stage.fail('a');
    await stage.say('b', { kind: 'done', output: 1 });
    expect(stage.operation().status).toBe('suspended');
    await stage.coordinator.retry('op');
    expect(stage.ready()).toEqual(['a', 'b']);
    expect(await stage.claim('a')).toMatchObject({ claim: { recheck: false, attempt: 1 } });
    expect(await stage.claim('b')).toMatchObject({ claim: { recheck: true, attempt: 1 } });
  });
});

describe('an error on its way into the journal and back', () => {
  it('keeps its kind, code, title, status and pause', () => {
    const errors = [
      new TransientError('vim.busy', 'busy', { title: 'Busy', status: 429, retryAfter: millis(5) }),
      new TerminalError('stack.failed', 'failed', { title: 'Failed' }),
      new InvariantError('impossible'),
    ];
    for (const error of errors) {
      const back = errorOf(reportError(error));
      expect(back.constructor).toBe(error.constructor);
      expect(reportError(back)).toEqual(reportError(error));
    }
    expect(reportError(new RequestError(409, 'x.y', 'no'))).toMatchObject({ kind: 'request', status: 409 });
    expect(reportError(new TypeError('x is no function'))).toMatchObject({
      kind: 'invariant',
      detail: 'TypeError: x is no function',
    });
    expect(reportError('text')).toMatchObject({ kind: 'invariant', detail: 'text' });
  });

  it('carries nothing that a database can’t keep: no NUL, no half character', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    await stage.claim('s');
    await stage.coordinator.renew({ operationId: 'op', stepId: 's', epoch: 1, progress: 'half \ud83d, nul \u0000' });
    expect(stage.step('s').progress).toBe('half \ufffd, nul \ufffd');
    await stage.say('s', {
      kind: 'failed',
      error: { ...terminal, detail: 'last lines: \u0000\udc00', title: '\u0000' },
      retry: { attempts: 1, backoff: 0 },
    });
    expect(stage.operation().failure).toMatchObject({ detail: 'last lines: \ufffd\ufffd', title: '\ufffd' });
    expect(JSON.stringify([...stage.journal.steps.values()])).not.toMatch(/\\u0000|\\ud[89a-f]/);
  });
});
