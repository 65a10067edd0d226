import { seconds } from '@windlass/foundation';
import { expect, it, vi } from 'vitest';
import { Lanes, type InLane } from './lanes.js';

/** Lanes whose runs end when the test says so. */
function scene(lanes: number, slow = seconds(60)) {
  const runs: { names: string[]; end: () => void }[] = [];
  const run = (together: readonly InLane<string>[]): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        for (const one of together) one.resolve();
        resolve();
      };
      runs.push({ names: together.map(({ request }) => request), end });
    });
  const mayJoin = (name: string, others: readonly string[]): boolean => !others.includes(name);
  const made = new Lanes<string>({ lanes, most: 3, mayJoin, slow }, run);
  return { runs, ask: (...names: string[]) => Promise.all(names.map((name) => made.ask(name))) };
}

it('whoever finds a lane free waits for nobody; those that come meanwhile are done as one, in their order, and no more than may be', async () => {
  const { runs, ask } = scene(2);
  const all = ask('a', 'b', 'c', 'd', 'e', 'f');
  expect(runs.map(({ names }) => names)).toEqual([['a'], ['b']]);
  runs[1]!.end();
  await expect.poll(() => runs[2]?.names).toEqual(['c', 'd', 'e']);
  runs[0]!.end();
  await expect.poll(() => runs[3]?.names).toEqual(['f']);
  for (const { end } of runs.slice(2)) end();
  await all;
});

it('what may not join the others keeps its turn for the next', async () => {
  const { runs, ask } = scene(1);
  const all = ask('a', 'b', 'b', 'c');
  runs[0]!.end();
  await expect.poll(() => runs[1]?.names).toEqual(['b', 'c']);
  runs[1]!.end();
  await expect.poll(() => runs[2]?.names).toEqual(['b']);
  runs[2]!.end();
  await all;
});

it('nobody waits for a lane that waits for somebody, and it is no lane more when that has ended', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { runs, ask } = scene(1, seconds(0.25));
    const all = ask('a', 'b', 'c');
    vi.advanceTimersByTime(249);
    expect(runs).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(runs[1]?.names).toEqual(['b', 'c']);
    runs[0]!.end();
    const later = ask('d');
    await new Promise((resolve) => setImmediate(resolve));
    expect(runs).toHaveLength(2);
    runs[1]!.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(runs[2]?.names).toEqual(['d']);
    runs[2]!.end();
    await Promise.all([all, later]);
  } finally {
    vi.useRealTimers();
  }
});
