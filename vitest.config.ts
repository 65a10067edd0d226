import { defineConfig } from 'vitest/config';

/** Everything runs on the sources (condition `@windlass/source`), so a test never sees a stale build. */
const shared = {
  resolve: { conditions: ['@windlass/source', 'node'] },
  ssr: { resolve: { conditions: ['@windlass/source', 'node'] } },
};

const roots = ['libs/*/src', 'apps/*/src', 'tests'];
const fixedSeeds = 'tests/support/fixed-seeds.ts';
const leavesNothing = 'tests/support/leaves-nothing.ts';
/** What other setup files change stays. */
const inOrder = { setupFiles: 'list' as const };
/** Every answer of lcm-api that a test brings about is held against ETSI's schemas (docs/testing.md); of a test that fails, logs are kept. */
const setupFiles = [fixedSeeds, 'tests/support/watched-answers.ts', 'tests/support/evidence.ts'];
/** Long enough for a busy machine: what is waited for is there at once on a quiet one. */
const patience = { expect: { poll: { timeout: 15_000 } } };
const files = (suffix: string) => roots.map((root) => `${root}/**/*.${suffix}.ts`);

/** Their specs put another module in the place of one (`vi.mock`), which holds for one file alone only where each file has modules of its own. */
const withMockedModules = ['tests/crash-points/*.spec.ts', 'tests/versions/*.spec.ts'];
const onServersWithMockedModules = ['tests/crash-points/*.int.spec.ts'];
const otherSuites = ['int', 'e2e', 'chaos', 'openstack', 'openstack-client', 'lab', 'kubernetes', 'containers'].map(
  (suite) => `**/*.${suite}.spec.ts`,
);
const noTests = ['**/dist/**', '**/node_modules/**'];

/** One project a kind of test; the kinds are those of docs/testing.md. */
export default defineConfig({
  ...shared,
  test: {
    reporters: ['default'],
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: files('spec'),
          exclude: [...otherSuites, ...noTests, ...withMockedModules],
          // Files share the modules that are loaded, as those of `int` do: half of the suite's processor time was loading them anew for each file.
          isolate: false,
          setupFiles: [fixedSeeds, leavesNothing],
          sequence: inOrder,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          ...patience,
          maxWorkers: 2,
        },
      },
      {
        ...shared,
        test: {
          name: 'unit-mocked',
          include: withMockedModules,
          exclude: [...otherSuites, ...noTests],
          setupFiles: [fixedSeeds],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          ...patience,
          maxWorkers: 2,
        },
      },
      {
        ...shared,
        test: {
          name: 'int',
          setupFiles: [...setupFiles, leavesNothing],
          sequence: inOrder,
          ...patience,
          include: files('int.spec'),
          exclude: [...noTests, ...onServersWithMockedModules],
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        ...shared,
        test: {
          name: 'int-mocked',
          setupFiles,
          ...patience,
          include: onServersWithMockedModules,
          exclude: noTests,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        ...shared,
        test: {
          name: 'lab',
          setupFiles,
          ...patience,
          include: files('lab.spec'),
          testTimeout: 300_000,
          hookTimeout: 600_000,
          maxWorkers: 1,
        },
      },
      {
        ...shared,
        test: {
          name: 'e2e',
          setupFiles,
          ...patience,
          include: files('e2e.spec'),
          testTimeout: 300_000,
          hookTimeout: 600_000,
          maxWorkers: 2,
        },
      },
      {
        ...shared,
        test: {
          name: 'chaos',
          setupFiles,
          ...patience,
          include: files('chaos.spec'),
          testTimeout: 1_200_000,
          hookTimeout: 600_000,
          maxWorkers: 1,
        },
      },
      {
        ...shared,
        test: {
          name: 'kubernetes',
          setupFiles,
          ...patience,
          include: files('kubernetes.spec'),
          testTimeout: 600_000,
          hookTimeout: 2_400_000,
          maxWorkers: 1,
        },
      },
      {
        ...shared,
        test: {
          name: 'containers',
          setupFiles,
          ...patience,
          include: files('containers.spec'),
          testTimeout: 1_800_000,
          hookTimeout: 7_200_000,
          maxWorkers: 1,
        },
      },
      {
        ...shared,
        test: {
          name: 'openstack',
          setupFiles,
          ...patience,
          include: files('openstack.spec'),
          testTimeout: 600_000,
          hookTimeout: 900_000,
          maxWorkers: 1,
        },
      },
      {
        ...shared,
        test: {
          name: 'openstack-client',
          setupFiles,
          ...patience,
          include: files('openstack-client.spec'),
          testTimeout: 600_000,
          hookTimeout: 600_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
