import { build } from 'esbuild';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const HOME = join(import.meta.dirname, '../..');

/** As deep in the library as the module that reads ETSI's types by a relative path. */
const FOLDER = join(HOME, 'libs/vnf-package/dist/from-sources');

let once: Promise<URL> | undefined;

/** Bundles the program of the threads that read packages from the sources, on which tests run: a thread does not go through vitest. */
export function readerThread(): Promise<URL> {
  once ??= bundle();
  return once;
}

async function bundle(): Promise<URL> {
  const made = join(FOLDER, `${process.pid}.mjs`);
  await build({
    entryPoints: [join(HOME, 'apps/lcm-api/src/packages/reading/reader-thread.ts')],
    outfile: made,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@windlass/source'],
    // Some bundled packages are CommonJS.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'silent',
  });
  // Test processes that run side by side make the same file.
  const program = join(FOLDER, 'reader-thread.mjs');
  await rename(made, program);
  return pathToFileURL(program);
}
