import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const deploy = join(import.meta.dirname, '../../deploy');
const script = join(deploy, 'make-secrets.mjs');

/** As it stands in /etc/passwd everywhere; the test is root. */
const NOBODY = 65_534;

let base: string;
let folder: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'windlass-make-secrets-'));
  folder = join(base, 'secrets');
});
afterEach(() => rmSync(base, { recursive: true }));

/** Runs the script as it is run before compose; it needs the build, and a second. */
const makeAll = (into = folder) => spawnSync(process.execPath, [script, into], { encoding: 'utf8' });

/** The same with two files, by what the script does it with. */
const PART = `
  import { kept, privateFolder, written } from ${JSON.stringify(join(deploy, 'secrets-folder.mjs'))};
  const folder = privateFolder(process.argv[1]);
  kept(folder, 'master-key', () => 'ab'.repeat(32));
  written(folder, 'nats-conf', 'a configuration');
`;
const make = (into = folder) =>
  spawnSync('sh', ['-c', 'umask 077; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', PART, into], {
    encoding: 'utf8',
  });
const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

describe('the secrets of compose', () => {
  it('lie in a folder that only their owner looks into, although git made it open, and are kept when the script runs again', () => {
    mkdirSync(folder, { mode: 0o755 });
    writeFileSync(join(folder, '.gitignore'), '*');
    chmodSync(folder, 0o755);
    expect(makeAll()).toMatchObject({ status: 0, stderr: '' });
    expect(modeOf(folder)).toBe(0o700);
    const key = readFileSync(join(folder, 'master-key'), 'utf8');
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['database-url', 'enrolment-tokens', 'lcm-token', 'nats-conf']));
    const again = makeAll();
    expect(again).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(folder, 'master-key'), 'utf8')).toBe(key);
  });

  it('are said to be known to others where the folder with them was open', () => {
    make();
    chmodSync(folder, 0o750);
    const { status, stderr } = make();
    expect(status).toBe(0);
    expect(stderr).toMatch(/was open to others and is 0700 now/);
    expect(modeOf(folder)).toBe(0o700);
  });

  it('lie in such a folder where there was none', () => {
    expect(make(join(folder, 'of/its/own'))).toMatchObject({ status: 0, stderr: '' });
    expect(modeOf(join(folder, 'of/its/own'))).toBe(0o700);
  });

  it('are not made in a folder of somebody else', () => {
    mkdirSync(folder);
    chownSync(folder, NOBODY, NOBODY);
    expect(make()).toMatchObject({ status: 1, stderr: expect.stringMatching(/belongs to user 65534.*chown it/) as string });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['', '/'])('are not made behind a symbolic link in the place of the folder (%j)', (slash) => {
    const elsewhere = join(base, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o755 });
    symlinkSync(elsewhere, folder);
    expect(make(`${folder}${slash}`)).toMatchObject({ status: 1, stderr: expect.stringContaining('symbolic link') as string });
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(modeOf(elsewhere)).toBe(0o755);
  });

  it.each(['master-key', 'nats-conf'])('are not written through a link in the place of %s', (name) => {
    mkdirSync(folder);
    const target = join(base, 'target');
    symlinkSync(target, join(folder, name));
    expect(make()).toMatchObject({ status: 1, stderr: expect.stringContaining('symbolic link') as string });
    expect(existsSync(target)).toBe(false);
    writeFileSync(target, 'another program’s');
    rmSync(join(folder, name));
    linkSync(target, join(folder, name));
    expect(make()).toMatchObject({ status: 1, stderr: expect.stringContaining('not a file of its own') as string });
    expect(readFileSync(target, 'utf8')).toBe('another program’s');
  });

  it('are not taken from a file that somebody else put there and can read', () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'master-key'), 'ab'.repeat(32));
    chownSync(join(folder, 'master-key'), NOBODY, NOBODY);
    expect(make()).toMatchObject({ status: 1, stderr: expect.stringContaining('belongs to user 65534') as string });
  });

  it('can be read by containers, whose users are others, whatever the umask is', () => {
    expect(make()).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(folder)).toHaveLength(2);
    for (const name of readdirSync(folder)) expect([name, modeOf(join(folder, name))]).toEqual([name, 0o644]);
  });
});
