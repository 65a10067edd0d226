import { describe, expect, it } from 'vitest';
import { step } from '../testing/steps.js';
import { stepsAsAt } from './as-at.js';
import { stepStatusOf } from './words.js';
import type { Step } from '../api/types.js';

const at = (second: number): string => new Date(1_000_000_000_000 + second * 1_000).toISOString();
const error = { kind: 'terminal', code: 'x', detail: 'no', status: 500 };
const status = (of: Step, second: number): string => {
  const [then] = stepsAsAt([of], Date.parse(at(second)));
  return then === undefined ? '' : stepStatusOf(then);
};

describe('a step as it was', () => {
  it.each<[string, Partial<Step>, Record<number, string>]>([
    [
      'that is done',
      { state: 'done', attempt: 1, startedAt: at(10), endedAt: at(20) },
      { 5: 'waiting', 10: 'running', 20: 'done' },
    ],
    [
      'that failed',
      { state: 'failed', attempt: 1, startedAt: at(10), endedAt: at(20), error },
      { 5: 'waiting', 15: 'running', 25: 'failed' },
    ],
    [
      'that was undone',
      { phase: 'undo', state: 'done', startedAt: at(10), endedAt: at(20) },
      { 5: 'done', 15: 'undoing', 25: 'undone' },
    ],
    ['that runs', { state: 'running', attempt: 1, startedAt: at(10), progress: 'so far' }, { 5: 'waiting', 15: 'running' }],
    ['that has not begun', { state: 'ready' }, { 5: 'waiting' }],
  ])('%s', (_of, more, then) => {
    for (const [second, word] of Object.entries(then))
      expect([second, status(step('a', more), Number(second))]).toEqual([second, word]);
  });

  it('says nothing of what it only said or met later', () => {
    const failed = step('a', { state: 'failed', attempt: 3, startedAt: at(10), endedAt: at(20), error, progress: 'last word' });
    expect(stepsAsAt([failed], Date.parse(at(15)))[0]).toMatchObject({ error: null, progress: '', endedAt: null });
  });
});
