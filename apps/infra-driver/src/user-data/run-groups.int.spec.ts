import { seconds } from '@windlass/foundation';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { interpreterOf } from './interpreters.js';
import { makeGroup, parentOfGroups, sweep } from './run-groups.js';
import { runInSandbox } from './sandbox.js';
import { python } from './testing/script-world.js';

const MIB = 1024 * 1024;
/** Where this machine has cgroup v2, if this process may make groups there. */
const mount = readFileSync('/proc/self/mountinfo', 'utf8')
  .split('\n')
  .map((line) => line.split(' '))
  .find((words) => words[words.indexOf('-') + 1] === 'cgroup2')?.[4];
const mayMake = mount !== undefined && isWritable(mount);
const here = parentOfGroups();
/** Where a machine has no group to give, that is what is seen of it. */
const told = (what: string) => () => {
  test(`${what}: none can be had here, and why is said`, () => {
    expect('missing' in here && here.missing).toMatch(/./);
  });
};

function isWritable(folder: string): boolean {
  try {
    accessSync(join(folder, 'cgroup.procs'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

describe('a service finds where it may make groups', () => {
  let root: string;
  beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'windlass-groups-'))));
  afterEach(() => rmSync(root, { recursive: true }));

  /** What the kernel would show of a group: plain files, which are only read here. */
  function shown(files: Record<string, string>, { group = '/unit', mounted = '/' } = {}): ReturnType<typeof parentOfGroups> {
    const at = join(root, 'cgroup');
    mkdirSync(join(at, 'unit'), { recursive: true });
    mkdirSync(join(root, 'proc/self'), { recursive: true });
    writeFileSync(join(root, 'proc/self/cgroup'), `1:name=systemd:/other\n0::${group}\n`);
    const mountinfo = `24 1 0:21 / /proc rw shared:5 - proc proc rw\n30 24 0:26 ${mounted} ${at} rw,nosuid shared:9 - cgroup2 cgroup2 rw\n`;
    writeFileSync(join(root, 'proc/self/mountinfo'), mountinfo);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(at, 'unit', name), text);
    return parentOfGroups(join(root, 'proc'));
  }

  test('in its own, which limits memory below', () => {
    const files = { 'cgroup.controllers': 'cpu memory pids\n', 'cgroup.subtree_control': 'memory pids\n' };
    expect(shown(files)).toEqual({ folder: join(root, 'cgroup/unit') });
    expect(shown(files, { group: '/machine/unit', mounted: '/machine' })).toEqual({ folder: join(root, 'cgroup/unit') });
    expect(shown(files, { group: '/unit/windlass-service' })).toEqual({ folder: join(root, 'cgroup/unit') });
  });

  test.each([
    ['memory is not counted there', { 'cgroup.controllers': 'hugetlb\n' }, /the memory controller is not in .*\/unit/],
    [
      'others are in it',
      {
        'cgroup.controllers': 'memory\n',
        'cgroup.subtree_control': '\n',
        'cgroup.type': 'domain\n',
        'cgroup.procs': `1\n${process.pid}\n`,
      },
      /has other processes in it/,
    ],
    ['it is not to be seen', {}, /ENOENT/],
  ])('nowhere, where %s, and says so', (_, files, missing) => {
    expect(shown(files)).toEqual({ missing: expect.stringMatching(missing) as string });
  });
});

const leftovers = (): void => {
  const folder = join(mount ?? '', `windlass-sweep-${process.pid}`);
  beforeEach(() => mkdirSync(folder));
  afterEach(() => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) rmdirSync(join(folder, entry.name));
    rmdirSync(folder);
  });

  test('is killed and taken away, and what belongs to the living stays', async () => {
    const dead = spawnSync('/bin/true').pid;
    const [left, ours, theirs] = [
      `windlass-script-${dead}-1`,
      `windlass-script-${process.pid}-1`,
      `windlass-script-${process.ppid}-1`,
    ];
    for (const name of [left, ours, theirs, 'somebody-else']) mkdirSync(join(folder, name));
    const script = spawn('/bin/sleep', ['60']);
    writeFileSync(join(folder, left, 'cgroup.procs'), String(script.pid));
    const ended = once(script, 'exit');
    sweep(folder);
    expect(await ended).toEqual([null, 'SIGKILL']);
    const folders = (): string[] =>
      readdirSync(folder, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []));
    await expect.poll(() => folders().sort()).toEqual(['somebody-else', theirs]);
  });

  test('is nothing, where a group can be made and not limited', () => {
    expect(() => makeGroup(folder, { memoryBytes: MIB, tasks: 1 })).toThrow(/memory\.max/); // memory is not handed down to it
    expect(readdirSync(folder).filter((name) => name.startsWith('windlass-script-'))).toEqual([]);
  });
};

