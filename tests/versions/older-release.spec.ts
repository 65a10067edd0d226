import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commitOf } from './support/older-release.js';

const folder = mkdtempSync(join(tmpdir(), 'windlass-clones-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const git = (...words: string[]): string => execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trim();

describe('the release that runs beside this one', () => {
  it('is said to be missing where a clone is shallow, with how to get it', async () => {
    git('init', '--quiet', 'whole');
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    for (const message of ['one', 'two']) git('-C', 'whole', ...author, 'commit', '--quiet', '--allow-empty', '-m', message);
    const first = git('-C', 'whole', 'rev-parse', 'HEAD~1');
    git('clone', '--quiet', '--depth', '1', `file://${join(folder, 'whole')}`, 'shallow');
    expect(await commitOf(first, join(folder, 'whole'))).toBe(first);
    await expect(commitOf(first, join(folder, 'shallow'))).rejects.toThrow(
      /shallow.*git fetch --unshallow.*WINDLASS_OLDER_RELEASE/,
    );
    await expect(commitOf('0'.repeat(40), join(folder, 'whole'))).rejects.toThrow(/has no commit 0+: "git fetch" it/);
    await expect(commitOf('--all', join(folder, 'whole'))).rejects.toThrow(/has no commit --all/);
  });
});
