import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { cachedKubernetes } from '@windlass/lab';
import type { Surroundings } from '@windlass/windlass';
import { programFolders } from '../environment/config.js';
import { endedBySignals, statusOf } from '../test/end-tree.js';
import { flakyLines, flakyTable, oftenFlaky, recordFlaky, sightings } from '../test/flaky.js';
import { readMedians } from '../test/gate.js';
import { installTestPackages } from '../test/packages.js';
import { asksFor, isGate, SLOW_SUITES, SUITES, type Suite, type TestOptions } from '../test/plan.js';
import { countsOf, durationLines, failureLines } from '../test/report.js';
import { runJobs, SEEDS_OF_ALL, type Tally } from '../test/run-jobs.js';
import { allSpecFiles } from '../test/spec-files.js';
import { changedSince, touchedFiles } from '../test/touched.js';

/** What the command line asks for beside what is run. */
interface Asked extends TestOptions {
  flaky?: boolean;
  /** Since which commit. */
  touched?: string | true;
}

/** `./windlass test`. */
export function testCommand(where: Surroundings): Command {
  return new Command('test')
    .description(
      'the gate, 15 minutes: set up what is missing, check the code, and run the tests that every change must pass (what .ci/run does). A file that fails is run once more, alone: green then, it is told as FLAKY, recorded and counted as passed. Ends with where the time went and "N passed, N failed"',
    )
    .option(
      '--touched [commit]',
      'instead of the gate, the slow tests that a change since a commit asks for (default: origin/main); run it once before a change lands',
    )
    .option(
      '--all',
      'all suites and files but those that only a person names (*.named.*.spec.ts): --openstack and --openstack-client too, what the gate leaves out, a small part of the chaos suite with seeds of its own, and inputs that are generated anew',
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
      'also the suite on programs of a real Kubernetes, which are made first where there are none (about 20 minutes once, with Go; --all and --touched run it where they are)',
    )
    .option(
      '--containers',
      'also the suite that builds the image and runs docker-compose.yml, by podman and buildah of Debian (made of stand-ins for the images of a registry: minutes the first time)',
    )
    .option(
      '--seed <numbers>',
      `of the chaos suite, one or several with commas, a run each: makes the decisions of an earlier run again (default: a new one, which it prints; with --all ${SEEDS_OF_ALL})`,
    )
    .addOption(new Option('--only <suite...>', 'these suites and no others').choices([...SUITES, ...SLOW_SUITES]))
    .option('--filter <text>', 'only test files whose path contains this')
    .option('--no-checks', 'without formatting, lint and import checks')
    .option('--flaky', 'run nothing: show the tests that were seen flaky on this machine, by file and count')
    .action((asked: Asked) => runTests(where, asked));
}

/** What nobody named needs no programs that take long to make: the suite runs where they are, and is left out, told in a line, where they are not. */
async function withKubernetes(options: TestOptions, cache: string): Promise<TestOptions> {
  if (options.kubernetes === true || options.only !== undefined) return options;
  if (options.all !== true && options.files?.has('kubernetes') !== true) return options;
  if ((await cachedKubernetes(join(cache, 'lab'))) !== undefined) return { ...options, kubernetes: true };
  console.log('kubernetes: left out, for no real Kubernetes is in the cache: `./windlass test --kubernetes` makes one');
  return withoutFilesOf(options, 'kubernetes');
}

/** Go builds the NATS of an image, and Debian's is too old for it: what nobody named runs where it is, and is left out, told in a line, where it is not. */
async function withContainers(options: TestOptions): Promise<TestOptions> {
  if (options.containers === true || options.only !== undefined) return options;
  if (options.all !== true && options.files?.has('containers') !== true) return options;
  const found = await Promise.all(
    programFolders().map((folder) =>
      access(join(folder, 'go')).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (found.includes(true)) return { ...options, containers: true };
  console.log('containers: left out, for there is no Go on the PATH: it builds the NATS that docker-compose.yml is run with');
  return withoutFilesOf(options, 'containers');
}

const withoutFilesOf = (options: TestOptions, left: Suite): TestOptions =>
  options.files === undefined ? options : { ...options, files: new Map([...options.files].filter(([suite]) => suite !== left)) };

/** With `--touched`, the files that the change asks for. */
function withTouched({ touched, ...options }: Asked, home: string): TestOptions {
  if (touched === undefined) return options;
  const base = touched === true ? 'origin/main' : touched;
  const changed = changedSince(home, base);
  const files = touchedFiles(changed, allSpecFiles(home), readMedians(home));
  console.log(`${changed.length} files changed since ${base}; slow tests that they ask for:`);
  for (const [suite, of] of files) console.log(`  ${suite}: ${of.join(' ')}`);
  if (files.size === 0) console.log('  none');
  return { ...options, files };
}

async function runTests({ home, cache }: Surroundings, asked: Asked): Promise<void> {
  if (asked.flaky === true) {
    for (const line of flakyTable(await sightings(cache))) console.log(line);
    return;
  }
  const options = await withContainers(await withKubernetes(withTouched(asked, home), cache));
  if (options.files?.size === 0) return;
  await installTestPackages({
    client: asksFor(options, 'openstack-client'),
    pypi: asksFor(options, 'int') && !isGate(options),
    containers: asksFor(options, 'containers'),
  });
  const ended = endedBySignals();
  const tally = await runJobs(home, cache, options, ended);
  if (ended.aborted) {
    console.error(`ended by ${String(ended.reason)}, and with it what was started; nothing is counted`);
    process.exitCode = statusOf(ended);
    return;
  }
  await recordFlaky(cache, tally.flaky);
  console.log('');
  for (const line of [...summaryOf(tally), ...oftenFlaky(await sightings(cache))]) console.log(line);
  const { passed, failed } = totalOf(tally);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

function totalOf({ checks, results, others }: Tally): { passed: number; failed: number } {
  const { passed, failed } = countsOf(results);
  const green = checks.filter((check) => check.passed).length;
  return { passed: passed + green, failed: failed + checks.length - green + others.length };
}

const summaryOf = ({ checks, results, others, flaky, jobs, runs }: Tally): string[] => [
  ...durationLines(jobs, runs),
  ...flaky.flatMap(flakyLines),
  ...checks.filter(({ passed }) => !passed).map(({ name }) => `FAILED  ${name}`),
  ...[...others, ...results.flatMap(failureLines)].map((line) => `FAILED  ${line}`),
];
