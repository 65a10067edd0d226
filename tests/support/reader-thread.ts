import { build } from 'esbuild';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const HOME = join(import.meta.dirname, '../..');

/** As deep in its library as the module that reads ETSI's types from there. */
const FOLDER = join(HOME, 'libs/vnf-package/dist/from-sources');

let once: Promise<URL> | undefined;

/** The program of the threads that read packages, made of the sources: tests run on those, and a thread knows nothing of vitest. */
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
    // Packages of CommonJS among those that are bundled.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'silent',
  });
  // Test processes beside each other make the same file.
  const program = join(FOLDER, 'reader-thread.mjs');
  await rename(made, program);
  return pathToFileURL(program);
}
