import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LabRun, reclaimRuns } from './lab-run.js';

let cache: string;
let dataDir: string;
beforeEach(async () => {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'windlass-lab-run-'));
  [cache, dataDir] = [join(folder, 'cache'), join(folder, 'data')];
  await mkdir(dataDir);
});
afterEach(() => rm(join(cache, '..'), { recursive: true, force: true }));

/** A process that notes a run of its own, and then either dies or ends in order. */
async function processThat(ends: 'dies' | 'ends'): Promise<number> {
  const program = `const { LabRun } = await import(${JSON.stringify(new URL('../../dist/lab/lab-run.js', import.meta.url).href)});
const run = await LabRun.begin(${JSON.stringify(cache)}, ${JSON.stringify(dataDir)}, true);
${ends === 'ends' ? 'await run.end()' : "process.kill(process.pid, 'SIGKILL')"};`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

const notes = async (): Promise<string[]> => (await readdir(join(cache, 'lab-runs'))).filter((name) => name !== 'lock');

describe('what a run left that died', () => {
  it('is removed by one of those that come at once, which says so, and is gone when any of them goes on', async () => {
    const pid = await processThat('dies');
    const lines: string[] = [];
    const reclaim = async (): Promise<boolean> => {
      await reclaimRuns(cache, (line) => lines.push(line));
      return existsSync(dataDir);
    };
    expect(await Promise.all(Array.from({ length: 8 }, reclaim))).toEqual(Array(8).fill(false));
    expect(lines).toEqual([`removed what process ${pid} left when it died: the folder ${dataDir}`]);
    expect(await notes()).toEqual([]);
  });

  it('is not what a living run has, nor one that ended in order', async () => {
    const lines: string[] = [];
    await processThat('ends');
    await reclaimRuns(cache, (line) => lines.push(line));
    const run = await LabRun.begin(cache, dataDir, true);
    await reclaimRuns(cache, (line) => lines.push(line));
    expect([lines, existsSync(dataDir), (await notes()).length]).toEqual([[], true, 1]);
    await run.end();
    expect(await notes()).toEqual([]);
  });
});
