import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TerminalError } from '@windlass/foundation';
import type { Surroundings } from '@windlass/windlass';
import type { Counted } from './counters.js';
import {
  memoryOf,
  messageRound,
  operationsUntil,
  profileRound,
  startEngineSide,
  type Both,
  type EngineSide,
  type EngineSideOptions,
  type MemoryOfSide,
} from './engine-side.js';
import { medians } from '../figures.js';
import { machine, type Machine } from '../machine.js';
import type { TimeSpent } from '../profile/self-time.js';
import { ratiosOf, type Ratios } from './ratios.js';
import { runRound, type Round } from './round.js';

export interface EngineBenchOptions extends EngineSideOptions {
  /** How often the rounds are repeated; the report shows the medians. */
  runs: number;
  /** Milliseconds between two requests of a round; 0: all are sent at one moment. */
  every: number;
  /** The folder of another built checkout, measured in turns with this one. */
  before?: string;
}

/** What was measured of one checkout. */
export interface SideReport {
  /** Names of the services' processes. */
  services: string[];
  /** What goes on in a second when nothing does; it is taken off the figures an operation. */
  idlePerSecond: Counted;
  /** Medians over the runs, by number of operations at once. */
  medians: Round[];
  rounds: Round[];
  /** NATS messages an operation by kind, of a round of its own. */
  messages: Both<Record<string, number>>;
  /** Where the services' processor time goes, by service. */
  profiles?: Both<Record<string, TimeSpent[]>>;
  /** After the last round. */
  memory: MemoryOfSide['memory'];
  /** Of the services alone: without PostgreSQL, NATS and the VIM. */
  servicesResidentMiB: number;
  servicesPrivateMiB: number;
  /** Instantiations and terminations until then. */
  operations: number;
}

/** What `bench engine --json` writes. */
export interface EngineReport extends SideReport {
  bench: 'engine';
  at: string;
  machine: Machine;
  oneProcess: boolean;
  /** Processes of each service but lcm-api, where more than one; without another checkout `before` is this one with one of each. */
  replicas?: number;
  /** What the services' Node.js is told; without another checkout `before` is this one without. */
  nodeOptions?: string;
  durable: boolean;
  vim: 'cheap' | 'emulator';
  stacks: 'instant' | 'lab';
  stackTakes: number;
  every: number;
  runs: number;
  /** Instances that were made and ended before. */
  warmUp: number;
  /** Whether the image of the package was there in each round. */
  imageStays: boolean;
  /** The other checkout, and what this one's figures are by its, for each number of operations at once. */
  before?: SideReport;
  ratios?: Ratios[];
}

/** Instantiates and terminates VNFs without hooks on a VIM that takes no time, and says what that cost. */
export async function engineBench(where: Surroundings, options: EngineBenchOptions): Promise<EngineReport> {
  const { say, oneProcess, durable, vim, stacks, stackTakes, every, runs, warmUp, imageStays, counts } = options;
  const measuredOn = machine();
  if (options.before !== undefined) requireBuilt(options.before);
  const sides: EngineSide[] = [];
  try {
    for (const { name, home, ...own } of sidesOf(where, options)) {
      say(
        `starting PostgreSQL, NATS, ${vim === 'cheap' ? 'the cheap VIM' : 'the emulator'} and the services${name === 'before' ? ` of ${home}` : ''}; warming up`,
      );
      sides.push(await startEngineSide(name, home, where, { ...options, ...own }));
    }
    const rounds = await roundsInTurns(sides, options);
    const reports: SideReport[] = [];
    for (const side of sides) reports.push(await sideReport(side, rounds.get(side.name) ?? [], options));
    const [ours, before] = reports;
    if (ours === undefined) throw new TerminalError('bench.nothing', 'nothing was measured');
    return {
      bench: 'engine',
      at: new Date().toISOString(),
      machine: measuredOn,
      oneProcess,
      ...(options.replicas === undefined ? {} : { replicas: options.replicas }),
      ...(options.nodeOptions === undefined ? {} : { nodeOptions: options.nodeOptions }),
      durable,
      vim,
      stacks,
      stackTakes,
      every,
      runs,
      warmUp,
      imageStays,
      ...ours,
      ...(before === undefined ? {} : { before, ratios: ratiosOf(counts, ours.rounds, before.rounds, ours.services) }),
    };
  } finally {
    for (const side of sides) await side.stop();
  }
}

/**
 * What is measured in turns: this checkout and another one, both as they were asked for; or, where the services of this one alone are started other than
 * usual, this one as usual.
 */
export function sidesOf(
  { home }: Pick<Surroundings, 'home'>,
  { before, replicas, nodeOptions }: Pick<EngineBenchOptions, 'before' | 'replicas' | 'nodeOptions'>,
): ({ name: string; home: string } & Pick<EngineBenchOptions, 'replicas' | 'nodeOptions'>)[] {
  const ours = { name: 'this', home, replicas, nodeOptions };
  if (before !== undefined) return [ours, { ...ours, name: 'before', home: before }];
  if (replicas === undefined && nodeOptions === undefined) return [ours];
  return [ours, { name: 'before', home, replicas: undefined, nodeOptions: undefined }];
}

/** Each run of a count measures all sides, the one first that was last before. */
async function roundsInTurns(
  sides: readonly EngineSide[],
  { counts, runs, every, say, signal }: EngineBenchOptions,
): Promise<Map<string, Round[]>> {
  const rounds = new Map(sides.map(({ name }) => [name, [] as Round[]]));
  for (let run = 1; run <= runs; run += 1) {
    for (const atOnce of counts) {
      for (const side of run % 2 === 1 ? sides : [...sides].reverse()) {
        signal.throwIfAborted();
        const round = await runRound(side, atOnce, every);
        say(`run ${run}${sides.length > 1 ? ` of ${side.name}` : ''}, ${told(round, every)}`);
        rounds.get(side.name)?.push(round);
      }
    }
  }
  return rounds;
}

const told = ({ atOnce, mostUnderWay, operationsPerSecond, ownTime, termination }: Round, every: number): string =>
  `${atOnce} ${every > 0 ? `requests, ${mostUnderWay} under way together` : 'at once'}: ${operationsPerSecond} a second, own time p95 ${ownTime.total.p95} ms; terminations ${termination.operationsPerSecond} a second`;

async function sideReport(side: EngineSide, rounds: Round[], options: EngineBenchOptions): Promise<SideReport> {
  const { counts, profile, say, signal } = options;
  const all = counts.map((atOnce) => medians(rounds.filter((round) => round.atOnce === atOnce)));
  const memory = memoryOf(side);
  say('hearing the messages of a few operations');
  const messages = await messageRound(side, Math.max(...counts));
  const most = all.reduce((one, other) => (other.atOnce > one.atOnce ? other : one));
  signal.throwIfAborted();
  if (profile !== undefined) say(`profiling ${most.atOnce} operations`);
  return {
    services: side.services.map(({ name }) => name),
    idlePerSecond: side.idlePerSecond,
    medians: all,
    rounds,
    messages,
    operations: operationsUntil(rounds, options),
    ...(profile === undefined ? {} : { profiles: await profileRound(side, profile, most) }),
    ...memory,
  };
}

/** @throws TerminalError `bench.not-built` where there is no checkout that is built */
function requireBuilt(checkout: string): void {
  if (existsSync(join(checkout, 'apps/saga-coordinator/dist/main.js'))) return;
  throw new TerminalError(
    'bench.not-built',
    `${checkout} is no built checkout of Windlass: apps/saga-coordinator/dist/main.js is not there; run "./windlass --help" in it, which builds it`,
  );
}
