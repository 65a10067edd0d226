import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cacheWithOwnNotes, RunningCommand, tracesOf } from './support/running-demo.js';

let cache: Awaited<ReturnType<typeof cacheWithOwnNotes>>;
beforeAll(async () => {
  cache = await cacheWithOwnNotes();
});
afterAll(() => cache.remove());

const commands: RunningCommand[] = [];
const started = async (...args: string[]): Promise<RunningCommand> => {
  const command = await RunningCommand.start(cache.folder, ...args);
  commands.push(command);
  return command;
};

afterEach(async () => {
  await Promise.all(commands.splice(0).map((command) => command.remove()));
});

describe('a demo that is killed', () => {
  it('leaves a bridge and a folder, which the next lab removes, whatever folder that one uses', async () => {
    const demo = await started('demo');
    await demo.printed('== the services');
    const dataDir = (await demo.dataDir()) ?? '';
    expect(await tracesOf(dataDir)).toContainEqual(expect.stringMatching(/^the link wl-/));
    process.kill(demo.pid, 'SIGKILL');
    await demo.ended;
    expect(existsSync(dataDir)).toBe(true);
    expect(await tracesOf(dataDir)).not.toEqual([]);

    const other = await mkdtemp(join(tmpdir(), 'windlass-other-'));
    try {
      const lab = await started('lab', '--data', other);
      await lab.printed('Ctrl-C stops it.');
      expect(await tracesOf(dataDir)).toEqual([]);
      expect(existsSync(dataDir)).toBe(false);
      await lab.interrupt();
      const { text, status } = await lab.ended;
      expect(text).toContain(`removed what process ${demo.pid} left when it died`);
      expect(status).toBe(0);
      expect(await tracesOf(other)).toEqual([]);
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });
});
