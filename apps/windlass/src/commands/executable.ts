import type { Executable, ProcessUser } from '@windlass/driver-kit';
import { RequestError, WindlassError } from '@windlass/foundation';
import { execFileSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { inherited, type Surroundings } from '../surroundings/config.js';

/** @throws RequestError 404, 400 where there is nothing that can be started */
export function executableAt(where: Surroundings, path: string, user?: string): Executable {
  const found = resolve(where.calledFrom, path);
  const { PATH = '/usr/bin:/bin', LANG = 'C.UTF-8' } = inherited();
  try {
    if (!statSync(found).isFile()) throw new RequestError(400, 'driver.no-file', `${found} is no file: expected an executable`);
    accessSync(found, constants.X_OK);
  } catch (error) {
    if (error instanceof WindlassError) throw error;
    const what = `${found} can't be started: expected a file that may be executed (chmod +x), a script with a first line such as #!/usr/bin/env python3`;
    throw new RequestError(404, 'driver.not-executable', what, { cause: error });
  }
  return {
    path: found,
    environment: { PATH, LANG },
    ...(user === undefined ? {} : { user: userCalled(user) }),
    log: { info: logLine, warn: logLine, error: logLine },
  };
}

const logLine = (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
  void process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);

/** @throws RequestError 404 where there is none of that name */
function userCalled(name: string): ProcessUser {
  try {
    const id = (option: string): number =>
      Number(execFileSync('id', [option, '--', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    return { name, uid: id('-u'), gid: id('-g') };
  } catch (cause) {
    throw new RequestError(404, 'driver.no-user', `there is no user ${name} on this machine`, { cause });
  }
}
