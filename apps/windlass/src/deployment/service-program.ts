import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The program of each service: the one that `apps/windlass/build-services.mjs` put into few files, which starts in less time and memory, as long as
 * nothing that it was made of was built anew; otherwise the service's own `dist/main.js`, which does the same.
 * @param home the project's folder
 * @returns by the service's name, its program's path
 */
export function servicePrograms(home: string): (service: string) => string {
  const folder = join(home, 'apps/windlass/dist/services');
  return isOfThisBuild(home, folder)
    ? (service) => join(folder, `${service}.js`)
    : (service) => join(home, 'apps', service, 'dist/main.js');
}

/** A file that is not there, was not made, or was cut short makes the answer no: the service's own program is there in any case. */
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
