import { Command, InvalidArgumentError, Option } from 'commander';
import type { Surroundings } from '@windlass/windlass/command-line';
import { apiBenchCommand } from './bench-api.js';
import { bringUpBenchCommand } from './bench-bring-up.js';
import { engineBenchCommand } from './bench-engine.js';
import { manyBenchCommand } from './bench-many.js';
import { positive } from './bench-numbers.js';
import { openStackBenchCommand } from './bench-openstack.js';
import { startBenchCommand } from './bench-start.js';
import { showReport } from './show-report.js';

interface RecoveryBenchOptions {
  json?: string;
  runs: number;
  lease: string;
}

const UNITS = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const;

const bytesOf = (text: string): number => {
  const [, number = '', unit = ''] = /^([1-9]\d{0,3})(KiB|MiB|GiB)$/.exec(text) ?? [];
  if (unit === '') throw new InvalidArgumentError('expected a size such as 512MiB or 2GiB');
  return Number(number) * UNITS[unit as keyof typeof UNITS];
};

/** `./windlass bench`. */
export function benchCommand(where: Surroundings): Command {
  return new Command('bench')
    .description('measure; docs/bench.md says what each figure means')
    .addCommand(engineBenchCommand(where))
    .addCommand(apiBenchCommand(where))
    .addCommand(bringUpBenchCommand(where))
    .addCommand(startBenchCommand(where))
    .addCommand(manyBenchCommand(where))
    .addCommand(
      new Command('recovery')
        .description('kill each service, PostgreSQL and NATS while an operation runs: how long until its next step starts')
        .option('--json <file>', 'also write the figures to a file')
        .option('--runs <n>', 'how often each is killed', positive, 3)
        .option('--lease <time>', 'ENGINE_LEASE of the services', '10s')
        .action((options: RecoveryBenchOptions) => recovery(where, options)),
    )
    .addCommand(
      new Command('package')
        .description(
          'a package with a large deflated image: the upload, and the image to Glance, against a plain copy of the same bytes',
        )
        .option('--json <file>', 'also write the figures to a file')
        .addOption(
          new Option('--size <size>', 'of the image; the disk of the temporary folder needs about four times that')
            .argParser(bytesOf)
            .default(2 * UNITS.GiB, '2GiB'),
        )
        .action((options: { json?: string; size: number }) => packages(where, options)),
    )
    .addCommand(openStackBenchCommand(where));
}

async function recovery(where: Surroundings, { json, runs, lease }: RecoveryBenchOptions): Promise<void> {
  const { recoveryBench } = await import('../bench/recovery-bench.js');
  const { recoveryText } = await import('../bench/report.js');
  await showReport(where, json, (measuring) => recoveryBench(where, { runs, lease, ...measuring }), recoveryText);
}

async function packages(where: Surroundings, { json, size }: { json?: string; size: number }): Promise<void> {
  const { packageBench } = await import('../bench/package/package-bench.js');
  const { packageText } = await import('../bench/package/package-report.js');
  await showReport(where, json, (measuring) => packageBench(where, { size, ...measuring }), packageText);
}
