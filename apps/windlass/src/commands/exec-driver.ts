import { ExecutableDriver, execService } from '@windlass/driver-kit';
import { millis, minutes, RequestError, seconds, Secret, TransientError, waitUntil, WindlassError } from '@windlass/foundation';
import { connectNats } from '@windlass/messaging';
import { processEnvironment, runServices, type Environment } from '@windlass/service-kit';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from '../client/text.js';
import { inherited, type Surroundings } from '../surroundings/config.js';
import { readRuntime, type RuntimeInfo } from '../deployment/runtime-file.js';
import { writeSecret } from '../deployment/secret-file.js';
import { admit } from '../deployment/third-parties.js';
import { ApiClient } from '../client/api-client.js';
import { natsAcl } from './acl-text.js';
import { executableAt } from './executable.js';
import { dataDirOf } from '../target/data-dir.js';

/** Of `./windlass driver exec`. */
export interface ExecOptions {
  data?: string;
  user?: string;
}

/** Runs an executable as a management driver, until the process is told to stop. */
export async function execDriver(where: Surroundings, path: string, options: ExecOptions): Promise<void> {
  const driver = await ExecutableDriver.of(executableAt(where, path, options.user));
  const environment = await environmentFor(where, driver, options);
  await runServices([{ definition: execService(driver), environment }]);
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
