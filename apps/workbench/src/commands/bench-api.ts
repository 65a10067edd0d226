import { Command, InvalidArgumentError, Option } from 'commander';
import { millis } from '@windlass/foundation';
import type { Surroundings } from '@windlass/windlass/command-line';
import { resolve } from 'node:path';
import { milliseconds, positive } from './bench-numbers.js';
import { showReport } from './show-report.js';

interface ApiBenchCommandOptions {
  json?: string;
  instances: number[];
  runs: number;
  lasting: number;
  against?: string;
}

const instancesOf = (text: string): number[] => {
  const counts = text.split(',').map(Number);
  const rising = counts.every((count, n) => Number.isInteger(count) && count > (counts[n - 1] ?? 0) && count <= 1_000_000);
  if (!rising)
    throw new InvalidArgumentError('expected whole numbers from 1 to 1000000, each above the one before, such as 1,1000,50000');
  return counts;
};

/** `./windlass bench api`. */
export const apiBenchCommand = (where: Surroundings): Command =>
  new Command('api')
    .description(
      'the REST API: lists and reads with few and many instances, creates, notifications; also in turns with another checkout',
    )
    .option('--json <file>', 'also write the figures to a file')
    .addOption(
      new Option('--instances <n,n...>', 'how many are in the database, a round each')
        .argParser(instancesOf)
        .default([1, 500, 1_000, 50_000], '1,500,1000,50000'),
    )
    .option('--runs <n>', 'how often each is measured; the medians are shown', positive, 3)
    .option('--lasting <ms>', 'how long each load lasts', milliseconds, 2_000)
    .option('--against <dir>', 'another checkout of Windlass, built: both are measured in turns, and ratios are shown')
    .action((options: ApiBenchCommandOptions) => api(where, options));

async function api(where: Surroundings, { json, against, lasting, ...options }: ApiBenchCommandOptions): Promise<void> {
  const { apiBench } = await import('../bench/api/api-bench.js');
  const { apiText } = await import('../bench/api/api-report.js');
  await showReport(
    where,
    json,
    (measuring) =>
      apiBench(where, {
        ...options,
        lasting: millis(lasting),
        ...(against === undefined ? {} : { against: resolve(where.calledFrom, against) }),
        ...measuring,
      }),
    apiText,
  );
}
