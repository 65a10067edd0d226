import { readdirSync, readFileSync } from 'node:fs';
import { rounded } from './figures.js';

/** A process, or a server with all its processes, by the name that the report gives it. */
export interface Watched {
  name: string;
  pid: number;
}

/** What a process has used until now. */
export interface Usage {
  /** Resident memory, and the most it ever was, in MiB (VmRSS and VmHWM of proc(5)); of a server with several processes the sum. */
  resident: number;
  peak: number;
  /** Processor time, in milliseconds. */
  cpu: number;
}

/** Linux counts processor time in hundredths of a second on every architecture that it still supports (USER_HZ). */
const TICK = 10;

/** What each of the processes uses now, with all their children but those that are watched themselves. Shared pages of PostgreSQL count in each of its processes. */
export function usageOf(watched: readonly Watched[]): Record<string, Usage> {
  const children = childrenByParent();
  const named = new Set(watched.map(({ pid }) => pid));
  return Object.fromEntries(
    watched.map(({ name, pid }) => {
      const unnamed = (children.get(pid) ?? []).filter((child) => !named.has(child));
      const all = [pid, ...unnamed].flatMap((one) => readUsage(one) ?? []);
      const sum = (of: (usage: Usage) => number): number => rounded(all.reduce((total, usage) => total + of(usage), 0));
      return [name, { resident: sum(({ resident }) => resident), peak: sum(({ peak }) => peak), cpu: sum(({ cpu }) => cpu) }];
    }),
  );
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const pid of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const parent = Number(statOf(pid)?.[1]);
    if (!Number.isNaN(parent)) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  return children;
}

/** Undefined when the process has ended meanwhile. */
function readUsage(pid: number): Usage | undefined {
  const status = textOf(`/proc/${pid}/status`);
  const stat = statOf(pid);
  if (status === undefined || stat === undefined) return undefined;
  const mebibytes = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1_024;
  return { resident: mebibytes('VmRSS'), peak: mebibytes('VmHWM'), cpu: (Number(stat[11]) + Number(stat[12])) * TICK };
}

/** The fields of /proc/<pid>/stat from the state (field 3) on. */
function statOf(pid: number): string[] | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Undefined when there is no such file: a process that has ended. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
