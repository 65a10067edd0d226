import { closeSync, constants, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Limits of a run's control group, as the files of cgroup v2 take them. */
export interface GroupLimits {
  memoryBytes: number;
  tasks: number;
}

/** A control group of one run. */
export interface RunGroup {
  /** Puts a process into it, and with it all that it begins. */
  add(pid: number): void;
  /** Whether the kernel ended something for want of memory. */
  ranOut(): boolean;
  /** Kills what is left in it and takes it away. */
  remove(): Promise<void>;
}

/** Where runs' groups are made, or why they can't be. */
export type Parent = { folder: string } | { missing: string };

const PREFIX = 'windlass-script-';
/** The group into which a service moves that was alone in its group: a group with processes of its own can't limit groups below it. */
const SERVICE = 'windlass-service';
const REMOVING = { attempts: 100, everyMs: 20 };

/**
 * Where this process may make groups whose memory is limited: in its own group of cgroup v2, where that was delegated (systemd's `Delegate=`, a
 * container that may write there). The answer is computed once, because the search changes the groups: the process moves into a group below.
 */
export function parentOfGroups(proc = '/proc'): Parent {
  try {
    const folder = ownGroup(proc);
    if (folder === undefined) return { missing: 'no cgroup v2 is mounted' };
    if (!wordsOf(folder, 'cgroup.controllers').includes('memory'))
      return { missing: `the memory controller is not in ${folder}` };
    if (!wordsOf(folder, 'cgroup.subtree_control').includes('memory')) handDown(folder);
    sweep(folder);
    return { folder };
  } catch (error) {
    return { missing: (error as Error).message };
  }
}

/** The folder of the group that this process is in. */
function ownGroup(proc: string): string | undefined {
  const path = /^0::(\/.*)$/m.exec(readFileSync(join(proc, 'self/cgroup'), 'utf8'))?.[1];
  // Of each mount: the folder of its file system that is mounted, where, and behind the dash its type.
  const mounts = readFileSync(join(proc, 'self/mountinfo'), 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  const mount = mounts.find((words) => words[words.indexOf('-') + 1] === 'cgroup2');
  const [root, at] = [mount?.[3], mount?.[4]];
  if (path === undefined || root === undefined || at === undefined) return undefined;
  const below = root === '/' ? path : path.startsWith(root) ? path.slice(root.length) : undefined;
  // A service that was restarted in the same place is still in the group to which it moved: its own group is the one above.
  const own = below === undefined ? undefined : resolve(at, `.${below}`);
  return own !== undefined && basename(own) === SERVICE ? dirname(own) : own;
}

/** Lets groups below limit memory. Only the machine's root group may have processes beside such groups. */
function handDown(folder: string): void {
  const isFirst = !readdirSync(folder).includes('cgroup.type');
  const others = wordsOf(folder, 'cgroup.procs').filter((pid) => pid !== String(process.pid));
  if (!isFirst) {
    if (others.length > 0) throw new Error(`${folder} has other processes in it than this service`);
    const service = join(folder, SERVICE);
    mkdirSync(service, { recursive: true });
    write(service, 'cgroup.procs', String(process.pid));
  }
  const wanted = ['memory', 'pids'].filter((each) => wordsOf(folder, 'cgroup.controllers').includes(each));
  write(folder, 'cgroup.subtree_control', wanted.map((each) => `+${each}`).join(' '));
}

/** Removes groups of processes that are gone. A group with this process's number is an earlier process's, because this process has made none yet. */
export function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : NaN;
    if (!Number.isInteger(pid) || (pid !== process.pid && isAlive(pid))) continue;
    void removed(join(folder, name));
  }
}

let parent: Parent | undefined;

/** A group for one run. None where this machine offers none, which is logged once: then only the other limits hold. */
export function groupOfRun(limits: GroupLimits): RunGroup | undefined {
  parent ??= said(parentOfGroups());
  if ('missing' in parent) return undefined;
  try {
    return makeGroup(parent.folder, limits);
  } catch (error) {
    parent = said({ missing: (error as Error).message });
    return undefined;
  }
}

function said(found: Parent): Parent {
  if ('missing' in found)
    process.emitWarning(
      `scripts of packages run without a control group of their own: ${found.missing}; their other limits hold`,
      {
        code: 'user-data.no-control-group',
      },
    );
  return found;
}

let made = 0;

/** @throws Error of the file system, where the group can't be made or limited; nothing is left of it then */
export function makeGroup(below: string, limits: GroupLimits): RunGroup {
  const folder = join(below, `${PREFIX}${process.pid}-${(made += 1)}`);
  mkdirSync(folder);
  try {
    const files = readdirSync(folder);
    write(folder, 'memory.max', String(limits.memoryBytes));
    // Each of these is missing where the kernel does not count it.
    for (const [file, value] of [
      ['memory.swap.max', '0'],
      ['memory.oom.group', '1'],
      ['pids.max', String(limits.tasks)],
    ] as const)
      if (files.includes(file)) write(folder, file, value);
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  return {
    add: (pid) => {
      try {
        write(folder, 'cgroup.procs', String(pid));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it ended by itself
      }
    },
    ranOut: () => /^oom_kill [1-9]/m.test(readFileSync(join(folder, 'memory.events'), 'utf8')),
    remove: () => removed(folder),
  };
}

/** Removes a group, which is busy until its last process is gone. A group that stays is removed at the next start. */
async function removed(folder: string): Promise<void> {
  for (let attempt = 0; attempt < REMOVING.attempts; attempt += 1) {
    if (attempt > 0) await pause(REMOVING.everyMs);
    try {
      // A kernel before 5.14 can't kill a group. What was in it dies all the same, with the first process of its namespace.
      if (readdirSync(folder).includes('cgroup.kill')) write(folder, 'cgroup.kill', '1');
      rmdirSync(folder);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') return;
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

const wordsOf = (folder: string, file: string): string[] =>
  readFileSync(join(folder, file), 'utf8')
    .split(/\s/)
    .filter((word) => word !== '');

/** Opens the file without creating it: where a control group lacks the file, nothing is made in its place. */
function write(folder: string, file: string, value: string): void {
  const open = openSync(join(folder, file), constants.O_WRONLY);
  try {
    writeSync(open, value);
  } finally {
    closeSync(open);
  }
}
