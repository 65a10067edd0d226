import type { Surroundings } from '@windlass/windlass/command-line';
import { Command } from 'commander';
import { positive } from './bench-numbers.js';
import { nodeOptionsOption } from './node-options.js';
import { showReport } from './show-report.js';

interface StartCommandOptions {
  json?: string;
  runs: number;
  idle: number;
  oneProcess?: boolean;
  nodeOptions?: string;
}

/** `./windlass bench start`. */
export const startBenchCommand = (where: Surroundings): Command =>
  new Command('start')
    .description('start everything as "up" does: time and processor time until all is ready, and memory of services left alone')
    .option('--json <file>', 'also write the figures to a file')
    .option('--runs <n>', 'starts on a folder that has been started on before; the medians are shown', positive, 5)
    .option('--idle <seconds>', 'how long services are left alone before their memory is read', positive, 5)
    .option('--one-process', 'all services in one process')
    .addOption(nodeOptionsOption(''))
    .action(async ({ json, oneProcess, ...options }: StartCommandOptions) => {
      const { startBench } = await import('../bench/start/start-bench.js');
      const { startText } = await import('../bench/start/start-report.js');
      const measured = { ...options, oneProcess: oneProcess === true };
      await showReport(where, json, (measuring) => startBench(where, { ...measured, ...measuring }), startText);
    });
