import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '@windlass/foundation';
import { buildCsar } from '@windlass/vnf-package';
import { zipOf } from '@windlass/vnf-package/testing';

export const CASES = join(import.meta.dirname, '../cases');
const run = promisify(execFile);

/** The folder of a case, by its number. */
export function caseFolder(number: string): string {
  const name = readdirSync(CASES).find((each) => each.startsWith(`${number}-`));
  if (name === undefined) throw new Error(`there is no case ${number} in ${CASES}`);
  return join(CASES, name);
}

/** A body of the case, with a port's id in the place of its placeholder. */
export const caseBody = (number: string, file = 'instantiate.json', portId = ''): JsonObject =>
  JSON.parse(readFileSync(join(caseFolder(number), file), 'utf8').replaceAll('${PORT_ID}', portId)) as JsonObject;

/** The zip of a package of the case, with its files unchanged. */
export async function caseZip(number: string, folder = 'pkg'): Promise<Buffer> {
  const made = await mkdtemp(join(tmpdir(), 'windlass-case-'));
  try {
    const file = join(made, 'package.zip');
    await buildCsar(join(caseFolder(number), folder), file, { asItLies: true });
    return await readFile(file);
  } finally {
    await rm(made, { recursive: true });
  }
}

/** Signs a package by SOL004's option 2, as the case's script does: a zip of the package, its signature in PEM, and a new certificate. */
export async function signedZip(csar: Buffer): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-case-'));
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder, timeout: 60_000 });
  try {
    await writeFile(join(folder, 'case.csar'), csar);
    const subject = ['-subj', '/CN=case', '-keyout', 'key.pem', '-out', 'case.cert'];
    await openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', ...subject);
    const signer = ['-signer', 'case.cert', '-inkey', 'key.pem', '-out', 'case.cms'];
    await openssl('cms', '-sign', '-binary', '-outform', 'PEM', '-in', 'case.csar', ...signer);
    const [signature, certificate] = [await readFile(join(folder, 'case.cms')), await readFile(join(folder, 'case.cert'))];
    return zipOf({ 'case.csar': csar, 'case.cms': signature, 'case.cert': certificate });
  } finally {
    await rm(folder, { recursive: true });
  }
}
