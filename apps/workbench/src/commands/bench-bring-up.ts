import { Command, InvalidArgumentError, Option } from 'commander';
import type { Surroundings } from '@windlass/windlass/command-line';
import type { ClusterSize } from '../bench/bring-up/cluster-package.js';
import { positive } from './bench-numbers.js';
import { showReport } from './show-report.js';

interface BringUpCommandOptions {
  json?: string;
  sizes: ClusterSize[];
  runs: number;
  ssh?: number[];
}

/** A node has a subnet of /24 of the sample's range of pods, and the emulator's network an address. */
const MOST_WORKERS = 190;

const sizesOf = (text: string): ClusterSize[] =>
  text.split(',').map((size) => {
    const [, masters, workers] = /^([13])\+([1-9]\d{0,2})$/.exec(size) ?? [];
    if (Number(workers) <= MOST_WORKERS) return { masters: Number(masters), workers: Number(workers) };
    throw new InvalidArgumentError(
      `expected masters and workers, such as 1+2,3+50: 1 or 3 masters, 1 to ${MOST_WORKERS} workers`,
    );
  });

const nodesOf = (text: string): number[] => text.split(',').map(positive);

/** `./windlass bench bring-up`. */
export const bringUpBenchCommand = (where: Surroundings): Command =>
  new Command('bring-up')
    .description(
      'bring clusters up on hosts whose actions only take their time, 20 times as quick as real ones: how much longer it takes than the longest chain of steps',
    )
    .option('--json <file>', 'also write the figures to a file')
    .addOption(
      new Option('--sizes <m+w,m+w...>', 'masters and workers of the clusters')
        .argParser(sizesOf)
        .default(sizesOf('1+2,1+10,1+50,1+100,3+50'), '1+2,1+10,1+50,1+100,3+50'),
    )
    .option('--runs <n>', 'how often each is brought up; the medians are shown', positive, 1)
    .addOption(
      new Option(
        '--ssh <n,n...>',
        'also what SSH costs with so many nodes at once, on an sshd each; needs root and openssh-server',
      ).argParser(nodesOf),
    )
    .action(async ({ json, ssh = [], ...options }: BringUpCommandOptions) => {
      const { bringUpBench } = await import('../bench/bring-up/bring-up-bench.js');
      const { bringUpText } = await import('../bench/bring-up/bring-up-report.js');
      await showReport(where, json, (measuring) => bringUpBench(where, { ...options, ssh, ...measuring }), bringUpText);
    });
