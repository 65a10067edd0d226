import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withRealOpenStack } from '../openstack/real-openstack.js';
import { hasOwn, withOwn } from '../environment/config.js';
import { CleanParts } from './clean.js';
import { endTree } from './end-tree.js';
import type { FileRun } from './file-reporter.js';
import { filesToRun } from './gate.js';
import { SEEDS_OF_ALL, stagesOf, type Check, type Job, type Suite, type TestOptions } from './plan.js';
import { countsOf, readReport, resultsOf, type FileResult, type JobDuration } from './report.js';
import { trySecond } from './second-try.js';
import { TurnsOfOutput } from './turns-of-output.js';

/** What has run. */
export interface Tally {
  /** Checks, each as one test, by their names. */
  checks: { name: string; passed: boolean }[];
  results: FileResult[];
  /** What failed and is no file's: a runner that ended badly, an OpenStack that did not come up. */
  others: string[];
  /** What failed first and was green when it was tried again, alone. */
  flaky: FileResult[];
  jobs: JobDuration[];
  runs: FileRun[];
}

/** What a job is run with. */
interface Running {
  home: string;
  /** The folder of what is kept on this machine. */
  cache: string;
  /** Where reports are written. */
  results: string;
  options: TestOptions;
  /** What the test runner is told beside our own environment. */
  environment: Readonly<Record<string, string>>;
  /** Once aborted, nothing new is begun. */
  ended: AbortSignal;
  say: (text: string) => void;
  tally: Tally;
}

/** Runs checks and suites, those side by side that may be; what they print comes one after the other. Then what failed, once more. */
export async function runJobs(
  home: string,
  cache: string,
  options: TestOptions,
  ended: AbortSignal = new AbortController().signal,
): Promise<Tally> {
  const results = join(home, 'test-results');
  await rm(results, { recursive: true, force: true });
  await mkdir(results, { recursive: true });
  const tally: Tally = { checks: [], results: [], others: [], flaky: [], jobs: [], runs: [] };
  const running = { home, cache, ended, results, options, environment: environmentOf(options, results), tally };
  const turns = new TurnsOfOutput((text) => void process.stdout.write(text));
  const runOne = async (job: Job, { say, end }: ReturnType<TurnsOfOutput['speaker']>): Promise<void> => {
    const started = performance.now();
    try {
      await ('check' in job ? runCheck({ ...running, say }, job.check) : runAnySuite({ ...running, say }, job.suite));
      addTime(tally.jobs, 'check' in job ? 'checks' : job.suite, performance.now() - started);
    } finally {
      end();
    }
  };
  for (const stage of stagesOf(options)) {
    const lanes = stage.map((lane) => lane.map((job) => ({ job, speaker: turns.speaker() })));
    await Promise.all(
      lanes.map(async (lane) => {
        for (const { job, speaker } of lane) if (!ended.aborted) await runOne(job, speaker);
      }),
    );
  }
  const say = (text: string): void => void process.stdout.write(text);
  if (ended.aborted) return tally;
  const verdict = await trySecond(tally.results, (first, within) => runAlone({ ...running, say }, first, within));
  return { ...tally, ...verdict };
}

/** Generated inputs are the same each time, but where everything is asked for: there the seed is a new one, which is printed. */
function environmentOf({ all }: TestOptions, results: string): Record<string, string> {
  const environment = { WINDLASS_EVIDENCE: join(results, 'evidence') };
  if (all !== true || hasOwn('WINDLASS_TEST_SEED')) return environment;
  const drawn = String(randomInt(2 ** 31));
  console.log(`generated inputs: WINDLASS_TEST_SEED=${drawn}`);
  return { ...environment, WINDLASS_TEST_SEED: drawn };
}

function addTime(jobs: JobDuration[], name: string, took: number): void {
  const known = jobs.find((job) => job.name === name);
  if (known === undefined) jobs.push({ name, took });
  else known.took += took;
}

async function runCheck(running: Running, { name, command, parts }: Check): Promise<void> {
  const started = performance.now();
  const [program, ...args] = command;
  const clean = new CleanParts(running.cache, program);
  const all = parts?.(running.home) ?? [];
  const left = clean.unknown(all);
  const passed =
    (parts !== undefined && left.length === 0) || (await run(running, program, [...args, ...left.map(({ path }) => path)])) === 0;
  if (passed) clean.add(all);
  const before = all.length - left.length;
  const known = before === 0 ? '' : `, ${before} of ${all.length} found clean before`;
  running.say(`${passed ? 'ok' : 'FAILED'}  ${name} (${((performance.now() - started) / 1_000).toFixed(1)} s${known})\n`);
  running.tally.checks.push({ name, passed });
}

