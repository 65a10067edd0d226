import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const RULES = join(import.meta.dirname, '../../deploy/prometheus');
/** Debian's package, unpacked and not installed: nothing of it is started. */
const FOLDER = join(homedir(), '.cache/windlass/lab/containers/prometheus');
const PROMTOOL = join(FOLDER, 'usr/bin/promtool');

beforeAll(async () => {
  if (existsSync(PROMTOOL)) return;
  mkdirSync(FOLDER, { recursive: true });
  await run('apt-get', ['download', 'prometheus'], { cwd: FOLDER });
  const deb = readdirSync(FOLDER).find((file) => file.endsWith('.deb')) ?? '';
  await run('dpkg', ['-x', join(FOLDER, deb), FOLDER]);
});

describe('promtool', () => {
  it('takes the rules', async () => {
    const { stdout } = await run(PROMTOOL, ['check', 'rules', join(RULES, 'windlass.rules.yml')]);
    expect(stdout).toContain('SUCCESS');
  });

  it.each(readdirSync(RULES).filter((file) => file.endsWith('.test.yml')))('passes %s', async (file) => {
    const { stdout, stderr } = await run(PROMTOOL, ['test', 'rules', file], { cwd: RULES }).catch((error: unknown) => {
      throw new Error((error as { stderr?: string; stdout?: string }).stderr ?? String(error));
    });
    expect(`${stdout}${stderr}`).toContain('SUCCESS');
  });
});
