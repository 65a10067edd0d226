import { defineConfig } from 'vitest/config';

/** Everything runs on the sources (condition `@windlass/source`), so a test never sees a stale build. */
const shared = {
  resolve: { conditions: ['@windlass/source', 'node'] },
  ssr: { resolve: { conditions: ['@windlass/source', 'node'] } },
};

const roots = ['libs/*/src', 'apps/*/src', 'tests'];
const files = (suffix: string) => roots.map((root) => `${root}/**/*.${suffix}.ts`);

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
          exclude: [
            '**/*.int.spec.ts',
            '**/*.e2e.spec.ts',
            '**/*.chaos.spec.ts',
            '**/*.openstack.spec.ts',
            '**/*.lab.spec.ts',
            '**/dist/**',
            '**/node_modules/**',
          ],
          testTimeout: 20_000,
        },
      },
      { ...shared, test: { name: 'int', include: files('int.spec'), testTimeout: 60_000, hookTimeout: 120_000, maxWorkers: 2 } },
      { ...shared, test: { name: 'lab', include: files('lab.spec'), testTimeout: 300_000, hookTimeout: 600_000, maxWorkers: 1 } },
      { ...shared, test: { name: 'e2e', include: files('e2e.spec'), testTimeout: 300_000, hookTimeout: 600_000, maxWorkers: 2 } },
      {
        ...shared,
        test: { name: 'chaos', include: files('chaos.spec'), testTimeout: 1_200_000, hookTimeout: 600_000, maxWorkers: 1 },
      },
      {
        ...shared,
        test: { name: 'openstack', include: files('openstack.spec'), testTimeout: 600_000, hookTimeout: 900_000, maxWorkers: 1 },
      },
    ],
  },
});
