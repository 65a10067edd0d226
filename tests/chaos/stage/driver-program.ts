import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles the chaos driver's service into one file. The file imports packages, and finds them above its folder,
 * so the folder must lie below the project's. Windlass's packages are imported as built, as the services do.
 * @param checkout the project's folder with the driver
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
    // Class fields and decorators are compiled as in the project's builds.
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: true } },
    logLevel: 'warning',
  });
  return outfile;
}
