import { describe, expect, it } from 'vitest';
import { takenBare } from './beside-bare.js';
import {
  aimsOf,
  besideFigures,
  KINDS,
  requestsByService,
  spanOf,
  turnsOf,
  type BesideRun,
  type Taken,
} from './beside-figures.js';
import { besideText } from './beside-report.js';

const taken = (took: number, requests: Record<string, number> = {}): Taken => ({ took, requests });
const run = (one: [number, number], many: [number, number], first: BesideRun['first'] = 'bare'): BesideRun => {
  const both = ([bare, windlass]: [number, number]) => ({ bare: taken(bare), windlass: taken(windlass) });
  return { first, kinds: { makeOne: both(one), endOne: both(one), makeMany: both(many), endMany: both(many) } };
};

describe('stacks beside bare requests', () => {
  it('are begun by the one and then by the other', () => {
    expect([1, 2, 3].map(turnsOf)).toEqual([
      ['bare', 'windlass'],
      ['windlass', 'bare'],
      ['bare', 'windlass'],
    ]);
  });

  it('have the medians of each run’s difference and ratio, not those of the medians', () => {
    const figures = besideFigures([
      run([1_000, 1_100], [1_000, 2_000]),
      run([3_000, 3_900], [2_000, 2_100]),
      run([2_000, 2_300], [4_000, 4_400]),
    ]);
    // The differences are 100, 900 and 300; the ratios 2, 1.05 and 1.1.
    expect(figures.makeOne).toMatchObject({ bare: 2_000, windlass: 2_300, difference: 300 });
    expect(figures.endMany).toMatchObject({ bare: 2_000, windlass: 2_100, ratio: 1.1 });
  });

  it('are held to 0.4 s more for one, and to 1.15 times as long for many', () => {
    const reached = (one: [number, number], many: [number, number]) =>
      aimsOf(besideFigures([run(one, many)])).map((aim) => [aim.kind, aim.what, aim.reached]);
    expect(reached([1_000, 1_400], [10_000, 11_500])).toEqual([
      ['makeOne', 'difference', true],
      ['endOne', 'difference', true],
      ['makeMany', 'ratio', true],
      ['endMany', 'ratio', true],
    ]);
    expect(reached([1_000, 1_401], [10_000, 11_600]).map(([, , so]) => so)).toEqual([false, false, false, false]);
  });

  it('count requests by service, without tokens, and 0 where a run asked for none', () => {
    const request = (service: string) => ({ service, method: 'GET', path: '/', status: 200, at: 0, until: 0 });
    expect(requestsByService(['identity', 'image', 'orchestration', 'orchestration'].map(request))).toEqual({
      image: 1,
      orchestration: 2,
    });
    const [first, second, third] = [run([1, 1], [1, 1]), run([1, 1], [1, 1]), run([1, 1], [1, 1])];
    first.kinds.makeOne.windlass.requests = { image: 5, orchestration: 9 };
    second.kinds.makeOne.windlass.requests = { orchestration: 11 };
    third.kinds.makeOne.windlass.requests = { orchestration: 10 };
    expect(besideFigures([first, second, third]).makeOne.requests.windlass).toEqual({ image: 0, orchestration: 10 });
  });

  it('take from the first request to the last end', () => {
    expect(
      spanOf([
        { sentAt: 1_005, endedAt: 4_000 },
        { sentAt: 1_000, endedAt: 3_000 },
      ]),
    ).toBe(3_000);
  });

  it('end by Heat’s events, and by a look where Heat’s log has no event', () => {
    const sentAt = new Date(2026, 10, 27, 7, 40, 0, 0).getTime();
    const stack = (name: string, seenAt: number) => ({ ref: { name, id: name }, sentAt, seenAt: sentAt + seenAt });
    const log = [
      '2026-11-27 07:40:01.250 47 DEBUG heat.engine.stack [-] Persisting stack a status CREATE COMPLETE',
      '2026-11-27 07:40:01.350 47 DEBUG heat.engine.stack [-] Persisting stack bb status CREATE COMPLETE',
    ].join('\n');
    const of = (...result: ReturnType<typeof stack>[]) => takenBare({ result, requests: [] }, log, 'CREATE COMPLETE');
    expect(of(stack('a', 1_500))).toMatchObject({ took: 1_250, seen: 1_500 });
    expect(of(stack('b', 1_500))).toMatchObject({ took: 1_500, seen: 1_500 });
    expect(of(stack('a', 1_500), stack('b', 2_000))).toMatchObject({ took: 2_000, seen: 2_000 });
  });

  it('are told without the image and the reading, which the client of Heat leaves out', () => {
    const one = run([1_000, 1_900], [1_000, 1_900]);
    const parts = { before: 500, image: 300, heat: 900, noticing: 100, reading: 250, rest: 150 };
    for (const kind of KINDS) one.kinds[kind].windlass.parts = parts;
    const { makeOne } = besideFigures([one]);
    expect(makeOne).toMatchObject({ difference: 900, beyond: { difference: 350, ratio: 1.35 }, parts });
    one.kinds.endOne.bare.seen = 1_500;
    expect(besideFigures([one]).endOne).toMatchObject({ difference: 900, seen: { difference: 400 } });
    // The aim is judged by everything.
    expect(aimsOf(besideFigures([one]))[0]).toMatchObject({ measured: 900, reached: false });
  });

  it('are told with what was missed', () => {
    const runs = [run([1_000, 1_500], [10_000, 11_000])];
    runs[0]!.kinds.endOne.windlass.moments = [{ at: 12.3, took: 45.6, what: 'step delete-stack' }];
    const figures = besideFigures(runs);
    const machine = { cores: 2, processor: 'p', memoryMiB: 1, kernel: 'k', node: 'n', loadBefore: 0.5 };
    const report = {
      bench: 'openstack-beside-bare',
      at: '',
      machine,
      oneProcess: false,
      count: 10,
      ownImages: false,
      firstImage: 90,
    } as const;
    const text = besideText({ ...report, figures, aims: aimsOf(figures), runs });
    expect(text).toContain('one VM, made: at most 400 ms more than bare: MISSED (500 ms)');
    expect(text).toMatch(/\| 12 +\| 46 +\| step delete-stack +\|/);
    expect(text).toContain('10 VMs at once, ended: at most 1.15 times as long as bare: reached (1.10)');
  });
});
