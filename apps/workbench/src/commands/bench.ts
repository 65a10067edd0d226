import { Command, InvalidArgumentError, Option } from 'commander';
import { resolve } from 'node:path';
import { recoveryBench } from '../bench/recovery-bench.js';
import { openStackBench } from '../bench/openstack/openstack-bench.js';
import { openStackText } from '../bench/openstack/openstack-report.js';
import { packageBench } from '../bench/package/package-bench.js';
import { packageText } from '../bench/package/package-report.js';
import { recoveryText } from '../bench/report.js';
import type { Surroundings } from '@windlass/windlass';
import { apiBenchCommand } from './bench-api.js';
import { bringUpBenchCommand } from './bench-bring-up.js';
import { engineBenchCommand } from './bench-engine.js';
import { manyBenchCommand } from './bench-many.js';
import { positive } from './bench-numbers.js';
import { startBenchCommand } from './bench-start.js';
import { showReport } from './show-report.js';
import { withRealOpenStack } from '../openstack/real-openstack.js';

interface RecoveryBenchOptions {
  json?: string;
  runs: number;
  lease: string;
}

interface OpenStackBenchOptions {
  json?: string;
  runs: number;
  oneProcess?: boolean;
  data?: string;
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
    .addCommand(openStackCommand(where));
}

const openStackCommand = (where: Surroundings): Command =>
  new Command('openstack')
    .description(
      'instantiate one VM on a real small OpenStack, POST to COMPLETED, less the time that Heat itself takes; needs root, and installs its Debian packages the first time',
    )
    .option('--json <file>', 'also write the figures to a file')
    .option('--runs <n>', 'how many VNFs, one after the other; the medians are shown', positive, 5)
    .option('--one-process', 'all services in one process')
    .option(
      '--data <dir>',
      'have the OpenStack in this folder, use it if it runs there, and leave it running (tools/openstack/down.sh --data <dir> --purge ends it); otherwise it comes for the time of the bench',
    )
    .action((options: OpenStackBenchOptions) => openStack(where, options));

const openStack = (where: Surroundings, { json, runs, oneProcess, data }: OpenStackBenchOptions): Promise<void> =>
  showReport(
    where,
    json,
    (measuring) =>
      withRealOpenStack(
        where.home,
        (realOne) => openStackBench(where, { runs, oneProcess: oneProcess === true, openStack: realOne, ...measuring }),
        data === undefined ? undefined : resolve(where.calledFrom, data),
      ),
    openStackText,
  );

const recovery = (where: Surroundings, { json, runs, lease }: RecoveryBenchOptions): Promise<void> =>
  showReport(where, json, (measuring) => recoveryBench(where, { runs, lease, ...measuring }), recoveryText);

const packages = (where: Surroundings, { json, size }: { json?: string; size: number }): Promise<void> =>
  showReport(where, json, (measuring) => packageBench(where, { size, ...measuring }), packageText);