/** What the chaos suite is told (tests/chaos/sizes.ts reads it): all of it only where it was asked for by its name. */
const chaosEnvironment = ({ all, chaos, seed }: TestOptions): Record<string, string> => {
  const seeds = seed ?? (all === true && chaos !== true ? SEEDS_OF_ALL : undefined);
  return { WINDLASS_CHAOS: chaos === true ? 'full' : 'small', ...(seeds === undefined ? {} : { WINDLASS_CHAOS_SEED: seeds }) };
};

/** The suite against the real OpenStack gets one for its time; one that does not come up is a failed test, told with its reason. */
async function runAnySuite(running: Running, suite: Suite): Promise<void> {
  const withMore = (more: Readonly<Record<string, string>>): Running => ({
    ...running,
    environment: { ...running.environment, ...more },
  });
  if (suite === 'chaos') return runSuite(withMore(chaosEnvironment(running.options)), suite);
  if (suite !== 'openstack') return runSuite(running, suite);
  try {
    await withRealOpenStack(running.home, ({ environment }) => runSuite(withMore(environment), suite));
  } catch (error) {
    const failure = `the real OpenStack: ${error instanceof Error ? error.message : String(error)}`;
    running.say(`${failure}\n`);
    running.tally.others.push(failure);
  }
}

/** `unit` and `int` are two projects each of vitest.config.ts: the files that put modules in the place of others stand apart. */
const projectsOf = (suite: Suite): string => (suite === 'unit' || suite === 'int' ? `${suite}*` : suite);

/** Runs one suite. A runner that ends badly without a failed file counts as a failure. */
async function runSuite(running: Running, suite: Suite): Promise<void> {
  const { home, options, say, tally } = running;
  say(`\n== ${suite} ==\n`);
  const filters = filtersOf(home, options, suite);
  // Without a path the test runner takes every file.
  if (filters?.length === 0) return;
  const { status, results, runs } = await runVitest(running, suite, suite, filters ?? []);
  tally.results.push(...results);
  tally.runs.push(...runs);
  const { passed, failed } = countsOf(results);
  say(`${suite}: ${passed} passed, ${failed} failed\n`);
  if (failed === 0 && status !== 0) tally.others.push(`${suite}: the test runner ended with status ${status}`);
}

/** What the test runner is given: paths of files; undefined where a suite was named, whole. Its own `--exclude` does not reach projects that have an `exclude` in vitest.config.ts. */
function filtersOf(home: string, options: TestOptions, suite: Suite): readonly string[] | undefined {
  const { all = false, only, filter, files } = options;
  if (files !== undefined) return files.get(suite) ?? [];
  if (filter !== undefined) return [filter];
  return only !== undefined ? undefined : filesToRun(home, suite, { all });
}

/** Suites that need more than their files, or longer than second tries may take. */
const TRIED_ONCE: readonly Suite[] = ['openstack', 'chaos', 'containers', 'kubernetes'];

async function runAlone(running: Running, { suite, file }: FileResult, within: number): Promise<FileResult | undefined> {
  if (TRIED_ONCE.includes(suite)) return undefined;
  running.say(`\n== once more, alone: ${file} ==\n`);
  const { results } = await runVitest(running, suite, `${suite}.second`, ['--maxWorkers=1', file], within);
  return results.find((result) => result.file === file);
}

/** Runs the test runner on a suite and reads its reports. */
async function runVitest(
  running: Running,
  suite: Suite,
  name: string,
  more: readonly string[],
  within?: number,
): Promise<{ status: number; results: FileResult[]; runs: FileRun[] }> {
  const report = join(running.results, `${name}.json`);
  const filesReport = join(running.results, `${name}.files.json`);
  await rm(report, { force: true });
  const args = [
    ...['run', '--project', projectsOf(suite), '--passWithNoTests', '--reporter=default'],
    ...['--reporter=json', `--outputFile.json=${report}`],
    ...[`--reporter=${join(running.home, 'apps/workbench/dist/test/file-reporter.js')}`, `--outputFile.files=${filesReport}`],
    ...more,
  ];
  const status = await run(running, 'vitest', args, within);
  const runs = JSON.parse(await readFile(filesReport, 'utf8').catch(() => '[]')) as FileRun[];
  const read = readReport(await readFile(report, 'utf8').catch(() => '{}'));
  return { status, runs, results: resultsOf(read, suite, running.home, runs) };
}

/** Runs a program of the npm packages; its status. One that takes longer than `within` milliseconds is ended, with all that it started. */
function run({ home, say, environment }: Running, program: string, args: readonly string[], within?: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(home, 'node_modules/.bin', program), args, {
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: withOwn(environment),
    });
    for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', say);
    const limit =
      within === undefined ? undefined : setTimeout(() => void endTree(child.pid ?? 0).catch(reject), Math.ceil(within));
    child.on('error', reject);
    child.on('close', (status) => {
      clearTimeout(limit);
      resolve(status ?? 1);
    });
  });
}
