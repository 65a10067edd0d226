import type { Surroundings } from '@windlass/windlass';
import { countersSettled, perSecond, type Counted } from './counters.js';
import { medians, rounded } from './figures.js';
import { machine, type Machine } from './machine.js';
import { usageOf, type Usage } from './processes.js';
import { runRound, type Round } from './round.js';
import { setStage, type Stage } from './stage.js';

export interface EngineBenchOptions {
  /** How many operations at once, a round each. */
  counts: readonly number[];
  /** How often the rounds are repeated; the report shows the medians. */
  runs: number;
  oneProcess: boolean;
  durable: boolean;
  stacks: 'instant' | 'lab';
  /** Milliseconds that each stack takes besides. */
  stackTakes: number;
  /** Milliseconds between two requests of a round; 0: all are sent at one moment. */
  every: number;
  environment?: Readonly<Record<string, string>>;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** What `bench engine --json` writes. */
export interface EngineReport {
  bench: 'engine';
  at: string;
  machine: Machine;
  oneProcess: boolean;
  durable: boolean;
  stacks: 'instant' | 'lab';
  stackTakes: number;
  every: number;
  runs: number;
  /** What goes on in a second when nothing does; it is taken off the figures an operation. */
  idlePerSecond: Counted;
  /** Medians over the runs, by number of operations at once. */
  medians: Round[];
  rounds: Round[];
  /** After the last round. */
  memory: Record<string, Usage>;
  /** Of the services alone: without PostgreSQL, NATS and the emulator's process. */
  servicesResidentMiB: number;
}

/** Operations before anything is measured, so that code is compiled and pools are filled. */
const WARM_UP = 20;

/** Instantiates VNFs without hooks on an OpenStack that takes no time, and says what that cost. */
export async function engineBench({ home }: Surroundings, options: EngineBenchOptions): Promise<EngineReport> {
  const { say, signal, oneProcess, durable, stacks, stackTakes, every, runs } = options;
  const measuredOn = machine();
  say('starting PostgreSQL, NATS, an OpenStack that answers at once, and the services');
  const stage = await setStage({ home, ...options });
  try {
    say(`warming up with ${WARM_UP} operations`);
    await runRound(stage, WARM_UP, NOTHING);
    const idlePerSecond = await idle(stage);
    if (stackTakes > 0) stage.emulator.faults.add({ kind: 'slow-stack', delayMs: stackTakes, times: 'always' });
    const rounds: Round[] = [];
    for (let run = 1; run <= runs; run += 1) {
      for (const atOnce of options.counts) {
        signal.throwIfAborted();
        const round = await runRound(stage, atOnce, idlePerSecond, every);
        say(
          `run ${run}, ${atOnce} ${every > 0 ? `requests, ${round.mostUnderWay} under way together` : 'at once'}: ${round.operationsPerSecond} a second, own time p95 ${round.ownTime.total.p95} ms`,
        );
        rounds.push(round);
      }
    }
    const memory = usageOf(stage.watched);
    const services = stage.watched.slice(0, -3).map(({ name }) => memory[name]?.resident ?? 0);
    return {
      bench: 'engine',
      at: new Date().toISOString(),
      machine: measuredOn,
      oneProcess,
      durable,
      stacks,
      stackTakes,
      every,
      runs,
      idlePerSecond,
      medians: options.counts.map((atOnce) => medians(rounds.filter((round) => round.atOnce === atOnce))),
      rounds,
      memory,
      servicesResidentMiB: rounded(services.reduce((sum, resident) => sum + resident, 0)),
    };
  } finally {
    await stage.stop();
  }
}

const NOTHING: Counted = { transactions: 0, writes: 0, sent: 0, delivered: 0 };

async function idle({ database, nats }: Stage): Promise<Counted> {
  const from = await countersSettled(database, nats);
  return perSecond(from, await countersSettled(database, nats));
}
