import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const home = fileURLToPath(new URL('..', import.meta.url));
const withModulesOfTheirOwn = /^tests\/(crash-points|versions)\/[^/]+\.spec\.ts$/;
/** Suites whose files share no modules. */
const otherSuites = /\.(lab|e2e|chaos|openstack|openstack-client)\.spec\.ts$/;
// Spelled in two parts, so that this file is not one of them.
const mocking = ['vi.', 'mock('].join('');

it('a file that puts another module in the place of one has modules of its own: others would see them', () => {
  const files = ['libs', 'apps', 'tests']
    .flatMap((root) => readdirSync(`${home}${root}`, { recursive: true, encoding: 'utf8' }).map((path) => `${root}/${path}`))
    .filter((file) => file.endsWith('.spec.ts') && !/\/(dist|node_modules)\//.test(file));
  const mockingFiles = files.filter(
    (file) => !otherSuites.test(file) && readFileSync(`${home}${file}`, 'utf8').includes(mocking),
  );
  expect(mockingFiles.length).toBeGreaterThan(0);
  expect(mockingFiles.filter((file) => !withModulesOfTheirOwn.test(file))).toEqual([]);
});
