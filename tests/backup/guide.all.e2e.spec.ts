import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder, type TestFolder } from '@windlass/embedded/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { home } from '../support/deployed.js';
import { commandsOf } from '../support/guide-shell.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let folder: TestFolder;
const data = (): string => join(folder.path, '.cache/windlass/data');

/** Types commands in the person's own folder; what they printed. @throws Error where one fails */
function typed(commands: string): string {
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, LC_ALL: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync('/bin/bash', ['--norc', '-euo', 'pipefail', '-c', commands], {
    cwd: folder.path,
    env,
    encoding: 'utf8',
    timeout: 580_000,
  });
  if (status !== 0) throw new Error(`exit status ${String(status)} of\n${commands}\n${stdout}\n${stderr}`);
  return `${stdout}${stderr}`;
}

beforeAll(() => {
  folder = testFolder();
  symlinkSync(join(home, 'windlass'), join(folder.path, 'windlass'));
  typed('./windlass up --detach --port 0');
});

afterAll(() => {
  typed('./windlass down; ./windlass down --data ./new');
  folder.remove();
});

describe('the commands of docs/guides/backup.md', () => {
  it('save the record while services run, and bring it back in a new folder, where work goes on once it is audited', async () => {
    const [save = '', bringBack = ''] = await commandsOf('backup.md');
    expect(typed(save)).toMatch(/wrote monday\.backup: \d+ rows[\s\S]*is whole/);
    typed('./windlass down');
    mkdirSync(join(folder.path, 'new/secrets'), { recursive: true, mode: 0o700 });
    copyFileSync(join(data(), 'secrets/master-key'), join(folder.path, 'new/secrets/master-key'));
    const printed = typed(bringBack.replace('--detach', '--detach --port 0'));
    expect(printed).toMatch(
      /restored \d+ rows[\s\S]*incarnation \d+ begins[\s\S]*Windlass is ready[\s\S]*brought back from a backup/,
    );
    expect(typed('sleep 5; ./windlass restored show --data ./new')).toContain('released by audits');
  });
});
