import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { readTokens, readUsers, sha256Of } from '@windlass/service-kit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { surroundings } from '../surroundings/config.js';
import { accessCommand } from './access.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'windlass-access-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command with a text on stdin; returns what it printed. */
async function run(input: string, ...args: string[]): Promise<string> {
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await accessCommand({ ...surroundings({}), calledFrom: folder }, Readable.from([input])).parseAsync(args, { from: 'user' });
    return said.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    said.mockRestore();
  }
}

const file = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe('windlass access', () => {
  it('adds tokens that the service takes, keeps their digests alone, and removes them by name', async () => {
    const where = ['--file', 'tokens', '--project', 'p1', '--role'];
    const first = (await run('', 'add-token', 'nfvo', ...where, 'operator')).trim();
    const second = (await run('', 'add-token', 'eye', ...where, 'reader', '--expires', '2030-01-01T00:00:00Z')).trim();
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(file('tokens')).not.toMatch(new RegExp(`${first}|${second}`));
    expect(statSync(join(folder, 'tokens')).mode & 0o777).toBe(0o600);
    expect(readTokens(file('tokens')).get(sha256Of(first))).toMatchObject({ name: 'nfvo', project: 'p1', roles: ['operator'] });
    expect(readTokens(file('tokens')).get(sha256Of(second))).toMatchObject({ expires: Date.UTC(2030, 0, 1) });
    await run('', 'remove', 'nfvo', '--file', 'tokens');
    expect([...readTokens(file('tokens')).values()].map(({ name }) => name)).toEqual(['eye']);
    await expect(run('', 'remove', 'nfvo', '--file', 'tokens')).rejects.toThrow(/has no entry named nfvo/);
  });

  it('adds a user whose password comes by stdin, and refuses what the service could not read', async () => {
    const add = (name: string, input: string): Promise<string> =>
      run(input, 'add-user', name, '--file', 'users', '--project', 'p1', '--role', 'admin');
    await add('anna', 'a long password\n');
    expect(readUsers(file('users')).get('anna')).toMatchObject({ project: 'p1', roles: ['admin'] });
    expect(file('users')).not.toContain('a long password');
    await expect(add('berta', 'short\n')).rejects.toThrow(/12 characters at least/);
    await expect(add('a:b', 'a long password\n')).rejects.toThrow(/expected no colon/);
    await expect(add('anna', 'a long password\n')).rejects.toThrow(/the same name/);
    expect(readUsers(file('users')).size).toBe(1);
  });

  it('touches no file that it can’t read', async () => {
    writeFileSync(join(folder, 'tokens'), 'something else');
    await expect(run('', 'add-token', 'x', '--file', 'tokens', '--project', 'p', '--role', 'reader')).rejects.toThrow();
    expect(file('tokens')).toBe('something else');
  });
});
