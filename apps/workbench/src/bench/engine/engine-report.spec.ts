import { describe, expect, it } from 'vitest';
import { counted } from './counters.js';
import type { EngineReport, SideReport } from './engine-bench.js';
import { reportText, shortened } from './engine-report.js';
import { summary } from '../figures.js';
import { operationsUntil } from './engine-side.js';
import type { Figures } from './round.js';

const figures: Figures = {
  mostUnderWay: 50,
  toldToComeAgain: 0,
  operationsPerSecond: 12.5,
  postToCompleted: summary([100]),
  acceptedToPlanned: summary([10]),
  ownTime: { before: summary([1]), around: summary([2]), total: summary([3]) },
  ownTimeByStep: {},
  perOperation: { ...counted(() => 9), walBytes: 20_480, statements: 80 },
  statements: { 'SELECT 1 | 2': { calls: 3, planning: 0.5, executing: 1.25, walBytes: 40 } },
  requests: { 'Heat POST stacks': 1, 'Heat GET stacks/{name}': 2 },
  cpuPerOperation: { 'lcm-api': 7, PostgreSQL: 20, 'cheap VIM': 2.5, bench: 4 },
};

const round = { atOnce: 50, ...figures, termination: { ...figures, requests: { 'Heat DELETE stacks/{name}/{id}': 1 } } };

const side: SideReport = {
  services: ['lcm-api'],
  idlePerSecond: counted(() => 1),
  medians: [round],
  rounds: [round],
  messages: { instantiation: { pull: 4, reply: 6 }, termination: { pull: 3 } },
  memory: { 'lcm-api': { private: 60, resident: 100, peak: 120, cpu: 1 }, 'cheap VIM': { resident: 50, peak: 50, cpu: 1 } },
  servicesResidentMiB: 100,
  servicesPrivateMiB: 60,
  operations: 140,
};

const report: EngineReport = {
  ...side,
  bench: 'engine',
  at: '2026-11-26T20:00:00Z',
  machine: { cores: 2, processor: 'x', memoryMiB: 1, kernel: '6', node: 'v20', loadBefore: 3 },
  oneProcess: false,
  durable: true,
  vim: 'cheap',
  stacks: 'instant',
  stackTakes: 0,
  every: 0,
  runs: 1,
  warmUp: 20,
  imageStays: false,
};

const rows = (text: string): string[] => text.split('\n').map((line) => line.replaceAll(/ +/g, ' ').replaceAll(/-+/g, '-'));

describe('the report of `bench engine`', () => {
  it('has what an instantiation and a termination each cost: time, statements, WAL, requests, messages', () => {
    expect(rows(reportText(report))).toEqual(
      expect.arrayContaining([
        expect.stringContaining('on the cheap VIM') as string,
        '| WAL an operation (KiB) | 20.0 |',
        '| requests to the VIM an operation | 3.0 |',
        '| cheap VIM | 2.5 |',
        String.raw`| ${'`SELECT 1 \\| 2`'} | 3 | 1.25 | 0.50 | 40 |`,
        '| Heat GET stacks/{name} | 2 | 0 |',
        '| Heat DELETE stacks/{name}/{id} | 0 | 1 |',
        '| pull | 4 | 3 |',
        '| **all** | 10.0 | 3.0 |',
        '| memory after the last round, 140 operations (MiB) | private | resident | peak |',
        '| lcm-api | 60 | 100 | 120 |',
        '| cheap VIM | | 50 | 50 |',
        '| **all services** | **60** | **100** | |',
      ]),
    );
  });

  it('says first how many instances warmed up, and whether the image was there', () => {
    const first = (of: Partial<EngineReport>): string => reportText({ ...report, ...of }).split('\n')[0] ?? '';
    expect(first({ warmUp: 300 })).toContain('; 300 instances before; medians of 1 run.');
    expect(first({ imageStays: true })).toContain('; 20 instances before, the image of the package there in each round; medians');
  });

  it('says where a service’s time goes, and leaves out one that takes next to none', () => {
    const places = [{ of: 'libs/saga/engine', own: 2, withCalled: 5, share: 0.4 }];
    const idle = [{ of: 'pg', own: 0.1, withCalled: 0, share: 1 }];
    const text = reportText({
      ...report,
      profiles: { instantiation: { 'saga-coordinator': places, 'k8s-mgmt': idle }, termination: {} },
    });
    expect(rows(text)).toContain('| libs/saga/engine | 2.00 | 40 % | 5.00 |');
    expect(text).not.toContain('k8s-mgmt, ms of');
  });

  it('shows the other checkout and what this one is by it', () => {
    const ratios = [{ atOnce: 50, instantiation: { statements: 0.5 }, termination: { statements: 0.75 } }];
    expect(rows(reportText({ ...report, before: side, ratios }))).toContain('| statements | 0.5 | 0.75 |');
  });

  it('counts what the services did before their memory was read: two operations an instance, and those that warm up', () => {
    expect(operationsUntil([round, round], { counts: [50], warmUp: 20, imageStays: false })).toBe(2 * (20 + 50 + 50));
    expect(operationsUntil([{ ...round, atOnce: 7 }], { counts: [7], warmUp: 20, imageStays: false })).toBe(2 * (21 + 7));
    expect(operationsUntil([round], { counts: [50], warmUp: 300, imageStays: true })).toBe(2 * (300 + 50) + 1);
  });

  it('shows of a statement what has room in a table', () => {
    expect(shortened('x'.repeat(500))).toHaveLength(110);
    expect(shortened('a | `b`')).toBe(String.raw`a \| 'b'`);
  });
});
