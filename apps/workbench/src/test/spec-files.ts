import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SLOW_SUITES, SUITES, type Suite } from './plan.js';

export interface SpecFile {
  /** Path from the repository's root. */
  file: string;
  suite: Suite;
}

/** Where tests lie; vitest.config.ts says the same. */
const ROOTS = /^(libs\/[^/]+\/src|apps\/[^/]+\/src|tests)\//;

/** The suite of a file, by its name: `a.int.spec.ts` is of int, `a.spec.ts` of unit. */
export function suiteOf(file: string): Suite {
  const [, named] = /\.([a-z0-9-]+)\.spec\.ts$/.exec(file) ?? [];
  return [...SUITES, ...SLOW_SUITES].find((suite) => suite === named) ?? 'unit';
}

/** Every test file of the repository. */
export const allSpecFiles = (home: string): SpecFile[] =>
  ['libs', 'apps', 'tests']
    .flatMap((top) => filesBelow(home, top))
    .filter((file) => file.endsWith('.spec.ts') && ROOTS.test(file))
    .sort()
    .map((file) => ({ file, suite: suiteOf(file) }));

const filesBelow = (home: string, folder: string): string[] =>
  readdirSync(join(home, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : filesBelow(home, path);
    return entry.isFile() ? [path] : [];
  });
