import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CoreKeys, hashOf, makeToken, parseToken, standingLine, tokenText } from '@windlass/messaging';
import { parseMasterKeys } from '@windlass/persistence';
import { secretIn, writeSecret } from './secret-file.js';
import { isEnrolled, SERVICES } from './services.js';

/** What the first start of a data folder makes, each in a file of its own that only its owner can read. */
export interface DeploymentSecrets {
  /** 64 hexadecimal digits. */
  masterKey: string;
  masterKeyFile: string;
  token: string;
  tokenFile: string;
  natsPasswords: Record<string, string>;
  natsPasswordFiles: Record<string, string>;
  /** Enrolment tokens of the services that run steps, by service. */
  enrolmentTokenFiles: Record<string, string>;
  /** What the coordinators are told of them: hashes. */
  enrolmentTokensFile: string;
  /** Where the services' own keys lie. */
  keyFolder: string;
}

/** Reads the secrets of a data folder, making those that are missing. */
export async function deploymentSecrets(dataDir: string): Promise<DeploymentSecrets> {
  const folder = join(dataDir, 'secrets');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Although it was there before. Somebody else's can't be, which ends the start.
  await chmod(folder, 0o700);
  const masterKeyFile = join(folder, 'master-key');
  const tokenFile = join(folder, 'token');
  const natsPasswordFiles = Object.fromEntries(SERVICES.map(({ name }) => [name, join(folder, `nats-${name}`)]));
  const natsPasswords: Record<string, string> = {};
  for (const [name, file] of Object.entries(natsPasswordFiles))
    natsPasswords[name] = await secretIn(file, () => randomBytes(24).toString('base64url'));
  const masterKey = await secretIn(masterKeyFile, () => randomBytes(32).toString('hex'));
  return {
    ...(await enrolmentTokens(folder, masterKey)),
    keyFolder: join(dataDir, 'keys'),
    masterKey,
    masterKeyFile,
    token: await secretIn(tokenFile, () => randomBytes(24).toString('base64url')),
    tokenFile,
    natsPasswords,
    natsPasswordFiles,
  };
}

/** A standing token for each service that runs steps, and the list of all for the coordinators. */
async function enrolmentTokens(
  folder: string,
  masterKey: string,
): Promise<Pick<DeploymentSecrets, 'enrolmentTokenFiles' | 'enrolmentTokensFile'>> {
  const { publicX } = new CoreKeys(parseMasterKeys(masterKey));
  const enrolmentTokenFiles: Record<string, string> = {};
  const lines: string[] = [];
  for (const { name } of SERVICES.filter(isEnrolled)) {
    const file = join(folder, `enrol-${name}`);
    enrolmentTokenFiles[name] = file;
    const token = parseToken(await secretIn(file, () => tokenText(makeToken(publicX)).reveal()));
    lines.push(standingLine({ service: name, ...hashOf(token) }));
  }
  const enrolmentTokensFile = join(folder, 'enrolment-tokens');
  await writeSecret(enrolmentTokensFile, lines.join('\n'));
  return { enrolmentTokenFiles, enrolmentTokensFile };
}
