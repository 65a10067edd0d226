import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@windlass/foundation';

/** The log lines of all replicas of a service, replica by replica. A line without its end is left out. */
export async function linesLogged(folder: string, service: string): Promise<JsonObject[]> {
  const names = (await readdir(folder)).filter((name) => name === `${service}.log` || name.startsWith(`${service}-`));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) =>
    text
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as JsonObject),
  );
}
