import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** A process that can't be mistaken for a later one with the same id: its id and its start time in clock ticks since boot. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** The fields of `/proc/<pid>/stat` after the command's name, which may itself hold spaces and brackets. */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // it has ended
  }
}

/** The identity of a running process; undefined when there is none, or only its zombie. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const fields = statFields(pid);
  const [state, startedAt] = [fields?.[0], fields?.[19]];
  if (startedAt === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, startedAt };
}

/** Whether exactly that process still runs. */
export const isRunning = (identity: ProcessIdentity): boolean => identityOf(identity.pid)?.startedAt === identity.startedAt;

/** The direct children of a process, found through `/proc`. */
export function childrenOf(parent: number): ProcessIdentity[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statFields(pid)?.[1] === String(parent))
    .map((pid) => identityOf(pid))
    .filter((identity) => identity !== undefined);
}

/** The folder a process works in; undefined when it has ended or belongs to another user. */
export function workingFolderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/** The program a process runs; undefined when it has ended or belongs to another user. */
export function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '');
  } catch {
    return undefined;
  }
}
