import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { relative } from 'node:path';
import type { TestCase, TestModule, Vitest } from 'vitest/node';

/** How a test file went, beside what the runner's own report tells. */
export interface FileRun {
  file: string;
  /** Milliseconds, its imports and hooks too, which the runner's JSON leaves out. */
  took: number;
  /** How busy the machine was when its first failed test ended: `load 5.1, cpu pressure 43 %`. */
  load?: string;
}

/** A reporter of the test runner: writes how each file went into the file that `--outputFile.files` names. */
export default class FileReporter {
  readonly #files: FileRun[] = [];
  readonly #loads = new Map<string, string>();
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestCaseResult(test: TestCase): void {
    const { moduleId } = test.module;
    if (test.result().state === 'failed' && !this.#loads.has(moduleId)) this.#loads.set(moduleId, loadNow());
  }

  onTestModuleEnd(module: TestModule): void {
    const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
    const took = environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration;
    const load = this.#loads.get(module.moduleId) ?? (module.ok() ? undefined : loadNow());
    const root = this.#vitest?.config.root ?? '/';
    this.#files.push({ file: relative(root, module.moduleId), took: Math.round(took), ...(load === undefined ? {} : { load }) });
  }

  onTestRunEnd(): void {
    const output = this.#vitest?.config.outputFile;
    const file = typeof output === 'object' ? (output as Readonly<Record<string, string>>).files : undefined;
    if (file !== undefined) writeFileSync(file, JSON.stringify(this.#files));
  }
}

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
