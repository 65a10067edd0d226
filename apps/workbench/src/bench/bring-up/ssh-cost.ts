import { seconds } from '@windlass/foundation';
import { cmd, type HostRun, type HostTarget } from '@windlass/mgmt-driver';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';
import { TestSshd } from '@windlass/remote-host/testing';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, rounded } from '../figures.js';

/** What SSH costs with so many nodes worked on at once; milliseconds, medians over the nodes. */
export interface SshRow {
  nodes: number;
  /** The first look at a node: connecting, logging in, and the look. */
  first: number;
  /** A look over the connection that is there. */
  look: number;
  /** A job that does nothing, from its start until its result is read. */
  job: number;
  /** Processor time of this process for a node's connection, and for one look and one job more. */
  connectionCpu: number;
  stepCpu: number;
}

/** Looks and jobs on each node. */
const STEPS = 10;

/** Measures what SSH costs a node, on real sshd on loopback, one each; connections are kept. Needs root and Debian's openssh-server. */
export async function sshCost(counts: readonly number[], signal: AbortSignal): Promise<SshRow[]> {
  if (counts.length === 0) return [];
  const servers: TestSshd[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'windlass-ssh-cost-'));
  try {
    while (servers.length < Math.max(...counts)) servers.push(await TestSshd.start());
    const rows: SshRow[] = [];
    // What is run for the first time is compiled, and keys are read.
    await costOf(
      servers.slice(0, 1).map((server) => server.target()),
      join(folder, 'warm-up'),
      signal,
    );
    for (const nodes of counts) {
      signal.throwIfAborted();
      const targets = servers.slice(0, nodes).map((server) => server.target());
      rows.push({ nodes, ...(await costOf(targets, join(folder, `jobs-${nodes}`), signal)) });
    }
    return rows;
  } finally {
    for (const server of servers) await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function costOf(targets: readonly HostTarget[], jobsFolder: string, signal: AbortSignal): Promise<Omit<SshRow, 'nodes'>> {
  const hosts = new RemoteHosts({ hostKeys: new MemoryHostKeys(), jobsFolder });
  const times: Record<'first' | 'look' | 'job', number[]> = { first: [], look: [], job: [] };
  const timed = async (what: keyof typeof times, work: () => Promise<unknown>): Promise<void> => {
    const begun = performance.now();
    await work();
    times[what].push(performance.now() - begun);
  };
  const [operationId, vnfInstanceId] = [randomUUID(), randomUUID()];
  const each = targets.map((target, n) => ({
    look: () =>
      hosts
        .host(target, runOf({ operationId, vnfInstanceId, stepId: `look-${n}` }, signal))
        .run(cmd`true`, { within: seconds(60) }),
    job: (step: number) =>
      hosts
        .host(target, runOf({ operationId, vnfInstanceId, stepId: `job-${n}-${step}` }, signal))
        .job('nothing', { run: cmd`true`, within: seconds(60) }),
  }));
  try {
    const connecting = await cpuOf(() => Promise.all(each.map(({ look }) => timed('first', look))));
    const working = await cpuOf(() =>
      Promise.all(
        each.map(async ({ look, job }) => {
          for (let step = 0; step < STEPS; step += 1) {
            await timed('look', look);
            await timed('job', () => job(step));
          }
        }),
      ),
    );
    return {
      first: rounded(median(times.first)),
      look: rounded(median(times.look)),
      job: rounded(median(times.job)),
      connectionCpu: rounded(connecting / targets.length),
      stepCpu: rounded(working / targets.length / STEPS),
    };
  } finally {
    hosts.close();
  }
}

const runOf = (of: Pick<HostRun, 'operationId' | 'vnfInstanceId' | 'stepId'>, signal: AbortSignal): HostRun => ({
  ...of,
  phase: 'do',
  epoch: 1,
  attemptEpoch: 1,
  signal: AbortSignal.any([signal]),
  assertLease: () => undefined,
  leaseLeft: () => seconds(60),
});

/** Milliseconds of processor time of this process. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
