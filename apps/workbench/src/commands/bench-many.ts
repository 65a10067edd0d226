import { Command, InvalidArgumentError, Option } from 'commander';
import type { Surroundings } from '@windlass/windlass/command-line';
import { positive } from './bench-numbers.js';
import { showReport } from './show-report.js';

interface ManyCommandOptions {
  json?: string;
  instances: number;
  occurrences: number;
  small: number;
  runs: number;
}

const count = (text: string): number => {
  if (!/^[1-9]\d{1,6}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 10 to 9999999');
  return Number(text);
};

/** `./windlass bench many`. */
export const manyBenchCommand = (where: Surroundings): Command =>
  new Command('many')
    .description(
      'a year of operations in the database: lists, looks, purges, start-up with little and with much of it, and ratios',
    )
    .option('--json <file>', 'also write the figures to a file')
    .addOption(new Option('--instances <n>', 'VNF instances of the full size').argParser(count).default(50_000, '50000'))
    .addOption(
      new Option('--occurrences <n>', 'operation occurrences of the full size').argParser(count).default(500_000, '500000'),
    )
    .addOption(new Option('--small <n>', 'VNF instances of the small size').argParser(count).default(500, '500'))
    .option('--runs <n>', 'how often each is measured; the medians are shown', positive, 5)
    .action(async ({ json, ...options }: ManyCommandOptions) => {
      if (options.small >= options.instances) throw new InvalidArgumentError('--small: expected fewer than --instances');
      const { manyBench } = await import('../bench/many/many-bench.js');
      const { manyText } = await import('../bench/many/many-report.js');
      await showReport(where, json, (measuring) => manyBench(where, { ...options, ...measuring }), manyText);
    });
