import { BROUGHT, namesOf, pythonLines } from '@windlass/vnf-package';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../assets/user-data/python/', import.meta.url));

/** The modules that stand there for scripts, with the names that each has. */
function standing(): Map<string, string[]> {
  const files = readdirSync(ROOT, { recursive: true, withFileTypes: true }).filter(
    ({ name, parentPath }) => name.endsWith('.py') && relative(ROOT, parentPath) !== '' && !parentPath.endsWith('fallback'),
  );
  return new Map(
    files.map(({ name, parentPath }) => {
      const parts = [...relative(ROOT, parentPath).split('/'), name.slice(0, -3)].filter((part) => part !== '__init__');
      const read = pythonLines(readFileSync(join(parentPath, name), 'utf8'));
      return [parts.join('.'), 'lines' in read ? namesOf(read.lines) : []];
    }),
  );
}

/** What `from module import *` and helpers of ours bring beside. */
const BESIDE: Readonly<Record<string, RegExp>> = { userdata_utils: /^get_|^init_|^apply_|^_get/ };

it('what onboarding takes for there is there, and all of it', () => {
  const there = standing();
  const known = Object.entries(BROUGHT).filter(([, names]) => names !== null);
  expect(known.map(([module]) => module).toSorted()).toEqual([...there.keys()].toSorted());
  for (const [module, names] of known) {
    const below = [...there.keys()]
      .filter((other) => other.startsWith(`${module}.`))
      .map((other) => other.slice(module.length + 1));
    const own = [...(there.get(module) ?? []), ...below.filter((name) => !name.includes('.'))];
    const beside = BESIDE[module.replace(/^.*\./, '')];
    expect([module, names?.filter((name) => !own.includes(name) && beside?.test(name) !== true)]).toEqual([module, []]);
  }
});
