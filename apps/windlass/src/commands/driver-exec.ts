import { ExecutableDriver, execService, type Executable, type ProcessUser } from '@windlass/driver-kit';
import { millis, minutes, RequestError, seconds, Secret, TransientError, waitUntil, WindlassError } from '@windlass/foundation';
import { connectNats } from '@windlass/messaging';
import { processEnvironment, runServices, type Environment } from '@windlass/service-kit';
import { Command } from 'commander';
import { execFileSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from '../client/text.js';
import { inherited, type Surroundings } from '../surroundings/config.js';
import { readRuntime, type RuntimeInfo } from '../deployment/runtime-file.js';
import { writeSecret } from '../deployment/secret-file.js';
import { admit } from '../deployment/third-parties.js';
import { ApiClient } from '../client/api-client.js';
import { natsAcl } from './nats-acl.js';
import { dataDirOf } from '../target/data-dir.js';

interface ExecOptions {
  data?: string;
  user?: string;
}

/** `./windlass driver exec`. */
export const driverExecCommand = (where: Surroundings): Command =>
  new Command('exec')
    .description('run an executable as a management driver, until it is told to stop')
    .argument('<executable>', 'the driver: a program or a script with a #! line')
    .option(
      '--data <dir>',
      'the data folder of the Windlass that it is for, which "windlass up" started (default: ~/.cache/windlass/data)',
    )
    .option('--user <name>', 'run its processes as this user, who can read neither our key nor our passwords (root only)')
    .addHelpText('after', EXEC_HELP)
    .action(async (path: string, options: ExecOptions) => {
      const driver = await ExecutableDriver.of(executableAt(where, path, options.user));
      const environment = await environmentFor(where, driver, options);
      await runServices([{ definition: execService(driver), environment }]);
    });

const EXEC_HELP = `
The executable is started anew for each question and each step; JSON lines go over its standard input and output. docs/contracts/mgmt-driver.md has
them, "windlass driver new" makes one to begin with, and "windlass driver test" tries it without a Windlass.

With NATS_URL in the environment it joins that NATS, as any service of drivers: NATS_USER, NATS_PASSWORD or NATS_PASSWORD_FILE, WORKER_KEY_FILE,
ENROLMENT_TOKEN_FILE (a file that "windlass enrolment-token create --service <its service>" wrote). Without it, it joins the Windlass of the data
folder, which gives it a NATS user and an enrolment token by itself.

Its processes have PATH, LANG and HOME, a folder that goes with them, and no other variable. To bring the next version of a driver, start it under
its own path beside this one, then stop this one: steps of plans that are under way go on in the new one, which must still have their actions.`;

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

/** What its service is told: by our own environment, or by the Windlass of a data folder, which is told of it. */
async function environmentFor(where: Surroundings, driver: ExecutableDriver, { data }: ExecOptions): Promise<Environment> {
  const own = processEnvironment();
  if (own.NATS_URL !== undefined && own.NATS_URL !== '') return own;
  const dataDir = dataDirOf(where, data);
  const info = await readRuntime(dataDir);
  if (info === undefined) {
    const problem = `no Windlass runs on ${dataDir}: start one with "./windlass up", name its folder with --data, or give NATS_URL`;
    throw new RequestError(404, 'cli.not-running', problem);
  }
  return joined(info, driver);
}

/** Gives the driver's service a NATS user and an enrolment token. */
async function joined(info: RuntimeInfo, driver: ExecutableDriver): Promise<Environment> {
  const { dataDir, natsUrl, url, tokenFile } = info;
  const { service, driver: name } = driver.describe();
  // It refuses names that are taken by our own.
  natsAcl('json', { thirdParties: [{ name: service, drivers: [name] }] });
  const passwordFile = await admit(dataDir, { service, drivers: [name] });
  await known(natsUrl, service, passwordFile);
  const api = new ApiClient(url, (await readFile(tokenFile, 'utf8')).trim());
  const { token } = await api.post('/windlass/v1/enrolment_tokens', { service, validForSeconds: 600, uses: 1 });
  const enrolmentFile = join(dataDir, 'secrets', `enrol-driver-${service}`);
  await writeSecret(enrolmentFile, text(token));
  await mkdir(join(dataDir, 'keys'), { recursive: true, mode: 0o700 });
  return {
    ...inherited(),
    NATS_URL: natsUrl,
    NATS_USER: service,
    NATS_PASSWORD_FILE: passwordFile,
    WORKER_KEY_FILE: join(dataDir, 'keys', `${service}.key`),
    ENROLMENT_TOKEN_FILE: enrolmentFile,
  };
}

/** Waits until the server knows the user. @throws TransientError `wait.timeout` */
async function known(url: string, user: string, passwordFile: string): Promise<void> {
  const password = new Secret((await readFile(passwordFile, 'utf8')).trim());
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  await waitUntil(
    async (seen) => {
      try {
        const link = await connectNats({ url, user, password, name: `${user} asks`, log, within: seconds(5) });
        await link.close();
        return true;
      } catch (error) {
        // It has not read its users yet, or is busy.
        if (!(error instanceof TransientError) && !(error instanceof WindlassError && error.code === 'messaging.refused'))
          throw error;
        seen(error.message);
        return undefined;
      }
    },
    { for: `NATS at ${url} to know the user ${user}`, within: minutes(1), every: millis(100) },
  );
}
