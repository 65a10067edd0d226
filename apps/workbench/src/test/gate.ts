import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allSpecFiles } from './spec-files.js';
import { SUITES, type Suite } from './plan.js';

/** Seconds that each test file takes, medians of full runs: `tools/medians.mjs` writes them, and they are committed, so that the gate is the same everywhere. */
const MEDIANS = 'tests/medians.json';

/** A file of `int` that takes less is in the gate. */
const FAST = 8;

/** Files that are in the gate however long they take, for what they hold is held nowhere cheaper. */
const HELD: readonly string[] = [
  // int: what is journaled and sent on real servers; limits that many claim under; jobs on machines; plans and requests that mean harm; the operations that go wrong most often.
  'tests/crash-points/postgres-and-nats.int.spec.ts',
  'libs/persistence/src/engine/limit-places.int.spec.ts',
  'libs/remote-host/src/remote-hosts.int.spec.ts',
  'libs/remote-host/src/hazards/attach-after-death.int.spec.ts',
  'tests/confinement/hostile-plan.int.spec.ts',
  'tests/grant/nfvo.int.spec.ts',
  'tests/lifecycle/heal.int.spec.ts',
  'tests/lifecycle/failed-scaling.int.spec.ts',
  // lab and e2e: machines, and that one sees nothing of another; a cluster through REST; registries, storage; services that die.
  'apps/lab/src/hosts/host-fleet.lab.spec.ts',
  'apps/lab/src/hosts/isolation.lab.spec.ts',
  'tests/registries/nodes-pull.lab.spec.ts',
  'tests/storage/storage-server.lab.spec.ts',
  'tests/cluster/killed-during-instantiation.e2e.spec.ts',
  'tests/hazards/with-short-leases.e2e.spec.ts',
  'tests/hazards/with-long-leases.e2e.spec.ts',
  // The dashboard in a browser: no other test looks at its pages.
  'tests/dashboard/quick-flow.e2e.spec.ts',
];

export type Medians = Readonly<Record<string, number>>;

export const readMedians = (home: string): Medians => JSON.parse(readFileSync(join(home, MEDIANS), 'utf8')) as Medians;

/** Whether `./windlass test` runs a file. One that has no median is new: it is in the gate until it has one. */
export function isInGate(file: string, suite: Suite, medians: Medians): boolean {
  if (/\.(all|named)\./.test(file) || !isSuiteOfGate(suite)) return false;
  if (suite === 'unit' || HELD.includes(file)) return true;
  const median = medians[file];
  return median === undefined || (suite === 'int' && median < FAST);
}

const isSuiteOfGate = (suite: Suite): boolean => (SUITES as readonly Suite[]).includes(suite);

/** Files of a suite that run where nobody names files: those of the gate, or with `all` everything but what only a person names. */
export function filesToRun(home: string, suite: Suite, { all }: { all: boolean }): string[] {
  const medians = readMedians(home);
  const variation = all ? /\.named\./ : /\.(all|named)\./;
  return allSpecFiles(home)
    .filter((each) => each.suite === suite && !variation.test(each.file))
    .filter(({ file }) => all || !isSuiteOfGate(suite) || isInGate(file, suite, medians))
    .map(({ file }) => file);
}

/** Names of {@link HELD} that are no file: it was moved or renamed. */
export function lostFromGate(home: string): string[] {
  const there = new Set(allSpecFiles(home).map(({ file }) => file));
  return HELD.filter((file) => !there.has(file));
}
