import { describe, expect, it } from 'vitest';
import { step } from '../testing/steps.js';
import { criticalPath } from './critical-path.js';
import { inTree } from './steps.js';
import type { Step } from '../api/types.js';

const at = (second: number): string => new Date(1_000_000_000_000 + second * 1_000).toISOString();
const ran = (id: string, from: number, until: number | null, dependsOn: string[] = [], more: Partial<Step> = {}): Step =>
  step(id, {
    dependsOn,
    startedAt: at(from),
    endedAt: until === null ? null : at(until),
    state: until === null ? 'running' : 'done',
    ...more,
  });
const idsOf = (steps: readonly Step[]): string[] => criticalPath(inTree(steps)).map(({ id }) => id);

describe('the critical path', () => {
  it('leads from the beginning to what ended last, over what each step waited for longest', () => {
    const steps = [ran('a', 0, 1), ran('quick', 1, 2, ['a']), ran('slow', 1, 9, ['a']), ran('z', 9, 10, ['quick', 'slow'])];
    expect(idsOf(steps)).toEqual(['a', 'slow', 'z']);
  });

  it('goes through the plan that a hook became, and out of it', () => {
    const hook = ran('hook', 1, 8, ['a'], { action: 'ask-driver' });
    const within = { parentId: 'hook', depth: 1 };
    const steps = [
      ran('a', 0, 1),
      hook,
      ran('h/1', 1, 3, [], within),
      ran('h/2', 3, 8, ['h/1'], within),
      ran('h/3', 3, 4, ['h/1'], within),
      ran('after', 8, 9, ['hook']),
    ];
    expect(idsOf(steps)).toEqual(['a', 'h/1', 'h/2', 'after']);
  });

  it('ends at what runs, and began first', () => {
    expect(idsOf([ran('a', 0, 5), ran('b', 6, null, ['a']), ran('c', 5, null, ['a']), step('d', { dependsOn: ['c'] })])).toEqual([
      'a',
      'c',
    ]);
  });

  it('has all steps that one transaction ran at one moment, the last of the plan at its end', () => {
    expect(idsOf([ran('a', 0, 5), ran('b', 5, 5, ['a']), ran('c', 5, 5, ['b'])])).toEqual(['a', 'b', 'c']);
    const within = { parentId: 'hook', depth: 1 };
    const hook = ran('hook', 0, 5, [], { action: 'ask-driver' });
    expect(idsOf([hook, ran('h/1', 5, 5, [], within), ran('h/2', 5, 5, ['h/1'], within), ran('z', 5, 6, ['hook'])])).toEqual([
      'h/1',
      'h/2',
      'z',
    ]);
  });

  it('is none before anything ran, and of a roll-back', () => {
    expect(idsOf([step('a')])).toEqual([]);
    expect(idsOf([ran('a', 0, 1), ran('b', 2, 3, ['a'], { phase: 'undo' })])).toEqual([]);
  });

  it('comes to an end where steps wait for each other, or stand in plans of nobody', () => {
    expect(
      idsOf([ran('a', 0, 1, ['b']), ran('b', 1, 2, ['a']), ran('c', 2, 3, ['gone', 'b'], { parentId: 'nobody' })]).length,
    ).toBe(3);
    const round = [ran('p', 0, 1, [], { parentId: 'q' }), ran('q', 0, 2, [], { parentId: 'p' })];
    expect(criticalPath(round).length).toBe(1);
  });

  it('of 20,000 steps one after the other is found in one pass', () => {
    const steps = Array.from({ length: 20_000 }, (_, n) => ran(`s${n}`, n, n + 1, n === 0 ? [] : [`s${n - 1}`]));
    expect(idsOf(steps).length).toBe(20_000);
  });
});
