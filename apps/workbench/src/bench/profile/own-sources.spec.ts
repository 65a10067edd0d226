import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CpuProfile } from './cpu-profile.js';
import { timeSpent, type TimeSpent } from './self-time.js';

/** As build-services.mjs gives packages one: it says of each line no more than its file. */
const OF_A_PACKAGE = Buffer.from(JSON.stringify({ version: 3, sources: [''], mappings: 'A' })).toString('base64');

const busy = (name: string): string =>
  `export function ${name}(until) { let n = 0; while (Date.now() < until) n += Math.sqrt(n + 1); return n; }\n`;

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-own-sources-'));
  const lay = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  lay('node_modules/pg/lib/client.js', `${busy('ask')}//# sourceMappingURL=data:application/json;base64,${OF_A_PACKAGE}\n`);
  lay('libs/saga/dist/coordinator/coordinator.js', busy('claim'));
  lay(
    'apps/windlass/dist/main.js',
    "import { claim } from '../../../libs/saga/dist/coordinator/coordinator.js';\nimport { ask } from '../../../node_modules/pg/lib/client.js';\nclaim(Date.now() + 300);\nask(Date.now() + 300);\n",
  );
  const common = { bundle: true, format: 'esm', platform: 'node', minifyWhitespace: true } as const;
  const entryPoints = [join(folder, 'apps/windlass/dist/main.js')];
  await build({ ...common, entryPoints, outfile: join(folder, 'apps/windlass/dist/services/one.mjs'), sourcemap: 'linked' });
  await build({ ...common, entryPoints, outfile: join(folder, 'apps/windlass/dist/services/bare.mjs') });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As V8 profiles it in a process of its own. */
function spentIn(file: string): TimeSpent[] {
  const profiles = mkdtempSync(join(folder, 'profiles-'));
  const program = join(folder, 'apps/windlass/dist/services', file);
  execFileSync(process.execPath, ['--cpu-prof', `--cpu-prof-dir=${profiles}`, program], { timeout: 60_000 });
  const [profile = ''] = readdirSync(profiles);
  return timeSpent(JSON.parse(readFileSync(join(profiles, profile), 'utf8')) as CpuProfile, 100);
}

const ownOf = (spent: readonly TimeSpent[], place: string): number => spent.find(({ of }) => of === place)?.own ?? 0;

describe('the time of a service that was put into few files', () => {
  it('is told by the folders and packages that they were made of', () => {
    const spent = spentIn('one.mjs');
    expect(ownOf(spent, 'libs/saga/coordinator'), JSON.stringify(spent)).toBeGreaterThan(20);
    expect(ownOf(spent, 'pg'), JSON.stringify(spent)).toBeGreaterThan(20);
    expect(ownOf(spent, 'apps/windlass/services')).toBe(0);
  });

  it('is told by the file where it has no map', () => {
    const spent = spentIn('bare.mjs');
    expect(ownOf(spent, 'apps/windlass/services'), JSON.stringify(spent)).toBeGreaterThan(50);
  });

  it('has nothing of the inspector that profiles it', () => {
    const node = (id: number, functionName: string, url = '', children: number[] = []) => ({
      ...{ id, children },
      callFrame: { functionName, url },
    });
    // As V8 has it: below the bench's own part of the service. Directly below (root) it would count for nobody anyway.
    const nodes = [
      node(1, '(root)', '', [2, 5]),
      node(2, 'answer', 'file:///x/apps/workbench/dist/bench/profile/preload.js', [3]),
      node(3, 'post', 'node:inspector', [4]),
      node(4, 'dispatch'),
      node(5, 'claim', 'file:///x/libs/saga/dist/a/b.js'),
    ];
    expect(timeSpent({ nodes, samples: [4, 4, 4, 5] }, 10)).toMatchObject([{ of: 'libs/saga/a', own: 10, share: 1 }]);
  });
});
