import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestModule, Vitest } from 'vitest/node';

/** How long a test file took, in milliseconds. */
export interface FileDuration {
  file: string;
  took: number;
}

/**
 * A reporter of the test runner: writes how long each file took, its imports and hooks too, which the runner's JSON leaves out. Into the file that
 * `--outputFile.durations` names.
 */
export default class DurationsReporter {
  readonly #files: FileDuration[] = [];
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestModuleEnd(module: TestModule): void {
    const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
    const took = environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration;
    const root = this.#vitest?.config.root ?? '/';
    this.#files.push({ file: relative(root, module.moduleId), took: Math.round(took) });
  }

  onTestRunEnd(): void {
    const output = this.#vitest?.config.outputFile;
    const file = typeof output === 'object' ? (output as Readonly<Record<string, string>>).durations : undefined;
    if (file !== undefined) writeFileSync(file, JSON.stringify(this.#files));
  }
}
