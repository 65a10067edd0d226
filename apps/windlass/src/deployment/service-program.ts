import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The program of all services in one process, beside those of the services. */
export const ONE_PROCESS = 'one-process';

/**
 * The programs of services: those that `apps/windlass/build-services.mjs` put into few files, which start in less time and memory, as long as nothing
 * that they were made of was built anew; otherwise what `tsc` wrote, which does the same.
 * @param home the project's folder
 * @returns by the name of a service, or {@link ONE_PROCESS}, the program's path
 */
export function servicePrograms(home: string): (name: string) => string {
  const folder = join(home, 'apps/windlass/dist/services');
  if (isOfThisBuild(home, folder)) return (name) => join(folder, `${name}.js`);
  return (name) => join(home, 'apps', name === ONE_PROCESS ? 'windlass/dist/deployment/one-process.js' : `${name}/dist/main.js`);
}

/** A list that is not there or was cut short, or a file of it that is gone, is of another build. */
function isOfThisBuild(home: string, folder: string): boolean {
  const list = join(folder, 'made-of.json');
  try {
    const made = statSync(list).mtimeMs;
    const files = JSON.parse(readFileSync(list, 'utf8')) as string[];
    return files.every((file) => statSync(join(home, file)).mtimeMs <= made);
  } catch {
    return false;
  }
}
