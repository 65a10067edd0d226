import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { identityOf, isRunning, programOf, workingFolderOf } from '../process-identity.js';
import { endLeftover, signal, type Log } from '../server-process.js';

/**
 * Deals with what a server that nobody stopped left behind in this cluster; the caller owns the folder, so that it belongs to nobody else.
 * - A server that still runs is ended.
 * - `postmaster.pid` is removed. PostgreSQL itself takes it for a living server's whenever any process of its user has that id, which in a
 *   restarted container is likely; we look whether the process works in this very cluster.
 * - Backends that have outlived their killed server are killed: one that only computes does not notice, and PostgreSQL does not start beside it.
 */
export async function clearLeftover(cluster: string, log: Log): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const pid = pidIn(file);
  if (pid !== undefined && worksIn(cluster, pid)) {
    log(`ending a PostgreSQL that was left behind (process ${pid})`);
    await endLeftover('PostgreSQL', pid, 'SIGINT');
  }
  rmSync(file, { force: true });
  await killStrays(cluster, log);
}

const worksIn = (cluster: string, pid: number): boolean =>
  workingFolderOf(pid) === cluster && basename(programOf(pid) ?? '') === 'postgres';

async function killStrays(cluster: string, log: Log): Promise<void> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const strays = pids
    .map(Number)
    .filter((pid) => worksIn(cluster, pid))
    .map((pid) => identityOf(pid))
    .filter((identity) => identity !== undefined);
  if (strays.length === 0) return;
  log(`killing ${strays.length} process(es) of a PostgreSQL that was killed`);
  strays.forEach((stray) => signal(stray, 'SIGKILL'));
  const gone = () => Promise.resolve(strays.some(isRunning) ? undefined : true);
  await waitUntil(gone, { for: 'the processes of a killed PostgreSQL to end', within: seconds(10), every: millis(5) });
}

function pidIn(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
