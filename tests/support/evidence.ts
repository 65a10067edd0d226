import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { evidence } from '@windlass/foundation/testing';
import { afterAll, beforeAll, TestRunner, type RunnerTask, type RunnerTestSuite } from 'vitest';
import { keepEvidence } from './keep-evidence.js';

const HOME = resolve(import.meta.dirname, '../..');
const GIVEN = process.env.WINDLASS_EVIDENCE;

/**
 * A setup file of vitest. It keeps the messages of each test and `beforeAll` that fails, and the logs of the rigs, before the rigs end. Rigs are ended
 * by `afterEach` and `afterAll` of any suite of the file. vitest runs these hooks last to first, so ours are appended when all hooks are known.
 */
beforeAll(({}, file) => watch(file));
evidence.begin();
afterAll(() => evidence.end());

const seen = new WeakSet<RunnerTask>();
let first = true;

function watch(suite: RunnerTestSuite): void {
  const hooks = TestRunner.getSuiteHooks(suite);
  hooks.afterEach.push(({ task }) => keep(task));
  hooks.afterAll.push(() => keep(suite));
  for (const task of suite.tasks) if (task.type === 'suite') watch(task);
}

async function keep(task: RunnerTask): Promise<void> {
  if (task.result?.state !== 'fail' || seen.has(task)) return;
  seen.add(task);
  const folder = join(GIVEN ?? join(HOME, 'test-results/evidence'), task.file.name.replaceAll('/', '-'));
  // A run by hand keeps the evidence of that run alone.
  if (first && GIVEN === undefined) await rm(folder, { recursive: true, force: true });
  first = false;
  const errors = (task.result.errors ?? []).map(({ stack, message }) => stack ?? message);
  await keepEvidence(folder, titleOf(task), errors, evidence);
}

/** The title of a test or `beforeAll`, with the titles of its suites; a file's own suite has none. */
function titleOf(task: RunnerTask): string {
  if (task.type === 'suite') return ['beforeAll', ...suitesOf(task)].join(' of ');
  return [...suitesOf(task.suite), task.name].join(' > ');
}

const suitesOf = (suite: RunnerTestSuite | undefined): string[] =>
  suite === undefined || 'filepath' in suite ? [] : [...suitesOf(suite.suite), suite.name];
