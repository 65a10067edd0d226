import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Makes one file of the chaos driver's service, beside nothing: what it imports from packages it finds where the file lies,
 * so that has to be below the project's folder. It runs on the packages' builds, as the services do.
 * @param checkout whose driver it is
 */
export async function bundleDriver(folder: string, checkout = join(import.meta.dirname, '../../..')): Promise<string> {
  const outfile = join(folder, 'chaos-mgmt.mjs');
  await build({
    entryPoints: [join(checkout, 'tests/chaos/driver/main.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    // Class fields and decorators as the project's own builds have them.
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: true } },
    logLevel: 'warning',
  });
  return outfile;
}
