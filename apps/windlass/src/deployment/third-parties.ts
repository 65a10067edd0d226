import type { NatsUser } from '@windlass/embedded';
import { isJsonObject } from '@windlass/foundation';
import { userPermissions } from '@windlass/messaging';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { secretIn, writeSecret } from './secret-file.js';
import { driverParts } from './services.js';

/** A service of drivers that is no part of Windlass. */
export interface ThirdPartyService {
  service: string;
  drivers: readonly string[];
}

/** Where the services are written down that are admitted to the NATS of a data folder: a file each, with the password that its user has. */
const folderOf = (dataDir: string): string => join(dataDir, 'drivers');

/**
 * Admits a service to the NATS of a data folder: a Windlass that runs there hears of it at once, one that is started later at its start.
 * @returns the file with its password
 */
export async function admit(dataDir: string, { service, drivers }: ThirdPartyService): Promise<string> {
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 });
  const passwordFile = join(dataDir, 'secrets', `nats-driver-${service}`);
  const password = await secretIn(passwordFile, () => randomBytes(24).toString('base64url'));
  const before = admitted(dataDir, () => undefined).find((each) => each.service === service);
  const all = [...new Set([...(before?.drivers ?? []), ...drivers])];
  await writeSecret(join(folderOf(dataDir), `${service}.json`), JSON.stringify({ service, drivers: all, password }));
  return passwordFile;
}

/**
 * The services that are admitted to a data folder.
 * @param say is told of a file that admits nobody: it stays out, the others come in
 */
export function admitted(dataDir: string, say: (line: string) => void): (ThirdPartyService & { password: string })[] {
  mkdirSync(folderOf(dataDir), { recursive: true, mode: 0o700 });
  const files = readdirSync(folderOf(dataDir)).filter((name) => name.endsWith('.json'));
  return files.flatMap((name) => {
    const file = join(folderOf(dataDir), name);
    const found = readable(file);
    if (!isJsonObject(found) || typeof found.service !== 'string' || typeof found.password !== 'string') {
      say(
        `${file} admits no driver: expected a JSON object with service, drivers, password; remove it, and start its driver again`,
      );
      return [];
    }
    const drivers = Array.isArray(found.drivers) ? found.drivers.map(String) : [];
    return [{ service: found.service, drivers, password: found.password }];
  });
}

/** The JSON of a file; undefined where it holds none, or went meanwhile. */
function readable(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Their NATS users. */
export const admittedUsers = (dataDir: string, say: (line: string) => void): NatsUser[] =>
  admitted(dataDir, say).map(({ service, drivers, password }) => ({
    name: service,
    password,
    permissions: userPermissions(service, driverParts(service, drivers)),
  }));

/**
 * Calls back when a service is admitted, or no more.
 * @param say is told when what comes later can't be heard of any more, or is not taken
 * @returns what stops listening
 */
export function onAdmission(dataDir: string, changed: () => void, say: (line: string) => void): () => void {
  mkdirSync(folderOf(dataDir), { recursive: true, mode: 0o700 });
  const problem = (error: unknown): void =>
    say(`drivers that are started from now on are not admitted: ${String(error)}; "windlass up" again admits them`);
  const watcher = watch(folderOf(dataDir), (_event, name) => {
    if (name?.endsWith('.json') !== true) return;
    try {
      changed();
    } catch (error) {
      problem(error);
    }
  });
  watcher.on('error', problem);
  return () => watcher.close();
}
