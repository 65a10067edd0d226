import { build } from 'esbuild';
import { existsSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { TestFolder } from './test-folder.js';

/**
 * A TypeScript file with our own packages in it, from their sources, as one file that `node` runs: for tests that kill a process of ours. Other
 * packages are found where the project has them.
 * @returns the path of the file, in the test's folder
 */
export async function bundledScript(entry: string, folder: TestFolder): Promise<string> {
  const outfile = join(folder.path, `${basename(entry, '.ts')}.mjs`);
  const modules = join(folder.path, 'node_modules');
  if (!existsSync(modules)) symlinkSync(nodeModulesAbove(entry), modules);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@windlass/source'],
    sourcemap: 'linked',
    logLevel: 'silent',
    plugins: [
      {
        name: 'only-our-own',
        setup: (bundler) => {
          // Other packages: the specifier is neither relative nor absolute nor of our scope.
          bundler.onResolve({ filter: /^[^./]/ }, ({ path }) =>
            path.startsWith('@windlass/') ? undefined : { path, external: true },
          );
        },
      },
    ],
  });
  return outfile;
}

function nodeModulesAbove(path: string): string {
  const folder = dirname(path);
  const modules = join(folder, 'node_modules');
  return existsSync(join(modules, 'esbuild')) || folder === path ? modules : nodeModulesAbove(folder);
}
