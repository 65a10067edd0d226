import { Command, Option } from 'commander';
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { failedTests, readReport } from './test-report.js';
import { installTestPackages } from './test-packages.js';
import { withOwn, type Surroundings } from '../config.js';
import { withRealOpenStack } from './real-openstack.js';

/** The suites in the order in which they find faults cheapest; docs/testing.md says what each needs. */
const SUITES = ['unit', 'int', 'lab', 'e2e'] as const;
const SLOW_SUITES = ['openstack', 'chaos'] as const;

/** Chaos in small, in `--all`: the same decisions each time, so that what a change broke is told from what a new seed found. */
const SEEDS_OF_ALL = '5,11';

interface TestOptions {
  all?: boolean;
  openstack?: boolean;
  chaos?: boolean;
  seed?: string;
  only?: string[];
  filter?: string;
  checks: boolean;
}

interface Tally {
  passed: number;
  failed: number;
  /** What failed, by suite and name: told again at the end, where the reader of a long log looks first. */
  failures?: readonly string[];
}

/** `./windlass test`. */
export function testCommand({ home }: Surroundings): Command {
  return new Command('test')
    .description('set up what is missing, check the code, and run the tests; ends with "N passed, N failed"')
    .option('--all', 'all suites: --openstack too, and a small part of the chaos suite with seeds of its own (what .ci/run does)')
    .option(
      '--openstack',
      'also the contract suite against a real small OpenStack, brought up from Debian packages (about 6 minutes the first time)',
    )
    .option(
      '--chaos',
      'also the suite that kills services at random, in full: 300 operations over 30 instances (with --only chaos alone: 60 over 10)',
    )
    .option(
      '--seed <numbers>',
      `of the chaos suite, one or several with commas, a run each: makes the decisions of an earlier run again (default: a new one, which it prints; with --all ${SEEDS_OF_ALL})`,
    )
    .addOption(new Option('--only <suite...>', 'these suites and no others').choices([...SUITES, ...SLOW_SUITES]))
    .option('--filter <text>', 'only test files whose path contains this')
    .option('--no-checks', 'without formatting, lint and import checks')
    .action((options: TestOptions) => runTests(home, options));
}

async function runTests(home: string, options: TestOptions): Promise<void> {
  const results = join(home, 'test-results');
  await rm(results, { recursive: true, force: true });
  await mkdir(results, { recursive: true });
  const total: Tally = { passed: 0, failed: 0 };
  const failures: string[] = [];
  const add = (tally: Tally): void => {
    total.passed += tally.passed;
    total.failed += tally.failed;
    failures.push(...(tally.failures ?? []));
  };
  await installTestPackages();
  if (options.checks && options.only === undefined) for (const check of CHECKS) add(await runCheck(home, check));
  for (const suite of suitesOf(options)) add(await runAnySuite(home, results, suite, options));
  for (const failure of failures) console.log(`FAILED  ${failure}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}

function suitesOf({ only, all, openstack, chaos }: TestOptions): string[] {
  if (only !== undefined) return only;
  return [
    ...SUITES,
    ...(all === true || openstack === true ? ['openstack'] : []),
    ...(all === true || chaos === true ? ['chaos'] : []),
  ];
}

interface Check {
  name: string;
  command: readonly [string, ...string[]];
}

/** Each counts as one test. The graph is made first: the lint rule of module boundaries is silent without it. */
const CHECKS: readonly Check[] = [
  { name: 'formatting (prettier)', command: ['prettier', '--check', '--log-level', 'warn', '.'] },
  { name: 'project graph (nx)', command: ['nx', 'graph', '--file=.nx/graph.json'] },
  { name: 'lint with types and module boundaries (eslint)', command: ['eslint', '--max-warnings', '0', '.'] },
  {
    name: 'no import cycles (dependency-cruiser)',
    command: ['depcruise', '--config', '.dependency-cruiser.cjs', 'libs', 'apps'],
  },
];

async function runCheck(home: string, { name, command }: Check): Promise<Tally> {
  const started = performance.now();
  const [program, ...args] = command;
  const status = await run(home, join(home, 'node_modules/.bin', program), args);
  console.log(`${status === 0 ? 'ok' : 'FAILED'}  ${name} (${((performance.now() - started) / 1_000).toFixed(1)} s)`);
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, failures: [name] };
}

/** What the chaos suite is told (tests/chaos/sizes.ts reads it): all of it only where it was asked for by its name. */
const chaosEnvironment = ({ all, chaos, seed }: TestOptions): Record<string, string> => {
  const seeds = seed ?? (all === true && chaos !== true ? SEEDS_OF_ALL : undefined);
  return { WINDLASS_CHAOS: chaos === true ? 'full' : 'small', ...(seeds === undefined ? {} : { WINDLASS_CHAOS_SEED: seeds }) };
};

/** The suite against the real OpenStack gets one for its time; one that does not come up is a failed test, told with its reason. */
async function runAnySuite(home: string, results: string, suite: string, options: TestOptions): Promise<Tally> {
  const { filter } = options;
  if (suite === 'chaos') return runSuite(home, results, suite, filter, chaosEnvironment(options));
  if (suite !== 'openstack') return runSuite(home, results, suite, filter);
  try {
    return await withRealOpenStack(home, ({ environment }) => runSuite(home, results, suite, filter, environment));
  } catch (error) {
    const failure = `the real OpenStack: ${error instanceof Error ? error.message : String(error)}`;
    console.error(failure);
    return { passed: 0, failed: 1, failures: [failure] };
  }
}

/** Runs one suite; its counts come from the runner's report, and a runner that ends badly without a failed test counts as one. */
async function runSuite(
  home: string,
  results: string,
  suite: string,
  filter: string | undefined,
  environment: Readonly<Record<string, string>> = {},
): Promise<Tally> {
  console.log(`\n== ${suite} ==`);
  const report = join(results, `${suite}.json`);
  const args = [
    'run',
    '--project',
    suite,
    '--passWithNoTests',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const status = await run(
    home,
    join(home, 'node_modules/.bin/vitest'),
    filter === undefined ? args : [...args, filter],
    environment,
  );
  const read = readReport(await readFile(report, 'utf8').catch(() => '{}'));
  const { numPassedTests, numFailedTests, numFailedTestSuites } = read;
  const failed =
    numFailedTests > 0 ? numFailedTests : numFailedTestSuites > 0 || status !== 0 ? Math.max(1, numFailedTestSuites) : 0;
  console.log(`${suite}: ${numPassedTests} passed, ${failed} failed`);
  const failures = failedTests(read, home).map((failure) => `${suite}: ${failure}`);
  if (failed > 0 && failures.length === 0) failures.push(`${suite}: the test runner ended with status ${status}`);
  return { passed: numPassedTests, failed, failures };
}

function run(
  home: string,
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: home, stdio: ['ignore', 'inherit', 'inherit'], env: withOwn(environment) });
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? 1));
  });
}
