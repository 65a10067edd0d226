import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withRealOpenStack } from '../openstack/real-openstack.js';
import { withOwn } from '../config.js';
import type { FileDuration } from './durations-reporter.js';
import { leftOut, stagesOf, type Check, type Job, type Suite, type TestOptions } from './plan.js';
import { failedTests, readReport, type JobDuration } from './report.js';
import { TurnsOfOutput } from './turns-of-output.js';

/** Chaos in small, in `--all`: the same decisions each time, so that what a change broke is told from what a new seed found. */
export const SEEDS_OF_ALL = '5,11';

/** What has run until now. */
export interface Tally {
  passed: number;
  failed: number;
  /** What failed, by suite and name: told again at the end, where the reader of a long log looks first. */
  failures: string[];
  jobs: JobDuration[];
  files: FileDuration[];
}

type Outcome = Pick<Tally, 'passed' | 'failed' | 'failures' | 'files'>;

/** What a job is run with. */
interface Running {
  home: string;
  /** Where reports are written. */
  results: string;
  options: TestOptions;
  say: (text: string) => void;
}

/** Runs checks and suites, those side by side that may be; what they print comes one after the other. */
export async function runJobs(home: string, options: TestOptions): Promise<Tally> {
  const results = join(home, 'test-results');
  await rm(results, { recursive: true, force: true });
  await mkdir(results, { recursive: true });
  const tally: Tally = { passed: 0, failed: 0, failures: [], jobs: [], files: [] };
  const turns = new TurnsOfOutput((text) => void process.stdout.write(text));
  const runOne = async (job: Job, { say, end }: ReturnType<TurnsOfOutput['speaker']>): Promise<void> => {
    const started = performance.now();
    try {
      const running = { home, results, options, say };
      const outcome = await ('check' in job ? runCheck(running, job.check) : runAnySuite(running, job.suite));
      tally.passed += outcome.passed;
      tally.failed += outcome.failed;
      tally.failures.push(...outcome.failures);
      tally.files.push(...outcome.files);
      addTime(tally.jobs, 'check' in job ? 'checks' : job.suite, performance.now() - started);
    } finally {
      end();
    }
  };
  for (const stage of stagesOf(options)) {
    const lanes = stage.map((lane) => lane.map((job) => ({ job, speaker: turns.speaker() })));
    await Promise.all(
      lanes.map(async (lane) => {
        for (const { job, speaker } of lane) await runOne(job, speaker);
      }),
    );
  }
  return tally;
}

function addTime(jobs: JobDuration[], name: string, took: number): void {
  const known = jobs.find((job) => job.name === name);
  if (known === undefined) jobs.push({ name, took });
  else known.took += took;
}

async function runCheck(running: Running, { name, command }: Check): Promise<Outcome> {
  const started = performance.now();
  const [program, ...args] = command;
  const status = await run(running, program, args);
  running.say(`${status === 0 ? 'ok' : 'FAILED'}  ${name} (${((performance.now() - started) / 1_000).toFixed(1)} s)\n`);
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, failures: status === 0 ? [] : [name], files: [] };
}

/** What the chaos suite is told (tests/chaos/sizes.ts reads it): all of it only where it was asked for by its name. */
const chaosEnvironment = ({ all, chaos, seed }: TestOptions): Record<string, string> => {
  const seeds = seed ?? (all === true && chaos !== true ? SEEDS_OF_ALL : undefined);
  return { WINDLASS_CHAOS: chaos === true ? 'full' : 'small', ...(seeds === undefined ? {} : { WINDLASS_CHAOS_SEED: seeds }) };
};

/** The suite against the real OpenStack gets one for its time; one that does not come up is a failed test, told with its reason. */
async function runAnySuite(running: Running, suite: Suite): Promise<Outcome> {
  if (suite === 'chaos') return runSuite(running, suite, chaosEnvironment(running.options));
  if (suite !== 'openstack') return runSuite(running, suite);
  try {
    return await withRealOpenStack(running.home, ({ environment }) => runSuite(running, suite, environment));
  } catch (error) {
    const failure = `the real OpenStack: ${error instanceof Error ? error.message : String(error)}`;
    running.say(`${failure}\n`);
    return { passed: 0, failed: 1, failures: [failure], files: [] };
  }
}

/** `unit` and `int` are two projects each of vitest.config.ts: the files that put modules in the place of others stand apart. */
const projectsOf = (suite: Suite): string => (suite === 'unit' || suite === 'int' ? `${suite}*` : suite);

/** Runs one suite; its counts come from the runner's report, and a runner that ends badly without a failed test counts as one. */
async function runSuite(running: Running, suite: Suite, environment: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const { home, results, options, say } = running;
  say(`\n== ${suite} ==\n`);
  const report = join(results, `${suite}.json`);
  const durations = join(results, `${suite}.durations.json`);
  const args = [
    'run',
    ...[
      '--project',
      projectsOf(suite),
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    ...[`--reporter=${join(home, 'apps/workbench/dist/test/durations-reporter.js')}`, `--outputFile.durations=${durations}`],
    ...leftOut(options, suite).flatMap((files) => ['--exclude', files]),
    ...(options.filter === undefined ? [] : [options.filter]),
  ];
  const status = await run(running, 'vitest', args, environment);
  const read = readReport(await readFile(report, 'utf8').catch(() => '{}'));
  const files = JSON.parse(await readFile(durations, 'utf8').catch(() => '[]')) as FileDuration[];
  const { numPassedTests, numFailedTests, numFailedTestSuites } = read;
  const failed =
    numFailedTests > 0 ? numFailedTests : numFailedTestSuites > 0 || status !== 0 ? Math.max(1, numFailedTestSuites) : 0;
  say(`${suite}: ${numPassedTests} passed, ${failed} failed\n`);
  const failures = failedTests(read, home).map((failure) => `${suite}: ${failure}`);
  if (failed > 0 && failures.length === 0) failures.push(`${suite}: the test runner ended with status ${status}`);
  return { passed: numPassedTests, failed, failures, files };
}

/** Runs a program of the npm packages; its status. */
function run(
  { home, say }: Running,
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(home, 'node_modules/.bin', program), args, {
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: withOwn(environment),
    });
    for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', say);
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? 1));
  });
}
