import { expect, it } from 'vitest';
import { step } from '../testing/steps.js';
import { tookText } from './took.js';

const at = (second: number): string => new Date(1_000_000_000_000 + second * 1_000).toISOString();
const now = Date.parse(at(100));

it('only what runs has a time that rises, a plan while one of its steps runs', () => {
  const hook = step('h', { state: 'expanded', startedAt: at(0) });
  const done = step('h/1', { depth: 1, state: 'done', startedAt: at(1), endedAt: at(10) });
  const failed = step('h/2', { depth: 1, state: 'failed', startedAt: at(10), endedAt: at(20) });
  const runs = step('h/3', { depth: 1, state: 'running', startedAt: at(20) });
  const other = step('z', { state: 'running', startedAt: at(50) });
  expect(tookText(hook, [hook, done, failed, other], now)).toBe('20.0 s');
  expect(tookText(hook, [hook, done, failed, runs, other], now)).toBe('1 min 40 s');
  expect(tookText(hook, [hook], now)).toBe('0.0 s');
  expect([done, failed, runs].map((each) => tookText(each, [], now))).toEqual(['9.0 s', '10.0 s', '1 min 20 s']);
  expect(tookText(step('r', { state: 'ready', startedAt: at(1) }), [], now)).toBe('');
  expect(tookText(step('w'), [], now)).toBe('');
});
