import { InvariantError } from '@windlass/foundation';
import { Deployment, type Surroundings } from '@windlass/windlass';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { medians, rounded } from '../figures.js';
import { machine, type Machine } from '../machine.js';
import { usageOf, type Watched } from '../processes.js';
import { memoryOf } from './private-memory.js';

export interface StartOptions {
  /** Starts on a folder that has been started on before; the medians are shown. */
  runs: number;
  oneProcess: boolean;
  /** What the services' Node.js is told, as NODE_OPTIONS has it. */
  nodeOptions?: string | undefined;
  /** How long services are left alone before their memory is read, in seconds. */
  idle: number;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** One process after it was started and left alone. */
export interface StartedRow {
  /** Processor time until everything was ready, in milliseconds. */
  cpu: number;
  /** Left alone, in MiB; undefined for PostgreSQL, whose processes share most of theirs. */
  private?: number;
  resident?: number;
}

/** One start of everything. */
export interface StartRow {
  /** From the call until everything is ready, in seconds. */
  readySeconds: number;
  /** Of all processes together, until everything was ready, in milliseconds. */
  cpu: number;
  /** By the process's name; `supervisor` is what `up` itself does, migrations too. */
  processes: Record<string, StartedRow>;
}

/** What `bench start --json` writes. */
export interface StartReport {
  bench: 'start';
  at: string;
  machine: Machine;
  runs: number;
  oneProcess: boolean;
  idle: number;
  nodeOptions?: string;
  /** On an empty folder: with a new PostgreSQL and all migrations. */
  first: StartRow;
  /** On the same folder, again. */
  again: StartRow;
}

/** Starts PostgreSQL, NATS and the services as `up` does, leaves them alone, and stops them. */
export async function startBench({ home }: Surroundings, options: StartOptions): Promise<StartReport> {
  const { runs, oneProcess, nodeOptions, idle, say, signal } = options;
  const measuredOn = machine();
  const folder = await mkdtemp(join(tmpdir(), 'windlass-start-'));
  try {
    say('starting on an empty folder');
    const first = await start(home, folder, options);
    const rows: StartRow[] = [];
    for (let run = 1; run <= runs; run += 1) {
      signal.throwIfAborted();
      const row = await start(home, folder, options);
      say(`start ${run} of ${runs}: ready after ${row.readySeconds} s, processor time ${(row.cpu / 1_000).toFixed(1)} s`);
      rows.push(row);
    }
    const at = new Date().toISOString();
    const told = nodeOptions === undefined ? {} : { nodeOptions };
    return { bench: 'start', at, machine: measuredOn, runs, oneProcess, idle, ...told, first, again: medians(rows) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function start(home: string, dataDir: string, { oneProcess, nodeOptions, idle, signal }: StartOptions): Promise<StartRow> {
  const ownBefore = process.cpuUsage();
  const begun = performance.now();
  const processEnvironment = nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions };
  const started = { home, dataDir, port: 0, durable: true, oneProcess, processEnvironment, say: () => undefined, signal };
  const deployment = await Deployment.start(started);
  try {
    const readySeconds = rounded((performance.now() - begun) / 1_000);
    const own = process.cpuUsage(ownBefore);
    const services = deployment.processes.map(({ name, pid }) => watched(name, pid));
    const { postgres, nats } = deployment.servers;
    const servers = [watched('PostgreSQL', postgres?.pid), watched('NATS', nats?.pid)];
    const usage = usageOf([...services, ...servers]);
    await pause(idle * 1_000, undefined, { signal });
    const processes: Record<string, StartedRow> = { supervisor: { cpu: rounded((own.user + own.system) / 1_000) } };
    for (const { name, pid } of [...services, ...servers])
      processes[name] = { cpu: usage[name]?.cpu ?? 0, ...(name === 'PostgreSQL' ? {} : memoryOf(pid)) };
    const cpu = rounded(Object.values(processes).reduce((sum, row) => sum + row.cpu, 0));
    return { readySeconds, cpu, processes };
  } finally {
    await deployment.stop();
  }
}

function watched(name: string, pid: number | undefined): Watched {
  if (pid === undefined) throw new InvariantError(`${name} has ended just after its start`);
  return { name, pid };
}
