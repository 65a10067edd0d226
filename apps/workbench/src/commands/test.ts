import { join } from 'node:path';
import { Command, Option } from 'commander';
import { cachedKubernetes } from '@windlass/lab';
import type { Surroundings } from '@windlass/windlass';
import { installTestPackages } from '../test/packages.js';
import { asksFor, SLOW_SUITES, SUITES, type TestOptions } from '../test/plan.js';
import { durationLines } from '../test/report.js';
import { runJobs, SEEDS_OF_ALL } from '../test/run-jobs.js';

/** `./windlass test`. */
export function testCommand(where: Surroundings): Command {
  return new Command('test')
    .description(
      'set up what is missing, check the code, and run the tests; ends with where the time went and "N passed, N failed"',
    )
    .option(
      '--all',
      'all suites and files: --openstack and --openstack-client too, files that are left out otherwise (*.all.*.spec.ts), and a small part of the chaos suite with seeds of its own (what .ci/run does)',
    )
    .option(
      '--openstack',
      'also the contract suite against a real small OpenStack, brought up from Debian packages (about 6 minutes the first time)',
    )
    .option(
      '--openstack-client',
      "also Debian's openstack command line against Windlass (installs python3-openstackclient and python3-tackerclient)",
    )
    .option(
      '--chaos',
      'also the suite that kills services at random, in full: 300 operations over 30 instances (with --only chaos alone: 60 over 10)',
    )
    .option(
      '--kubernetes',
      'also the suite on programs of a real Kubernetes, which are made first where there are none (about 20 minutes once, with Go; --all runs it where they are)',
    )
    .option(
      '--seed <numbers>',
      `of the chaos suite, one or several with commas, a run each: makes the decisions of an earlier run again (default: a new one, which it prints; with --all ${SEEDS_OF_ALL})`,
    )
    .addOption(new Option('--only <suite...>', 'these suites and no others').choices([...SUITES, ...SLOW_SUITES]))
    .option('--filter <text>', 'only test files whose path contains this')
    .option('--no-checks', 'without formatting, lint and import checks')
    .action((options: TestOptions) => runTests(where, options));
}

/** `--all` asks for no programs that take long to make: the suite runs where they are, and is left out, told in a line, where they are not. */
async function withKubernetes(options: TestOptions, cache: string): Promise<TestOptions> {
  if (options.all !== true || options.kubernetes === true || options.only !== undefined) return options;
  if ((await cachedKubernetes(join(cache, 'lab'))) !== undefined) return { ...options, kubernetes: true };
  console.log('kubernetes: left out, for no real Kubernetes is in the cache: `./windlass test --kubernetes` makes one');
  return options;
}

async function runTests({ home, cache }: Surroundings, asked: TestOptions): Promise<void> {
  const options = await withKubernetes(asked, cache);
  await installTestPackages({ client: asksFor(options, 'openstack-client') });
  const { passed, failed, failures, jobs, files } = await runJobs(home, options);
  console.log('');
  for (const line of durationLines(jobs, files)) console.log(line);
  for (const failure of failures) console.log(`FAILED  ${failure}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}
