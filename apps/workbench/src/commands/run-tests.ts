import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedKubernetes } from '@windlass/lab';
import type { Surroundings } from '@windlass/windlass';
import { programFolders } from '../environment/config.js';
import { endedBySignals, statusOf } from '../test/end-tree.js';
import { flakyLines, flakyTable, oftenFlaky, recordFlaky, sightings } from '../test/flaky.js';
import { readMedians } from '../test/gate.js';
import { installTestPackages } from '../test/packages.js';
import { asksFor, isGate, type Suite, type TestOptions } from '../test/plan.js';
import { countsOf, durationLines, failureLines } from '../test/report.js';
import { runJobs, type Tally } from '../test/run-jobs.js';
import { allSpecFiles } from '../test/spec-files.js';
import { changedSince, touchedFiles } from '../test/touched.js';

/** What the command line asks for beside what is run. */
export interface Asked extends TestOptions {
  flaky?: boolean;
  /** Since which commit. */
  touched?: string | true;
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

/** Runs what is asked for, and tells how it went. */
export async function runTests({ home, cache }: Surroundings, asked: Asked): Promise<void> {
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
