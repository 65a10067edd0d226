import { InvariantError, type JsonObject } from '@windlass/foundation';
import { K8S_SERVICE } from '@windlass/k8s-mgmt';
import { onboard, type Surroundings } from '@windlass/windlass';
import type { Client } from 'pg';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { medians, rounded } from '../figures.js';
import { machine, type Machine } from '../machine.js';
import { createInstances, instantiateAll, removeInstances } from '../operations.js';
import { usageOf } from '../processes.js';
import { NETWORK, setStage, type Stage } from '../stage.js';
import { COMPRESSION, timeOf } from './action-times.js';
import { flavourOf, writeClusterPackage, type ClusterSize } from './cluster-package.js';
import { sshCost, type SshRow } from './ssh-cost.js';
import { longestChain, type ChainedStep } from './longest-chain.js';

export interface BringUpOptions {
  sizes: readonly ClusterSize[];
  /** How often each is brought up; the medians are shown. */
  runs: number;
  /** How many nodes' SSH is measured, on an sshd each; none: not. */
  ssh: readonly number[];
  say: (line: string) => void;
  signal: AbortSignal;
}

/** One size, the medians of its runs. Seconds are those that passed: a real cluster takes as many times as long as the report's `compression`. */
export interface BringUpRow extends ClusterSize {
  /** From sending the POST of the instantiation until COMPLETED is committed. */
  makespanSeconds: number;
  /** What the steps on hosts take that wait for each other. */
  longestChainSeconds: number;
  ratio: number;
  /** Steps of the operation. */
  steps: number;
  /** Milliseconds of processor time by process. */
  cpu: Record<string, number>;
}

/** What `bench bring-up --json` writes. */
export interface BringUpReport {
  bench: 'bring-up';
  at: string;
  machine: Machine;
  runs: number;
  compression: number;
  rows: BringUpRow[];
  ssh: SshRow[];
}

/** Brings clusters up on hosts that only take their time: all that is beyond the longest chain is ours. */
export async function bringUpBench(
  { home }: Surroundings,
  { sizes, runs, ssh, say, signal }: BringUpOptions,
): Promise<BringUpReport> {
  const measuredOn = machine();
  say('starting PostgreSQL, NATS, an OpenStack that answers at once, and the services, with a stand-in of k8s-mgmt');
  const programs = { [K8S_SERVICE]: join(home, 'apps/workbench/dist/bench/bring-up/timed-k8s-mgmt.js') };
  const stage = await setStage({
    home,
    oneProcess: false,
    durable: true,
    stacks: 'instant',
    programs,
    say: () => undefined,
    signal,
  });
  const folder = await mkdtemp(join(tmpdir(), 'windlass-bring-up-'));
  try {
    say('warming up with a cluster of two workers');
    const vnfdIdOf = async (size: ClusterSize): Promise<string> =>
      onboarded(stage, home, size, await mkdtemp(join(folder, 'p-')));
    await bringUp(stage, home, await vnfdIdOf({ masters: 1, workers: 2 }), { masters: 1, workers: 2 });
    const rows: BringUpRow[] = [];
    for (const size of sizes) {
      const vnfdId = await vnfdIdOf(size);
      const measured: BringUpRow[] = [];
      for (let run = 0; run < runs; run += 1) {
        signal.throwIfAborted();
        measured.push(await bringUp(stage, home, vnfdId, size));
      }
      const row = medians(measured);
      say(
        `${size.masters} + ${size.workers}: ${row.makespanSeconds} s, longest chain ${row.longestChainSeconds} s, ratio ${row.ratio}`,
      );
      rows.push(row);
    }
    if (ssh.length > 0) say('starting an sshd for each node');
    const sshRows = await sshCost(ssh, signal);
    return {
      ssh: sshRows,
      bench: 'bring-up',
      at: new Date().toISOString(),
      machine: measuredOn,
      runs,
      compression: COMPRESSION,
      rows,
    };
  } finally {
    await rm(folder, { recursive: true });
    await stage.stop();
  }
}

async function onboarded({ api }: Stage, home: string, size: ClusterSize, folder: string): Promise<string> {
  await writeClusterPackage(home, size, folder);
  const { vnfdId } = await onboard(api, folder);
  if (typeof vnfdId !== 'string') throw new InvariantError('an onboarded package has no VNFD id');
  return vnfdId;
}

async function bringUp(stage: Stage, home: string, vnfdId: string, size: ClusterSize): Promise<BringUpRow> {
  const asking = { api: stage.api, database: stage.database, vnfdId, request: await requestOf(home, size) };
  const ids = await createInstances(asking, 1);
  const before = usageOf(stage.watched);
  const { operations } = await instantiateAll(asking, ids);
  const after = usageOf(stage.watched);
  const [operation] = operations;
  if (operation === undefined) throw new InvariantError('an instantiation that was waited for is not there');
  const steps = await stepsOf(stage.database, operation.id);
  await removeInstances(asking, ids);
  const makespan = operation.completedAt - operation.sentAt;
  const chain = longestChain(steps);
  return {
    ...size,
    makespanSeconds: rounded(makespan / 1_000),
    longestChainSeconds: rounded(chain / 1_000),
    ratio: rounded(makespan / chain),
    steps: steps.length,
    cpu: Object.fromEntries(stage.watched.map(({ name }) => [name, rounded((after[name]?.cpu ?? 0) - (before[name]?.cpu ?? 0))])),
  };
}

const requestOf = async (home: string, size: ClusterSize): Promise<JsonObject> => {
  const text = await readFile(join(home, `samples/requests/instantiate-kubernetes-${flavourOf(size)}.json`), 'utf8');
  return JSON.parse(text.replaceAll('${NETWORK_ID}', NETWORK)) as JsonObject;
};

/** Only what is done on hosts takes time by itself; all else is the engine's or the emulator's. */
async function stepsOf(database: Client, operationId: string): Promise<ChainedStep[]> {
  const { rows } = await database.query<{ id: string; deps: string[]; action: string; service: string }>(
    'SELECT id, deps, action, service FROM lcm.step WHERE operation_id = $1',
    [operationId],
  );
  return rows.map(({ id, deps, action, service }) => ({ id, deps, takes: service === K8S_SERVICE ? timeOf(action) : 0 }));
}
