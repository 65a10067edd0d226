import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { flakyLines, flakyTable, oftenFlaky, recordFlaky, sightings } from './flaky.js';
import type { FileResult } from './report.js';

const failed = (file: string): FileResult => ({
  suite: 'int',
  file,
  passed: 2,
  failed: 1,
  failures: [{ test: 'ends', why: 'waited 20 s' }],
  load: 'load 9.2',
});

it('each sighting of a flaky file is kept, told by file and count, and named in every run from the third on', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'windlass-flaky-'));
  try {
    expect(flakyTable(await sightings(cache))).toEqual(['no flaky test was seen on this machine']);
    const at = new Date('2026-11-25T10:00:00Z');
    await recordFlaky(cache, [failed('a'), failed('b')], at);
    await recordFlaky(cache, [failed('b')], at);
    expect(oftenFlaky(await sightings(cache))).toEqual([]);
    await recordFlaky(cache, [failed('b')], at);
    const seen = await sightings(cache);
    expect(oftenFlaky(seen)).toEqual([expect.stringMatching(/ b \(3\)$/)]);
    const line = '      2026-11-25T10:00:00.000Z  load 9.2  ends: waited 20 s';
    expect(flakyTable(seen)).toEqual(['   3  b', line, line, line, '   1  a', line]);
  } finally {
    await rm(cache, { recursive: true });
  }
});

it('a flaky test is told with its suite, its reason and how busy the machine was', () => {
  expect(flakyLines(failed('a'))).toEqual(['FLAKY  int a: ends: waited 20 s (load 9.2)']);
});
