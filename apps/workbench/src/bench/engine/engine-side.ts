import type { Client } from 'pg';
import type { Surroundings } from '@windlass/windlass';
import { OpenStackEmulator } from '@windlass/lab';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeConnection } from '../bench-connection.js';
import { emulatorAsVim, type BenchVim } from '../bench-vim.js';
import { startCheapVim } from '../cheap-vim/cheap-vim-process.js';
import { countersSettled, perSecond } from './counters.js';
import { rounded } from '../figures.js';
import { messagesOf } from './message-kinds.js';
import { createInstances, deleteInstances, instantiateAll, removeInstances, terminateAll } from '../operations.js';
import { profiledEnvironment, profilesOf } from '../profile/profiler.js';
import type { CpuProfile } from '../profile/cpu-profile.js';
import { timeSpent, type TimeSpent } from '../profile/self-time.js';
import { usageOf, type Usage, type Watched } from '../processes.js';
import { memoryOf as privateMemoryOf } from '../start/private-memory.js';
import type { Figures, Observed, Round } from './round.js';
import { setOnVim } from '../stage.js';
import { COUNTING_SETTINGS, openObserver } from './statements.js';

/** What is said of instantiations and of terminations apart. */
export interface Both<T> {
  instantiation: T;
  termination: T;
}

/** A checkout with all that it runs on. */
export interface EngineSide extends Observed {
  name: string;
  /** The services' processes. */
  services: readonly Watched[];
  /** Where the profiled listen; absent where nothing is profiled. */
  sockets?: string;
  stop(): Promise<void>;
}

/** One that ends on a machine that others keep busy would have its step done twice, and be counted with what that takes. */
const LEASE = '60s';

/** Operations whose messages are heard, at most. */
const HEARD = 10;

/** How the services and the VIM are started, and how much is asked of them. */
export interface EngineSideOptions {
  /** How many operations at once, a round each. */
  counts: readonly number[];
  oneProcess: boolean;
  /** Instances that are made and ended before anything is measured, so that code is compiled and pools are filled. */
  warmUp: number;
  /** One instance more is made then and stays, so that the image of the package is there in each round. */
  imageStays: boolean;
  /** Processes of each service but lcm-api; one by default. */
  replicas?: number | undefined;
  /** What the services' Node.js is told, as NODE_OPTIONS has it. */
  nodeOptions?: string | undefined;
  durable: boolean;
  /** `cheap`: a stand-in for speed alone, in a process of its own. `emulator`: the lab's, in the bench's process. */
  vim: 'cheap' | 'emulator';
  /** Of the emulator: `lab` takes 0.1 s for each step of a stack. */
  stacks: 'instant' | 'lab';
  /** Milliseconds that each stack takes besides. */
  stackTakes: number;
  /** Where processor profiles are kept. */
  profile?: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Starts everything from a built checkout, warms it up, and looks how it idles.
 * @param home the checkout
 * @param where this one, whose own programs are the bench's
 */
export async function startEngineSide(
  name: string,
  home: string,
  where: Surroundings,
  options: EngineSideOptions,
): Promise<EngineSide> {
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const sockets = options.profile === undefined ? undefined : await mkdtemp(join(tmpdir(), 'windlass-bench-profile-'));
    if (sockets !== undefined) ends.push(() => rm(sockets, { recursive: true, force: true }));
    const onVim = await setOnVim(
      {
        home,
        oneProcess: options.oneProcess,
        replicas: options.replicas,
        durable: options.durable,
        say: options.say,
        signal: options.signal,
        environment: { ENGINE_LEASE: LEASE },
        postgresSettings: COUNTING_SETTINGS,
        processEnvironment: processEnvironmentOf(where.home, sockets, options.nodeOptions),
      },
      await vimOf(where, options),
    );
    ends.push(() => onVim.stop());
    const stage = { ...onVim, signal: options.signal };
    options.signal.throwIfAborted();
    const observer = await openObserver(stage.adminUrl);
    ends.push(() => closeConnection(observer));
    await warmUp(stage, observer, options);
    options.signal.throwIfAborted();
    const from = await countersSettled(observer, stage.nats);
    const idlePerSecond = perSecond(from, await countersSettled(observer, stage.nats));
    const services = stage.deployment.processes.map((process) => ({ name: process.name, pid: process.pid ?? 0 }));
    return { name, stage, observer, idlePerSecond, services, stop, ...(sockets === undefined ? {} : { sockets }) };
  } catch (error) {
    await stop();
    throw error;
  }
}

function processEnvironmentOf(home: string, sockets?: string, nodeOptions = ''): Readonly<Record<string, string>> {
  const { NODE_OPTIONS = '', ...others } = sockets === undefined ? {} : profiledEnvironment(home, sockets);
  const all = `${NODE_OPTIONS} ${nodeOptions}`.trim();
  return { ...others, ...(all === '' ? {} : { NODE_OPTIONS: all }) };
}

