import { describe, expect, it } from 'vitest';
import { step } from '../testing/steps.js';
import { barOf, lanesOf } from './lanes.js';
import { timeScaleOf } from './time-scale.js';

const done = { state: 'done', phase: 'do' } as const;

describe('lanes', () => {
  it('are one for each node or resource; what has no target stands with its service, a hook with none', () => {
    const steps = [
      step('g', { service: 'saga-coordinator' }),
      step('h', { action: 'ask-driver', target: 'driver' }),
      step('a', { target: 'n1' }),
      step('b', { target: 'n1' }),
    ];
    expect(lanesOf(steps, false).map(({ names, steps: of }) => [names, of.map(({ id }) => id)])).toEqual([
      [['(saga-coordinator)'], ['g']],
      [['n1'], ['a', 'b']],
    ]);
  });

  it('that are alike are one, but never one in which something failed or is tried again', () => {
    const failed = { kind: 'terminal', code: 'x', detail: 'no', status: 500 };
    const steps = [
      step('1', { target: 'n1', ...done }),
      step('2', { target: 'n2', ...done }),
      step('3', { target: 'n3', state: 'failed', error: failed }),
      step('4', { target: 'n4', state: 'failed', error: failed }),
      step('5', { target: 'n5', ...done }),
      step('6', { target: 'n6', state: 'running', attempt: 2 }),
    ];
    expect(lanesOf(steps, true).map(({ names }) => names)).toEqual([['n1', 'n2', 'n5'], ['n3'], ['n4'], ['n6']]);
    expect(lanesOf(steps, false).length).toBe(6);
  });

  it('are one for one machine, by its name, however its steps say where they work; what fails on one of several stands there, too', () => {
    const machine = (name: string, address: string) => ({ vnfcId: name, name, address });
    const [master, worker] = [machine('master10', '10.0.0.10'), machine('worker11', '10.0.0.11')];
    const on = (at: typeof master) => ({ machines: [at], machineCount: 1 });
    const steps = [
      step('inspect', { target: '3 nodes', state: 'failed', machines: [worker], machineCount: 3, failedOn: [worker] }),
      step('a', { target: 'master10', ...on(master) }),
      step('b', { target: '10.0.0.10', ...on(master) }),
      step('c', { target: 'worker11', ...on(worker) }),
    ];
    expect(lanesOf(steps, true).map(({ names, address, steps: of }) => [names, address, of.map(({ id }) => id)])).toEqual([
      [['3 nodes'], null, ['inspect']],
      [['worker11'], '10.0.0.11', ['inspect', 'c']],
      [['master10'], '10.0.0.10', ['a', 'b']],
    ]);
  });

  it('of 20,000 steps are made in one pass', () => {
    const steps = Array.from({ length: 20_000 }, (_, at) => step(`s${at}`, { target: `n${at % 10_000}`, ...done }));
    expect(lanesOf(steps, true).map(({ names }) => names.length)).toEqual([10_000]);
  });
});

describe('bars', () => {
  const at = (second: number): string => new Date(1_000_000_000_000 + second * 1_000).toISOString();
  const now = Date.parse(at(100));

  it('lie where the step ran, to now while it runs; what has not begun has none', () => {
    const steps = [step('a', { startedAt: at(0), endedAt: at(50) }), step('b', { startedAt: at(50) }), step('c')];
    const scale = timeScaleOf(steps, at(0), now, false);
    expect(steps.map((each) => barOf(each, scale, now))).toEqual([{ left: 0, width: 50 }, { left: 50, width: 50 }, undefined]);
  });

  it('stay on the lane when clocks disagree', () => {
    const early = step('a', { startedAt: at(-10), endedAt: at(-5) });
    const bar = barOf(early, timeScaleOf([early], at(0), now, true), now);
    expect(bar?.left).toBe(0);
    expect(bar?.width).toBeGreaterThan(0);
  });
});