const ownGroups = (): void => {
  const below = 'folder' in here ? here.folder : '';
  const groups = (): string[] => readdirSync(below).filter((name) => name.startsWith(`windlass-script-${process.pid}-`));

  /** Runs a method under a limit that does not count what was written once it can't be written to any more. */
  const run = (body: string, signal = new AbortController().signal): ReturnType<typeof runInSandbox> => {
    const { program, files } = interpreterOf('python', '/usr/bin/python3');
    return runInSandbox({
      project: 'default',
      program: { ...program, memory: { bytes: 80 * MIB, of: 'data' } },
      files: new Map([...files, ['/package/script.py', Buffer.from(python(body))]]),
      input: JSON.stringify({ script: 'script.py', class: 'Data', method: 'instantiate', package: {}, v1: [] }),
      within: seconds(60),
      signal,
    });
  };

  test('that takes memory past all limits of a process is ended by that of the group', async () => {
    const end = await run(
      `import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
for n in range(1, 400):
  at = libc.mmap(None, ctypes.c_size_t(1 << 20), 3, 0x22, -1, ctypes.c_long(0))
  ctypes.memset(at, 1, 1 << 20)
  libc.mprotect(ctypes.c_void_p(at), ctypes.c_size_t(1 << 20), 1)
  print(f"touched {n} MiB", flush=True)`,
    );
    expect(end).toMatchObject({ ended: 'out-of-memory', result: '' });
    expect(Number([...end.said.matchAll(/touched (\d+) MiB/g)].at(-1)?.[1])).toBeLessThanOrEqual(96);
    expect(groups()).toEqual([]);
  });

  test('leaves none, whatever its end', async () => {
    expect((await run('return {}')).exitCode).toBe(0);
    expect(groups()).toEqual([]);
    const stop = new AbortController();
    const ran = run('import time\ntime.sleep(3600)', stop.signal);
    const limits = (): string[] => groups().map((name) => readFileSync(join(below, name, 'memory.max'), 'utf8').trim());
    await expect.poll(limits).toEqual([String(96 * MIB)]);
    const inIt = (): number =>
      groups().flatMap((name) =>
        readFileSync(join(below, name, 'cgroup.procs'), 'utf8')
          .trim()
          .split('\n'),
      ).length;
    await expect.poll(inIt).toBeGreaterThanOrEqual(3);
    stop.abort(new Error('the lease is lost'));
    await expect(ran).rejects.toThrow('the lease is lost');
    expect(groups()).toEqual([]);
  });

  test('may be made by a service that was alone in its own, and goes below', async () => {
    const own = (): string => join(mount ?? '', /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? '');
    const before = own();
    const unit = join(below, `windlass-unit-${process.pid}`);
    mkdirSync(unit);
    writeFileSync(join(unit, 'cgroup.procs'), String(process.pid));
    try {
      for (const _ of ['the first time', 'again']) {
        expect(parentOfGroups()).toEqual({ folder: unit });
        expect(own()).toBe(join(unit, 'windlass-service'));
      }
      const group = makeGroup(unit, { memoryBytes: 64 * MIB, tasks: 2 });
      const child = spawn('/bin/sleep', ['60']);
      group.add(child.pid ?? 0);
      const ended = once(child, 'exit');
      await group.remove();
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(readdirSync(unit).filter((name) => name.startsWith('windlass-script-'))).toEqual([]);
    } finally {
      writeFileSync(join(before, 'cgroup.procs'), String(process.pid));
      if (existsSync(join(unit, 'windlass-service'))) rmdirSync(join(unit, 'windlass-service'));
      rmdirSync(unit);
    }
  });
};

describe("what earlier processes' runs have left", mayMake ? leftovers : told('a group'));
describe('a run in a group of its own', 'missing' in here ? told('a group whose memory is limited') : ownGroups);
