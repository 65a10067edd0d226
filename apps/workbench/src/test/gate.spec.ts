import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesToRun, isInGate, lostFromGate, readMedians } from './gate.js';
import { allSpecFiles } from './spec-files.js';

const HOME = resolve(import.meta.dirname, '../../../..');

describe('the gate', () => {
  it.each([
    ['a unit test', 'libs/a.spec.ts', 'unit', 99, true],
    ['a fast file on servers', 'libs/a.int.spec.ts', 'int', 7.9, true],
    ['a slow one', 'libs/a.int.spec.ts', 'int', 8, false],
    ['a new one', 'libs/a.int.spec.ts', 'int', undefined, true],
    ['a new one on machines', 'tests/a.lab.spec.ts', 'lab', undefined, true],
    ['a known one on machines', 'tests/a.lab.spec.ts', 'lab', 1, false],
    ['a slow one that holds what nothing else does', 'tests/lifecycle/heal.int.spec.ts', 'int', 29, true],
    ['a variation', 'libs/a.all.int.spec.ts', 'int', 1, false],
    ['what only a person names', 'libs/a.named.lab.spec.ts', 'lab', undefined, false],
  ] as const)('has, or has not, %s', (_what, file, suite, median, is) => {
    expect(isInGate(file, suite, median === undefined ? {} : { [file]: median })).toBe(is);
  });

  it('names files that there are, and has medians of no others', () => {
    expect(lostFromGate(HOME)).toEqual([]);
    const there = new Set(allSpecFiles(HOME).map(({ file }) => file));
    expect(Object.keys(readMedians(HOME)).filter((file) => !there.has(file))).toEqual([]);
  });

  it('leaves out slow files; everything has them, but what only a person names', () => {
    const [gate, everything] = [false, true].map((all) => ({
      lab: filesToRun(HOME, 'lab', { all }),
      e2e: filesToRun(HOME, 'e2e', { all }),
      kubernetes: filesToRun(HOME, 'kubernetes', { all }),
    }));
    const slow = 'tests/hazards/with-a-network.all.e2e.spec.ts';
    expect(gate?.e2e).not.toContain(slow);
    expect(everything?.e2e).toContain(slow);
    expect(gate?.lab).toContain('tests/registries/nodes-pull.lab.spec.ts');
    expect(gate?.kubernetes).toContain('tests/kubernetes/simple.kubernetes.spec.ts');
    expect(
      Object.values(everything ?? {})
        .flat()
        .filter((file) => file.includes('.named.')),
    ).toEqual([]);
  });
});
