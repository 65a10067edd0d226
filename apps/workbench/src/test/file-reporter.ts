import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { relative } from 'node:path';
import type { SerializedError, TestCase, TestModule, Vitest } from 'vitest/node';

/** A test that failed, or a file that did outside of its tests. */
export interface TestFailure {
  /** Empty where the file failed outside of its tests. */
  test: string;
  /** The first line of why. */
  why: string;
}

/** How a test file went, beside what the runner's own report tells. */
export interface FileRun {
  file: string;
  /** Milliseconds, its imports and hooks too, which the runner's JSON leaves out. */
  took: number;
  /** How busy the machine was when its first failed test ended: `load 5.1, cpu pressure 43 %`. */
  load?: string;
  /** Its failed tests, and errors that nobody caught while it ran: the runner's JSON has no reason for a test that timed out, and leaves those errors out. */
  failures?: TestFailure[];
}

/** A reporter of the test runner: writes how each file went into the file that `--outputFile.files` names. */
export default class FileReporter {
  readonly #files: FileRun[] = [];
  readonly #loads = new Map<string, string>();
  readonly #failures = new Map<string, TestFailure[]>();
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state !== 'failed') return;
    const { moduleId } = test.module;
    if (!this.#loads.has(moduleId)) this.#loads.set(moduleId, loadNow());
    this.#fail(moduleId, { test: test.fullName.replaceAll(' > ', ' '), why: whyOf(errors[0]) });
  }

  onTestModuleEnd(module: TestModule): void {
    const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
    const took = environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration;
    const load = this.#loads.get(module.moduleId) ?? (module.ok() ? undefined : loadNow());
    this.#files.push({ file: this.#pathOf(module.moduleId), took: Math.round(took), ...(load === undefined ? {} : { load }) });
  }

  onTestRunEnd(_modules: readonly TestModule[], uncaught: readonly SerializedError[] = []): void {
    for (const error of uncaught) {
      const during: unknown = error.VITEST_TEST_PATH;
      if (typeof during === 'string') this.#fail(during, { test: '', why: `nobody caught ${whyOf(error)}` });
    }
    for (const [id, failures] of this.#failures) {
      const run = this.#files.find(({ file }) => file === this.#pathOf(id));
      if (run !== undefined) run.failures = failures;
    }
    const output = this.#vitest?.config.outputFile;
    const file = typeof output === 'object' ? (output as Readonly<Record<string, string>>).files : undefined;
    if (file !== undefined) writeFileSync(file, JSON.stringify(this.#files));
  }

  #fail(moduleId: string, failure: TestFailure): void {
    this.#failures.set(moduleId, [...(this.#failures.get(moduleId) ?? []), failure]);
  }

  #pathOf(moduleId: string): string {
    return relative(this.#vitest?.config.root ?? '/', moduleId);
  }
}

/** The first line of why: an error's own text, for of one that timed out the stack says nothing. */
const whyOf = (error: { name?: string; message: string } | undefined): string =>
  `${error?.name ?? 'Error'}: ${error?.message.split('\n', 1)[0] ?? 'no reason was given'}`;

/** The load of the last minute, and in how much of the last ten seconds somebody waited for a processor (where the kernel tells). */
function loadNow(): string {
  const load = `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
  try {
    const [, waited] = /^some avg10=([\d.]+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8')) ?? [];
    return waited === undefined ? load : `${load}, cpu pressure ${Math.round(Number(waited))} %`;
  } catch {
    return load;
  }
}
