import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cacheWithOwnNotes, RunningCommand, tracesOf } from './support/running-demo.js';

/** How long after what it printed the signal comes, in milliseconds: a moment that nobody chose. */
const WITHIN = 4_000;

let cache: Awaited<ReturnType<typeof cacheWithOwnNotes>>;
beforeAll(async () => {
  cache = await cacheWithOwnNotes();
});
afterAll(() => cache.remove());

let demo: RunningCommand | undefined;
afterEach(() => demo?.remove());

describe('a demo that gets Ctrl-C', () => {
  it.each(['== the lab', '== the lab', '== the services', '== the services', '== instantiate'])(
    'some moment after "%s" says so, and leaves nothing',
    async (line) => {
      demo = await RunningCommand.start(cache.folder, 'demo');
      await demo.printed(line);
      const dataDir = await demo.dataDir();
      const moment = randomInt(WITHIN);
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
