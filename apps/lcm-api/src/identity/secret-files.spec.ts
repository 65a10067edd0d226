import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millis } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashText, passwordHashOf, readTokens, readUsers, sha256Of } from '@windlass/service-kit';
import { BasicUsers } from './basic-users.js';
import { StaticTokens } from './static-tokens.js';
import { WatchedFile } from './watched-file.js';

let folder: string;
let file: string;
let lines: string[];
let changes = 0;
const note = (message: string, fields?: unknown): void => void lines.push(`${message} ${JSON.stringify(fields)}`);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-access-'));
  file = join(folder, 'entries.json');
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the file as an editor does, seen as changed whatever the file system's clock says. */
function write(content: unknown): void {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  const later = new Date(statSync(file).mtimeMs + 2_000 * ++changes);
  utimesSync(file, later, later);
}

const open = <T>(parse: (text: string) => T): Promise<WatchedFile<T>> =>
  new WatchedFile(file, parse, { info: note, warn: note, error: note }, millis(0)).open();

const entry = { name: 'nfvo', project: 'p1', roles: ['operator'] };

describe('a file of tokens', () => {
  const bearer = (token: string) => ({ kind: 'bearer', token }) as const;

  it('lets in by its digests, in X-Auth-Token and as a bearer', async () => {
    write([
      { ...entry, sha256: sha256Of('one') },
      { ...entry, name: 'other', roles: ['reader'], sha256: sha256Of('two') },
    ]);
    const tokens = new StaticTokens(await open(readTokens));
    expect(await tokens.authenticate(bearer('one'))).toEqual({ tenant: 'p1', user: 'nfvo', roles: ['operator'] });
    expect(await tokens.authenticate({ kind: 'x-auth-token', token: 'two' })).toMatchObject({ user: 'other', roles: ['reader'] });
    expect(await tokens.authenticate(bearer('three'))).toBeUndefined();
    expect(await tokens.authenticate({ kind: 'basic', user: 'nfvo', password: 'one' })).toBeUndefined();
  });

  it('rotates without a restart: a token that is added counts, one that is removed does not', async () => {
    write([{ ...entry, sha256: sha256Of('old') }]);
    const tokens = new StaticTokens(await open(readTokens));
    write([
      { ...entry, sha256: sha256Of('old') },
      { ...entry, sha256: sha256Of('new') },
    ]);
    expect(await tokens.authenticate(bearer('new'))).toBeDefined();
    expect(await tokens.authenticate(bearer('old'))).toBeDefined();
    write([{ ...entry, sha256: sha256Of('new') }]);
    expect(await tokens.authenticate(bearer('old'))).toBeUndefined();
    expect(await tokens.authenticate(bearer('new'))).toBeDefined();
  });

  it('keeps what it said before while it can’t be read, and the log says once that it can’t', async () => {
    write([{ ...entry, sha256: sha256Of('one') }]);
    const tokens = new StaticTokens(await open(readTokens));
    write('[{"sha256": "one", ');
    for (let n = 0; n < 3; n++) expect(await tokens.authenticate(bearer('one'))).toBeDefined();
    expect(lines).toEqual([expect.stringContaining('expected JSON') as string]);
    rmSync(file);
    for (let n = 0; n < 3; n++) expect(await tokens.authenticate(bearer('one'))).toBeDefined();
    expect(lines).toHaveLength(2);
    write([]);
    expect(await tokens.authenticate(bearer('one'))).toBeUndefined();
  });

  it('has tokens with an end', async () => {
    write([{ ...entry, sha256: sha256Of('one'), expires: '2027-01-01T00:00:00Z' }]);
    const at = async (time: string) =>
      new StaticTokens(await open(readTokens), () => Date.parse(time)).authenticate(bearer('one'));
    expect(await at('2026-12-31T23:59:59Z')).toBeDefined();
    expect(await at('2027-01-01T00:00:00Z')).toBeUndefined();
  });
});

describe('a file of users', () => {
  const basic = (user: string, password: string) => ({ kind: 'basic', user, password }) as const;

  it('lets in who knows the password, until it is changed or the user is removed', async () => {
    const [first, second] = [hashText(await passwordHashOf('a long password')), hashText(await passwordHashOf('a new password'))];
    write([{ ...entry, name: 'anna', password: first }]);
    const users = new BasicUsers(await open(readUsers));
    for (let n = 0; n < 2; n++)
      expect(await users.authenticate(basic('anna', 'a long password'))).toEqual({
        tenant: 'p1',
        user: 'anna',
        roles: ['operator'],
      });
    expect(await users.authenticate(basic('anna', 'a wrong password'))).toBeUndefined();
    expect(await users.authenticate(basic('berta', 'a long password'))).toBeUndefined();
    write([{ ...entry, name: 'anna', password: second }]);
    expect(await users.authenticate(basic('anna', 'a long password'))).toBeUndefined();
    expect(await users.authenticate(basic('anna', 'a new password'))).toBeDefined();
    write([]);
    expect(await users.authenticate(basic('anna', 'a new password'))).toBeUndefined();
  });

  it('looks at few passwords at once, whoever asks: 503 for the others', async () => {
    write([]);
    const users = new BasicUsers(await open(readUsers));
    const answers = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => users.authenticate(basic('anna', `try ${n}`))));
    const busy = answers.filter((answer) => answer.status === 'rejected');
    expect(busy).toHaveLength(24);
    expect(busy[0]?.reason).toMatchObject({ status: 503, code: 'auth.busy' });
    expect(await users.authenticate(basic('anna', 'afterwards'))).toBeUndefined();
  });
});

describe('an entry that is wrong', () => {
  const good = 'scrypt:32768:8:1:MDEyMzQ1Njc4OWFiY2RlZg==:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
  it.each([
    [readTokens, {}, /^expected a list of entries$/],
    [readTokens, ['x'], /^entry 0: expected an object$/],
    [
      readTokens,
      [{ ...entry, roles: ['root'], sha256: sha256Of('x') }],
      /^entry 0\.roles: expected a list of reader, operator, admin$/,
    ],
    [readTokens, [{ ...entry, project: '' }], /^entry 0\.project: expected a text/],
    [readTokens, [{ ...entry, sha256: 'my-token' }], /^entry 0\.sha256: expected the SHA-256/],
    [readTokens, [{ ...entry, sha256: sha256Of('x'), expires: 'soon' }], /^entry 0\.expires: expected a time/],
    [readTokens, [entry, entry].map((each) => ({ ...each, sha256: sha256Of('x') })), /same sha256/],
    [readUsers, [{ ...entry, password: 'in the clear' }], /^entry 0\.password: expected scrypt/],
    [readUsers, [{ ...entry, password: good.replace('32768', '1024') }], /^entry 0\.password/],
    [readUsers, [{ ...entry, password: good.replace('32768', '1048576') }], /^entry 0\.password/],
    [readUsers, [{ ...entry, name: 'a:b', password: good }], /^entry 0\.name: expected no colon/],
  ] as [(text: string) => unknown, unknown, RegExp][])(
    'is told by its place, with nothing of its secret (%#)',
    (read, content, message) => {
      let said = '';
      try {
        read(JSON.stringify(content));
      } catch (error) {
        said = (error as Error).message;
      }
      expect(said).toMatch(message);
      expect(said).not.toMatch(/my-token|in the clear/);
    },
  );
});
