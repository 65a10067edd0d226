import { TerminalError } from '@windlass/foundation';
import type { Surroundings } from '@windlass/windlass/command-line';
import { Command } from 'commander';
import { resolve } from 'node:path';
import type { RealOpenStack } from '../openstack/real-openstack.js';
import { positive } from './bench-numbers.js';
import { showReport } from './show-report.js';

interface OpenStackBenchCommandOptions {
  json?: string;
  runs: number;
  oneProcess?: boolean;
  data?: string;
  besideBare?: boolean;
  count?: number;
  ownImages?: boolean;
}

const AT_ONCE = 10;
/** One listing of Heat's shows no more stacks than 150; the small OpenStack's fake servers take some 3 s each on two cores. */
const MOST_AT_ONCE = 50;

/** `./windlass bench openstack`. */
export const openStackBenchCommand = (where: Surroundings): Command =>
  new Command('openstack')
    .description(
      'instantiate one VM on a real small OpenStack, POST to COMPLETED, less the time that Heat itself takes; or, with --beside-bare, the same stacks in turns by a client that has nothing but Heat; needs root, and installs its Debian packages the first time',
    )
    .option('--json <file>', 'also write the figures to a file')
    .option('--runs <n>', 'how many VNFs, or turns, one after the other; the medians are shown', positive, 5)
    .option('--one-process', 'all services in one process')
    .option(
      '--beside-bare',
      'one VM, and several at once, made and ended by bare requests to Heat and by Windlass in turns: differences, ratios, requests',
    )
    .option('--count <n>', `with --beside-bare: how many at once, ${AT_ONCE} by default`, positive)
    .option('--own-images', 'with --beside-bare: each instance uploads its own image, where otherwise the first does for all')
    .option(
      '--data <dir>',
      'have the OpenStack in this folder, use it if it runs there, and leave it running (tools/openstack/down.sh --data <dir> --purge ends it); otherwise it comes for the time of the bench',
    )
    .action((options: OpenStackBenchCommandOptions) => openStack(where, options));

async function openStack(where: Surroundings, { json, data, ...options }: OpenStackBenchCommandOptions): Promise<void> {
  const count = atOnce(options);
  const { withRealOpenStack } = await import('../openstack/real-openstack.js');
  const kept = data === undefined ? undefined : resolve(where.calledFrom, data);
  const common = { runs: options.runs, oneProcess: options.oneProcess === true };
  const on = <T>(work: (realOne: RealOpenStack) => Promise<T>): Promise<T> => withRealOpenStack(where.home, work, kept);
  const ownImages = options.ownImages === true;
  if (count !== undefined) {
    const { besideBareBench } = await import('../bench/openstack/beside-bare.js');
    const { besideText } = await import('../bench/openstack/beside-report.js');
    await showReport(
      where,
      json,
      (measuring) => on((realOne) => besideBareBench(where, { ...common, count, ownImages, openStack: realOne, ...measuring })),
      besideText,
    );
    return;
  }
  const { openStackBench } = await import('../bench/openstack/openstack-bench.js');
  const { openStackText } = await import('../bench/openstack/openstack-report.js');
  await showReport(
    where,
    json,
    (measuring) => on((realOne) => openStackBench(where, { ...common, openStack: realOne, ...measuring })),
    openStackText,
  );
}

/**
 * How many at once; undefined for the bench of Windlass alone.
 * @throws TerminalError `bench.options`
 */
export function atOnce({ besideBare, count }: Pick<OpenStackBenchCommandOptions, 'besideBare' | 'count'>): number | undefined {
  if (besideBare !== true) {
    if (count !== undefined)
      throw new TerminalError('bench.options', '--count is of --beside-bare: give that, too, or leave it out');
    return undefined;
  }
  const many = count ?? AT_ONCE;
  if (many < 2 || many > MOST_AT_ONCE)
    throw new TerminalError(
      'bench.options',
      `--count ${many}: from 2 to ${MOST_AT_ONCE} at once are measured beside bare requests, and one always`,
    );
  return many;
}
