import { describe, expect, it } from 'vitest';
import { inline, make } from '../testing/stage.js';
import { compilePlan, MAX_PLAN_BYTES } from './compile.js';
import { parallel, sequence, serial, type Plan, type PlanNode } from './plan.js';
import { common, outputOf, sourced } from './refs.js';

const planOf = (root: PlanNode, extra: Partial<Plan> = {}): Plan => ({ root, ...extra });
const arrows = (root: PlanNode) => Object.fromEntries(compilePlan(planOf(root)).steps.map(({ id, deps }) => [id, deps]));

describe('a plan as a flat graph', () => {
  it('lets a sequence wait for the one before, and a parallel part start and end together', () => {
    expect(arrows(sequence(make('a'), parallel([make('b'), sequence(make('c'), make('d'))]), make('e')))).toEqual({
      a: [],
      b: ['a'],
      c: ['a'],
      d: ['c'],
      e: ['b', 'd'],
    });
  });

  it('passes an empty part by', () => {
    expect(arrows(sequence(make('a'), parallel([]), serial([]), make('b')))).toEqual({ a: [], b: ['a'] });
  });

  it('has a step wait for others by name, too, each once', () => {
    const chain = (name: string) => sequence(make(`pack-${name}`), { ...make(`join-${name}`), after: ['init'] });
    expect(
      arrows(
        sequence(make('look'), parallel([make('init'), chain('x'), chain('y')]), { ...make('end'), after: ['look', 'init'] }),
      ),
    ).toEqual({
      look: [],
      init: ['look'],
      'pack-x': ['look'],
      'join-x': ['pack-x', 'init'],
      'pack-y': ['look'],
      'join-y': ['pack-y', 'init'],
      end: ['init', 'join-x', 'join-y', 'look'],
    });
  });

  it('gives each parallel part with a limit a group of its own, and a step all the groups that it stands in', () => {
    const root = sequence(
      parallel([make('a'), parallel([make('b')], { limit: 1 })], { limit: 2 }),
      parallel([make('c')], { limit: 2 }),
      parallel([make('d')]),
    );
    const groups = Object.fromEntries(compilePlan(planOf(root)).steps.map((step) => [step.id, step.groups]));
    expect(groups).toEqual({
      a: [{ id: '#0', limit: 2 }],
      b: [
        { id: '#0', limit: 2 },
        { id: '#1', limit: 1 },
      ],
      c: [{ id: '#2', limit: 2 }],
      d: [],
    });
  });

  it('puts the parent before the ids, the groups, the references and the common part of a grafted plan', () => {
    const root = sequence(
      make('a'),
      parallel(
        [make('b', { input: { x: outputOf('a', '/y'), z: [common('/c')], far: outputOf('/top'), own: sourced('vim') } })],
        {
          limit: 3,
        },
      ),
    );
    const { steps } = compilePlan(planOf(root, { common: { c: 1 } }), 'hook');
    expect(steps[1]).toMatchObject({
      id: 'hook/b',
      parentId: 'hook',
      deps: ['hook/a'],
      groups: [{ id: 'hook#0', limit: 3 }],
      input: {
        x: { $from: 'step:hook/a', at: '/y' },
        z: [{ $from: 'common:hook', at: '/c' }],
        far: { $from: 'step:top' },
        own: { $from: 'vim' },
      },
    });
  });

  it('has a digest that tells plans apart, and is the same for the same plan', () => {
    const digest = (id: string) => compilePlan(planOf(make(id))).digest;
    expect(digest('a')).toMatch(/^[0-9a-f]{64}$/);
    expect(digest('a')).toBe(digest('a'));
    expect(digest('a')).not.toBe(digest('b'));
  });
});

describe('a plan that can’t be carried out is refused with the reason', () => {
  const refusal = (root: PlanNode, parent: string | null = null, extra: Partial<Plan> = {}) => {
    try {
      compilePlan(planOf(root, extra), parent);
    } catch (error) {
      return (error as Error).message;
    }
    return 'taken';
  };

  it('for no step at all, unless it is grafted', () => {
    expect(refusal(sequence())).toBe('the plan has no step');
    expect(refusal(sequence(), 'hook')).toBe('taken');
  });

  it('for an id used twice', () => {
    expect(refusal(parallel([make('a'), make('a')]))).toBe('the plan has two steps with the id "a"');
  });

  it.each(['', 'a b', 'a/b', 'ä', 'a'.repeat(201)])('for the id "%s"', (id) => {
    expect(refusal(make(id))).toBe(`"${id}" is no step id: letters, digits, and . : @ _ - were expected`);
  });

  it.each([0, -1, 1.5, Number.NaN])('for a parallel part with the limit %d', (limit) => {
    expect(refusal(parallel([make('a')], { limit }))).toBe(
      `a parallel part has the limit ${limit}: a whole number above 0 was expected`,
    );
  });

  it.each([
    ['that stands behind it', sequence({ ...make('a'), after: ['b'] }, make('b'))],
    ['that is itself', { ...make('b'), after: ['b'] }],
    ['that is nowhere', { ...make('a'), after: ['b'] }],
  ])('for waiting by name for a step %s', (_title, root) => {
    expect(() => compilePlan(planOf(root))).toThrow(/is to be after "b", which does not stand before it/);
  });

  it('for the output of a step that does not come before', () => {
    const late = sequence(make('a', { input: { x: outputOf('b') } }), make('b'));
    expect(refusal(late)).toBe('step "a" uses the output of "b", which does not come before it');
    const beside = parallel([make('a'), make('b', { input: { deep: [{ x: outputOf('a') }] } })]);
    expect(refusal(beside)).toBe('step "b" uses the output of "a", which does not come before it');
    expect(refusal(make('a', { input: { x: outputOf('a') } }))).toContain('does not come before it');
  });

  it('for the output of a step that is not there, in a grafted plan too', () => {
    const plan = make('a', { input: { x: outputOf('typo') } });
    expect(refusal(plan)).toBe('step "a" uses the output of "typo", which is not in the plan');
    expect(refusal(plan, 'hook')).toBe('step "hook/a" uses the output of "hook/typo", which is not in the plan');
    expect(refusal(make('a', { input: { x: outputOf('/top') } }), 'hook')).toBe('taken');
  });

  it('for more than 512 KiB, counted in bytes, and says what to do', () => {
    const text = 'ä'.repeat(MAX_PLAN_BYTES / 2);
    expect(refusal(make('a', { input: { text } }))).toMatch(/^the plan is \d+ bytes of JSON, 524288 are allowed: move what/);
    expect(refusal(inline('a', { input: { text: 'a'.repeat(MAX_PLAN_BYTES - 1_000) } }))).toBe('taken');
  });
});
