import childProcess, { type ForkOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { watchAnswers } from '@windlass/sol003/testing';
import { afterAll, afterEach } from 'vitest';

/**
 * A setup file of vitest. Each answer of lcm-api, in this process or in a process that the test starts, is checked against ETSI's schemas,
 * and a wrong answer fails the test in which it was seen. `libs/sol003/src/testing/answers` has the rules.
 */
const FORKED = Symbol.for('windlass.watched-forks');
// The first wrong answer makes this file, and the failure that reports the answer removes it: a run leaves no file.
const file = join(tmpdir(), `windlass-wrong-answers-${randomUUID()}`);
watchAnswers(file);
watchForked(file);

afterEach(refuseWrongAnswers);
afterAll(refuseWrongAnswers);

function refuseWrongAnswers(): void {
  if (!existsSync(file)) return;
  const wrong = [...new Set(readFileSync(file, 'utf8').split('\n'))].filter((line) => line !== '');
  rmSync(file);
  const shown = wrong.slice(0, 20).join('\n');
  throw new Error(`lcm-api answered what SOL003 does not allow, ${wrong.length} times:\n${shown}`);
}

/**
 * Supervisors fork services with an environment and options of their own. This adds the watch to processes that may have lcm-api in them,
 * once in a test process, although test files may share the process.
 */
function watchForked(wrong: string): void {
  const shared = globalThis as { [FORKED]?: { wrong: string } };
  if (shared[FORKED] !== undefined) {
    shared[FORKED].wrong = wrong;
    return;
  }
  const into = (shared[FORKED] = { wrong });
  const preload = pathToFileURL(resolve(import.meta.dirname, '../../libs/sol003/dist/testing/answers/preload.js')).href;
  const fork = childProcess.fork;
  childProcess.fork = ((program: string, given: readonly string[] | ForkOptions = [], last: ForkOptions = {}) => {
    const [parameters, options] = Array.isArray(given) ? [given as readonly string[], last] : [[], given as ForkOptions];
    if (!/(lcm-api\/dist\/main|one-process)\.js$/.test(program)) return fork(program, parameters, options);
    return fork(program, parameters, {
      ...options,
      execArgv: [...(options.execArgv ?? []), '--import', preload],
      env: { ...options.env, WINDLASS_WRONG_ANSWERS: into.wrong },
    });
  }) as typeof fork;
  syncBuiltinESMExports();
}
