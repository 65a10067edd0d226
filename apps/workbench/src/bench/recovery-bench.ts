import { Client } from 'pg';
import { describeDuration, millis, seconds, TerminalError, waitUntil, type Duration } from '@windlass/foundation';
import { SERVICES, type SupervisedProcess, type Surroundings } from '@windlass/windlass';
import { median, rounded } from './figures.js';
import { machine, type Machine } from './machine.js';
import { setStage, type Stage } from './stage.js';

export interface RecoveryOptions {
  runs: number;
  /** As `ENGINE_LEASE` takes it. */
  lease: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** From the kill of one process to the next step's start, in milliseconds, a figure each run. */
export interface Recovery {
  killed: string;
  times: number[];
  median: number;
  max: number;
}

export interface RecoveryReport {
  machine: Machine;
  lease: string;
  stackTakes: number;
  recoveries: Recovery[];
}

/** What each stack takes, so that `create-stack` is under way when its time comes to be killed. */
const STACK_TAKES: Duration = seconds(0.5);
const LOOK_EVERY: Duration = millis(5);
const WITHIN: Duration = seconds(90);
const HELD_STEP = 'create-stack';

/** Kills each service, PostgreSQL and NATS in turn while `create-stack` runs, and measures until the operation's next claim is journaled. */
export async function recoveryBench({ home }: Surroundings, options: RecoveryOptions): Promise<RecoveryReport> {
  const before = machine();
  const stage = await setStage({
    home,
    oneProcess: false,
    durable: true,
    stacks: 'instant',
    environment: { ENGINE_LEASE: options.lease },
    say: () => undefined,
    signal: options.signal,
  });
  try {
    stage.emulator.faults.add({ kind: 'slow-stack', delayMs: STACK_TAKES, times: 'always' });
    const recoveries: Recovery[] = [];
    for (const killed of [...SERVICES.map(({ name }) => name), 'PostgreSQL', 'NATS'] as const) {
      const times: number[] = [];
      for (let run = 0; run < options.runs; run++) times.push(rounded(await once(stage, killed, options.signal)));
      options.say(`kill -9 of ${killed}: ${times.map((time) => describeDuration(millis(time))).join(', ')}`);
      recoveries.push({ killed, times, median: median(times), max: Math.max(...times) });
    }
    return { machine: before, lease: options.lease, stackTakes: STACK_TAKES, recoveries };
  } finally {
    await stage.stop();
  }
}

async function once(stage: Stage, killed: string, signal: AbortSignal): Promise<number> {
  const { api, vnfdId, request } = stage;
  const { id } = await api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
  const vnf = `/vnflcm/v1/vnf_instances/${id}`;
  const operation = await api.accept(`${vnf}/instantiate`, request);
  const claims = new Claims(stage.databaseUrl, operation.split('/').at(-1) ?? '');
  try {
    await claims.until(`${HELD_STEP} to be claimed`, ({ held }) => held, signal);
    const { epochs } = await claims.read();
    const began = performance.now();
    const back = kill(stage, killed);
    await claims.until('the next claim', (now) => now.epochs > epochs, signal);
    const took = performance.now() - began;
    await back;
    await ended(stage, operation, signal);
    await ended(stage, await api.accept(`${vnf}/terminate`, { terminationType: 'FORCEFUL' }), signal);
    return took;
  } finally {
    await claims.close();
  }
}

/** Resolves when what was killed is there again. */
async function kill({ deployment, servers }: Stage, name: string): Promise<void> {
  if (name === 'PostgreSQL' || name === 'NATS') {
    await servers[name].killed();
    return;
  }
  const victim = deployment.processes.find(
    (each): each is SupervisedProcess & { pid: number } => each.name === name && each.pid !== undefined,
  );
  if (victim === undefined) throw new TerminalError('bench.failed', `there is no process of ${name}`);
  process.kill(victim.pid, 'SIGKILL');
  // It is seen to be gone before it can be seen to be there again.
  await waitUntil(() => Promise.resolve(victim.healthUrls.size === 0 ? true : undefined), {
    for: `${name} to be gone`,
    within: WITHIN,
    every: LOOK_EVERY,
  });
  await victim.started(WITHIN);
  await victim.ready(WITHIN);
}

async function ended({ api }: Stage, operation: string, signal: AbortSignal): Promise<void> {
  const { operationState } = (await api.follow(operation, WITHIN, () => undefined, signal)) as { operationState?: string };
  if (operationState !== 'COMPLETED')
    throw new TerminalError('bench.failed', `${operation} is ${operationState ?? 'in no state'}, not completed`);
}

/** The claims of one operation, read over a connection of the bench's own that is made again when PostgreSQL was killed. */
class Claims {
  #client: Client | undefined;

  constructor(
    private readonly url: string,
    private readonly operationId: string,
  ) {}

  async read(): Promise<{ epochs: number; held: boolean }> {
    this.#client ??= await this.#connected();
    const { rows } = await this.#client.query<{ epochs: number; held: boolean }>(
      `SELECT coalesce(sum(epoch), 0)::int AS epochs, coalesce(bool_or(id = $2 AND state = 'running'), false) AS held
       FROM lcm.step WHERE operation_id = $1 AND service <> 'inline'`,
      [this.operationId, HELD_STEP],
    );
    return rows[0] ?? { epochs: 0, held: false };
  }

  until(what: string, isSo: (now: { epochs: number; held: boolean }) => boolean, signal: AbortSignal): Promise<true> {
    return waitUntil(
      async (seen) => {
        try {
          const now = await this.read();
          seen(JSON.stringify(now));
          return isSo(now) ? true : undefined;
        } catch (error) {
          // PostgreSQL is away: that is part of what is measured.
          seen(error instanceof Error ? error.message : String(error));
          await this.close();
          return undefined;
        }
      },
      { for: what, within: WITHIN, every: LOOK_EVERY, signal },
    );
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined); // it may be gone, which is what is wanted
  }

  async #connected(): Promise<Client> {
    const client = new Client({ connectionString: this.url, application_name: 'windlass bench', connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined); // the next statement meets it
    await client.connect();
    return client;
  }
}
