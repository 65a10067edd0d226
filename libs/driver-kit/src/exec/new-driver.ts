import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RequestError } from '@windlass/foundation';
import type { DriverLanguage } from './languages.js';

const TEMPLATES = join(import.meta.dirname, '../../templates');
const NAME = /^[a-z][a-z0-9-]{0,62}$/;

/** What a driver that is begun is called. */
export interface NewDriver {
  language: DriverLanguage;
  /** A folder that is not there yet, or is empty. */
  folder: string;
  /** As VNFDs name it. */
  name: string;
  /** Whose NATS user and key it has. */
  service: string;
}

/**
 * Makes a driver to begin with: it writes a notice to VMs. Its executable is `driver`; `example.json` is what `driver test` tries it with.
 * @throws RequestError 409 for a folder in which something lies, 400 for a name that can't be one
 */
export function newDriver({ language, folder, name, service }: NewDriver): void {
  for (const each of [name, service])
    if (!NAME.test(each)) {
      const problem = `"${each}" can't be the name of a driver or its service: a lower-case letter and then such letters, digits and "-" were expected`;
      throw new RequestError(400, 'driver.bad-name', `${problem}; give --name and --service`);
    }
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0)
    throw new RequestError(409, 'driver.folder-in-use', `${folder} is not empty: name a folder that is not there yet`);
  const from = join(TEMPLATES, language);
  for (const file of readdirSync(from)) {
    const text = readFileSync(join(from, file), 'utf8').replaceAll('@DRIVER@', name).replaceAll('@SERVICE@', service);
    writeFileSync(join(folder, file), text);
    chmodSync(join(folder, file), statSync(join(from, file)).mode & 0o777);
  }
  cpSync(join(TEMPLATES, 'example.json'), join(folder, 'example.json'));
}