async function vimOf({ home }: Surroundings, { vim, stacks, stackTakes }: EngineSideOptions): Promise<BenchVim> {
  if (vim === 'cheap') return startCheapVim(home, stackTakes);
  const emulator = await OpenStackEmulator.start({ speed: stacks });
  if (stackTakes > 0) emulator.faults.add({ kind: 'slow-stack', delayMs: stackTakes, times: 'always' });
  return emulatorAsVim(emulator);
}

/** Instantiates and terminates a few, no more at once than will be, and measures nothing. */
async function warmUp(stage: EngineSide['stage'], database: Client, options: EngineSideOptions): Promise<void> {
  const { counts, warmUp: wanted, imageStays, signal } = options;
  const atOnce = Math.min(wanted, Math.max(...counts));
  for (let done = 0; done < wanted; done += atOnce) {
    signal.throwIfAborted();
    const ids = await createInstances(stage, atOnce);
    await instantiateAll({ ...stage, database }, ids);
    await removeInstances({ ...stage, database }, ids);
  }
  if (imageStays) await instantiateAll({ ...stage, database }, await createInstances(stage, 1));
}

/** Messages by kind of a few operations: a round of its own, since hearing each costs NATS and the bench something. */
export async function messageRound({ stage, observer }: EngineSide, most: number): Promise<Both<Record<string, number>>> {
  const heard = Math.min(HEARD, most);
  const ids = await createInstances(stage, heard);
  const asking = { ...stage, database: observer };
  const instantiation = await messagesOf(stage.nats, heard, () => instantiateAll(asking, ids));
  const termination = await messagesOf(stage.nats, heard, () => terminateAll(asking, ids));
  await deleteInstances(stage, ids);
  return { instantiation, termination };
}

/**
 * Profiles a round: a round of its own, since that costs something. Writes a `.cpuprofile` for each service and kind of operation, and says where
 * the processor time goes that a round without profiles took.
 * @param folder where the profiles are kept
 * @param round of as many at once
 */
export async function profileRound(side: EngineSide, folder: string, round: Round): Promise<Both<Record<string, TimeSpent[]>>> {
  const { stage, observer, services, sockets = '' } = side;
  const asking = { ...stage, database: observer };
  const ids = await createInstances(stage, round.atOnce);
  const instantiations = await profilesOf(sockets, services, () => instantiateAll(asking, ids));
  const terminations = await profilesOf(sockets, services, () => terminateAll(asking, ids));
  await deleteInstances(stage, ids);
  await mkdir(folder, { recursive: true });
  const kept = async (
    kind: string,
    profiles: Record<string, CpuProfile>,
    figures: Figures,
  ): Promise<Record<string, TimeSpent[]>> => {
    for (const [service, profile] of Object.entries(profiles))
      await writeFile(join(folder, `${side.name}-${service}-${kind}.cpuprofile`), JSON.stringify(profile));
    return Object.fromEntries(
      Object.entries(profiles).map(([service, profile]) => [service, timeSpent(profile, figures.cpuPerOperation[service] ?? 0)]),
    );
  };
  return {
    instantiation: await kept('instantiation', instantiations, round),
    termination: await kept('termination', terminations, round.termination),
  };
}

/** What processes use now, and the services of them together, in MiB. */
export function memoryOf({ stage, services }: EngineSide): MemoryOfSide {
  const memory: MemoryOfSide['memory'] = usageOf(stage.watched);
  for (const { name, pid } of services) memory[name] = { ...zero, ...memory[name], private: privateMemoryOf(pid).private };
  const sum = (of: 'resident' | 'private'): number =>
    rounded(services.reduce((before, { name }) => before + (memory[name]?.[of] ?? 0), 0));
  return { memory, servicesResidentMiB: sum('resident'), servicesPrivateMiB: sum('private') };
}

const zero: Usage = { resident: 0, peak: 0, cpu: 0 };

/** In MiB. */
export interface MemoryOfSide {
  /** By process; of services with their private memory. */
  memory: Record<string, Usage & { private?: number }>;
  servicesResidentMiB: number;
  servicesPrivateMiB: number;
}

/** Operations of a side until its memory is read, those before the first round too: each instance has two. */
export const operationsUntil = (
  rounds: readonly Round[],
  { counts, warmUp: wanted, imageStays }: Pick<EngineSideOptions, 'counts' | 'warmUp' | 'imageStays'>,
): number => {
  const atOnce = Math.min(wanted, Math.max(...counts));
  const warm = Math.ceil(wanted / atOnce) * atOnce;
  return 2 * rounds.reduce((sum, round) => sum + round.atOnce, warm) + (imageStays ? 1 : 0);
};
