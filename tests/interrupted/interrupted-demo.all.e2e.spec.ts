import fc from 'fast-check';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testSeed } from '../support/seed.js';
import { cacheWithOwnNotes, RunningCommand, tracesOf } from './support/running-demo.js';

/** How long at most after what it printed the signal comes, in milliseconds. */
const WITHIN = 4_000;
const LINES = ['== the lab', '== the lab', '== the services', '== the services', '== instantiate'];
/** When it comes: moments that nobody chose, the same with the same seed. */
const MOMENTS = fc.sample(fc.nat(WITHIN - 1), { seed: testSeed(), numRuns: LINES.length });

let cache: Awaited<ReturnType<typeof cacheWithOwnNotes>>;
beforeAll(async () => {
  cache = await cacheWithOwnNotes();
});
afterAll(() => cache.remove());

let demo: RunningCommand | undefined;
afterEach(() => demo?.remove());

describe('a demo that gets Ctrl-C', () => {
  it.each(LINES.map((line, n) => [line, MOMENTS[n]!] as const))(
    'some moment after "%s" (%i ms) says so, and leaves nothing',
    async (line, moment) => {
      demo = await RunningCommand.start(cache.folder, 'demo');
      await demo.printed(line);
      const dataDir = await demo.dataDir();
      await pause(moment);
      await demo.interrupt();
      // Who reads its output may be gone with the same Ctrl-C.
      if (moment % 2 === 0) demo.child.stderr?.destroy();
      const { text, status, signal } = await demo.ended;
      expect({ text, status, signal }, `after ${moment} ms`).toMatchObject({
        text: expect.stringContaining('interrupted: cleaning up') as string,
        status: 130,
      });
      expect(text).toContain('nothing is left');
      expect(dataDir).toBeDefined();
      expect(existsSync(dataDir ?? '')).toBe(false);
      expect(await tracesOf(dataDir ?? '')).toEqual([]);
    },
  );
});
