import { parallel, sequence, type Plan, type PlanNode, type StepNode } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { estimateOf } from './estimate.js';
import type { KnownDuration } from './known-durations.js';
import { planned, plannedBelow, type PlannedNode } from './planned-steps.js';
import { stepsIn } from './preview-operation.js';

/** A step whose action says how many seconds it takes; of `?` nobody knows. */
const step = (action: string, more: Partial<StepNode> = {}): StepNode => ({
  kind: 'step',
  id: action,
  action,
  version: 1,
  service: 'd',
  input: {},
  ...more,
});

const durations = {
  of: ({ action }: { action: string }): KnownDuration | undefined =>
    action === '?' ? undefined : { seconds: Number(action), basedOn: 1 },
};

const by = {
  durations,
  vms: new Map([
    ['server-1', { name: 'w-1', isToCome: true }],
    ['server-2', { name: 'w-2', isToCome: true }],
    ['vnfc-9', { name: 'old', isToCome: false }],
  ]),
};

const shown = (root: PlanNode): PlannedNode => planned({ root }, by);

describe('how long a plan takes', () => {
  it.each([
    ['a sequence: all of it', sequence(step('1'), step('2')), 3, false],
    ['side by side: the longest', parallel([step('1'), sequence(step('2'), step('3'))]), 5, false],
    ['some side by side: no less than the sum shared out', parallel([step('4'), step('5'), step('6')], { limit: 2 }), 7.5, false],
    ['some side by side: no less than the longest', parallel([step('1'), step('9')], { limit: 2 }), 9, false],
    [
      'with a step that waits for another by name',
      parallel([step('4'), sequence(step('1'), step('2', { after: ['4'] }))]),
      6,
      false,
    ],
    [
      'with one that waits by name for what is done before',
      parallel([step('1'), sequence(step('4'), step('2', { after: ['1'] }))]),
      6,
      false,
    ],
    ['with what nobody knows: at least the rest', sequence(step('1'), parallel([step('?'), step('2')])), 3, true],
    ['nothing', sequence(), 0, false],
  ] as const)('%s', (_title, root, seconds, isLowerBound) => {
    expect(estimateOf(shown(root))).toEqual({ seconds, isLowerBound });
  });

  it('is that of its driver’s plan at a hook, and not known where that is not', () => {
    const asks = shown(step('?')) as Extract<PlannedNode, { kind: 'step' }>;
    expect(estimateOf({ ...asks, hook: { driver: 'd', plan: shown(sequence(step('1'), step('2'))) } })).toEqual({
      seconds: 3,
      isLowerBound: false,
    });
    expect(estimateOf({ ...asks, duration: { seconds: 7, basedOn: 1 }, hook: { driver: 'd' } })).toEqual({
      seconds: 0,
      isLowerBound: true,
    });
  });
});

describe('a driver’s plan for VMs of two worlds', () => {
  const on = (address: string, server: string): StepNode =>
    step('1', { id: `join:${address}`, target: address, limits: [`host:${server}`] });
  const of = (...nodes: PlanNode[]): Plan => ({ root: sequence(...nodes) });
  const told = (one: Plan, other: Plan): (string | null)[][] =>
    stepsIn(plannedBelow('hook', one, other, by)).map(({ id, target }) => [id, target]);

  it('shows what both say, and calls the rest after its VM, or a number', () => {
    const both = (a: string, b: string): Plan => of(on(a, 'server-1'), on(b, 'server-2'), on('same', 'server-2'));
    expect(told(both('10.1', '10.2'), both('10.8', '10.9'))).toEqual([
      ['hook/1:w-1', 'w-1'],
      ['hook/1:w-2', 'w-2'],
      ['hook/join:same', 'same'],
    ]);
    const nobodys = (a: string): Plan => of(step('1', { id: a, target: a }), step('1', { id: `${a}b`, target: a }));
    expect(told(nobodys('10.1'), nobodys('10.2'))).toEqual([
      ['hook/1', null],
      ['hook/1#2', null],
    ]);
  });

  it('shows none of a made-up name where the plan itself has another shape in the other world', () => {
    const one = of(parallel([on('10.1', 'server-1')]), on('10.2', 'server-2'));
    for (const other of [of(on('10.1', 'server-1')), of(), of(parallel([step('2', { id: 'join:10.1', target: '10.1' })]))])
      expect(told(one, other)).toEqual([
        ['hook/1:w-1', 'w-1'],
        ['hook/1:w-2', 'w-2'],
      ]);
  });

  it('says which VMs a step works on: those whose hosts it holds, else those that it points at', () => {
    const pointing = { input: { vnfc: { $from: 'vnfc:vnfc-9' } } };
    const vms = (node: StepNode) => stepsIn(shown(node))[0]?.vms.map(({ name }) => name);
    expect(vms(step('1', pointing))).toEqual(['old']);
    expect(vms(step('1', { ...pointing, limits: ['host:server-1', 'host:server-2', 'host:gone'] }))).toEqual(['w-1', 'w-2']);
  });
});
