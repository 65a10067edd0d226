import { Command, InvalidArgumentError, Option } from 'commander';
import { TerminalError } from '@windlass/foundation';
import type { Surroundings } from '@windlass/windlass/command-line';
import { resolve } from 'node:path';
import { milliseconds, positive } from './bench-numbers.js';
import { nodeOptionsOption } from './node-options.js';
import { showReport } from './show-report.js';

interface EngineBenchCommandOptions {
  json?: string;
  count: number[];
  runs: number;
  oneProcess?: boolean;
  replicas?: number;
  nodeOptions?: string;
  sync: boolean;
  vim?: 'cheap' | 'emulator';
  stacks: 'instant' | 'lab';
  stackTakes: number;
  every: number;
  warmUp: number;
  imageStays?: boolean;
  before?: string;
  profile?: string;
}

/** The emulator's network has room for this many VMs at once; a quarter is left free. */
const MOST_ON_EMULATOR = 190;
const MOST_AT_ONCE = 1_000;

const countsOf = (text: string): number[] => {
  const counts = text.split(',').map(positive);
  if (Math.max(...counts) > MOST_AT_ONCE) throw new InvalidArgumentError(`expected at most ${MOST_AT_ONCE} at once`);
  return counts;
};

const MOST_TO_WARM_UP = 2_000;

export const warmUpOf = (text: string): number => {
  const wanted = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (wanted < 1 || wanted > MOST_TO_WARM_UP)
    throw new InvalidArgumentError(`expected a whole number from 1 to ${MOST_TO_WARM_UP}`);
  return wanted;
};

/** `./windlass bench engine`. */
export const engineBenchCommand = (where: Surroundings): Command =>
  new Command('engine')
    .description(
      'instantiate and terminate VNFs without hooks on a VIM that takes no time: what the engine itself costs, and where; also in turns with another checkout',
    )
    .option('--json <file>', 'also write the figures to a file')
    .addOption(
      new Option('--count <n,n...>', 'how many at once, a round each')
        .argParser(countsOf)
        .default([1, 20, 50, 100], '1,20,50,100'),
    )
    .option('--runs <n>', 'how often the rounds are repeated; the medians are shown', positive, 1)
    .option('--one-process', 'all services in one process')
    .option('--replicas <n>', 'so many processes of each service but lcm-api, in turns with one of each', positive)
    .addOption(nodeOptionsOption(', in turns with this checkout without, where no other is named'))
    .option('--no-sync', 'PostgreSQL does not sync to disk')
    .addOption(
      new Option(
        '--vim <which>',
        'cheap: a stand-in for speed alone, in a process of its own, that knows no more than this bench asks; emulator: the lab’s, in the bench’s process (default: cheap; emulator with --stacks lab)',
      ).choices(['cheap', 'emulator']),
    )
    .addOption(
      new Option('--stacks <speed>', 'instant: complete at once; lab: each step of a stack takes 0.1 s, on the emulator')
        .choices(['instant', 'lab'])
        .default('instant'),
    )
    .option('--stack-takes <ms>', 'what each stack takes besides, so that operations are under way together', milliseconds, 0)
    .option('--every <ms>', 'between two requests, instead of sending all at one moment', milliseconds, 0)
    .addOption(
      new Option(
        '--warm-up <n>',
        'so many instances are made and ended before anything is measured: V8 optimises what has run often, by time that counts as the services’ (1 to 2000)',
      )
        .argParser(warmUpOf)
        .default(20),
    )
    .option(
      '--image-stays',
      'one instance more is made then and stays: in each round the image of the package is there already, where otherwise the first of a round uploads it for all',
    )
    .option('--before <dir>', 'another checkout of Windlass, built: both are measured in turns, and ratios are shown')
    .option(
      '--profile <dir>',
      'profile each service in a round more: its .cpuprofile files are kept in this folder, and tables say where its processor time goes',
    )
    .action((options: EngineBenchCommandOptions) => engine(where, options));

async function engine(
  where: Surroundings,
  { json, count, oneProcess, imageStays, sync, before, profile, ...options }: EngineBenchCommandOptions,
): Promise<void> {
  const vim = vimOf({ count, ...options });
  if (oneProcess === true && options.replicas !== undefined)
    throw new TerminalError('bench.options', '--replicas is about processes, and --one-process has one: leave one of both out');
  const { engineBench } = await import('../bench/engine/engine-bench.js');
  const { reportText } = await import('../bench/engine/engine-report.js');
  await showReport(
    where,
    json,
    (measuring) =>
      engineBench(where, {
        ...options,
        vim,
        counts: count,
        oneProcess: oneProcess === true,
        imageStays: imageStays === true,
        durable: sync,
        ...(before === undefined ? {} : { before: resolve(where.calledFrom, before) }),
        ...(profile === undefined ? {} : { profile: resolve(where.calledFrom, profile) }),
        ...measuring,
      }),
    reportText,
  );
}

/** @throws TerminalError where the VIM can't do what is asked for */
export function vimOf({ vim, stacks, count }: Pick<EngineBenchCommandOptions, 'vim' | 'stacks' | 'count'>): 'cheap' | 'emulator' {
  const which = vim ?? (stacks === 'lab' ? 'emulator' : 'cheap');
  if (which === 'cheap' && stacks === 'lab')
    throw new TerminalError('bench.options', '--stacks lab is of the emulator: leave --vim out, or give --vim emulator');
  if (which === 'emulator' && Math.max(...count) > MOST_ON_EMULATOR)
    throw new TerminalError('bench.options', `the emulator's network holds ${MOST_ON_EMULATOR} at once: give a smaller --count`);
  return which;
}
