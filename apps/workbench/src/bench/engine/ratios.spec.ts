import { describe, expect, it } from 'vitest';
import { counted } from './counters.js';
import { medians, summary } from '../figures.js';
import { ratiosOf } from './ratios.js';
import type { Figures, Round } from './round.js';

const figures = (rate: number, cpu: number): Figures => ({
  mostUnderWay: 1,
  toldToComeAgain: 0,
  operationsPerSecond: rate,
  postToCompleted: summary([1]),
  acceptedToPlanned: summary([1]),
  ownTime: { before: summary([1]), around: summary([1]), total: summary([10]) },
  ownTimeByStep: {},
  perOperation: counted(() => 8),
  statements: {},
  requests: { 'Heat GET stacks': cpu },
  cpuPerOperation: { 'lcm-api': cpu, 'infra-driver': cpu, PostgreSQL: 5, bench: 1_000 },
});

const round = (rate: number, cpu: number): Round => ({ atOnce: 50, ...figures(rate, cpu), termination: figures(2 * rate, cpu) });

describe('one checkout by another', () => {
  it('is the median of the ratios of runs that were in turns, and of services the sum', () => {
    const ours = [round(10, 1), round(100, 3), round(30, 1)];
    const theirs = [round(5, 2), round(10, 6), round(10, 4)];
    const [ratios] = ratiosOf([50], ours, theirs, ['lcm-api', 'infra-driver']);
    expect(ratios?.instantiation).toMatchObject({ 'operations a second': 3, 'processor time, services': 0.5, statements: 1 });
    expect(ratios?.termination).toMatchObject({ 'operations a second': 3, 'requests to the VIM': 0.5 });
  });

  it('has no figure where the other has none', () => {
    const [ratios] = ratiosOf([50], [round(1, 1)], [round(1, 0)], ['lcm-api']);
    expect(ratios?.instantiation['processor time, services']).toBeNaN();
  });
});

describe('the median of several rounds', () => {
  it('counts what a round does not have as none', () => {
    const requests = [{ a: 3, b: 1 }, { a: 5 }, { a: 4 }];
    expect(medians<Record<string, number>>(requests)).toEqual({ a: 4, b: 0 });
  });
});
