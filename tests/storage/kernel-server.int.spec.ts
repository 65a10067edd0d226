import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ScriptBench } from '@windlass/driver-kit/testing';
import { debianProgram } from '@windlass/lab';
import { kernelMachine, SET_UP_STORAGE } from '@windlass/storage-mgmt/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const EXPORTFS = '/usr/sbin/exportfs';

let node: ScriptBench;
/** A root of its own for exportfs: this machine's exports and its kernel are no part of it. */
let root: string;

beforeAll(async () => {
  node = kernelMachine('');
  const tables = ['volumes', 'exports', 'apt.conf'].map((name) => node.at(name));
  expect(await node.run(SET_UP_STORAGE, tables)).toMatchObject({ status: 0, stderr: '' });
  root = await mkdtemp(join(tmpdir(), 'windlass-exports-'));
  for (const folder of ['etc/exports.d', 'var/lib/nfs', 'opt/volume/nfs/pv1'])
    await mkdir(join(root, folder), { recursive: true });
  // The package brings an empty one.
  await writeFile(join(root, 'etc/exports'), '');
  await lay(await debianProgram('exportfs'), EXPORTFS);
});
afterAll(async () => {
  node.remove();
  await rm(root, { recursive: true });
});

/** A program and the libraries that it is linked to. */
async function lay(program: string, at: string): Promise<void> {
  const { stdout } = await run('ldd', [program]);
  const libraries = [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path = '']) => path);
  for (const [from, to] of [[program, at], ...libraries.map((path) => [path, path])] as [string, string][]) {
    await mkdir(dirname(join(root, to)), { recursive: true });
    await copyFile(from, join(root, to));
  }
}

const exportfs = (...args: string[]) => run('chroot', [root, EXPORTFS, ...args]);
const exports = (): string => node.read('etc/exports.d/windlass.exports').replaceAll(node.root, '');
const writeExports = (text: string) => writeFile(join(root, 'etc/exports.d/windlass.exports'), text);

describe('what the storage server’s script writes, read by the programs that it is for', () => {
  it('is taken by exportfs of Debian’s kernel server, which shows the directory, its clients and its options', async () => {
    await writeExports(exports());
    expect(await exportfs('-ra')).toEqual({ stdout: '', stderr: '' });
    const { stdout } = await exportfs('-s');
    expect(stdout).toMatch(
      /^\/opt\/volume\/nfs\/pv1 +10\.10\.0\.0\/24\(.*no_subtree_check,mountpoint=\/opt\/volume,.*all_squash\)\n$/,
    );
  });

  it('would be refused by it with an option that there is not', async () => {
    await writeExports(exports().replace('no_subtree_check', 'no_subtrees'));
    await expect(exportfs('-ra')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('no_subtrees') as string });
  });

  it('is an fstab without a fault to findmnt, but for disks that this machine has not', async () => {
    const found = run('findmnt', ['--verify', '--verbose', '--tab-file', node.at('etc/fstab')]);
    const { stdout, stderr } = (await found.catch((error: unknown) => error)) as { stdout: string; stderr: string };
    expect(stderr).toContain('0 parse errors');
    const faults = stdout.split('\n').filter((line) => /^ *\[[EW]\]/.test(line));
    expect(faults.map((line) => line.trim())).toEqual(
      ['root', '11-22'].map((uuid) => `[E] unreachable on boot required source: UUID=${uuid}`),
    );
    expect(stdout).toContain('x-systemd.before=nfs-server.service');
  });
});
