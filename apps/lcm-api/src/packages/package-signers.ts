import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@windlass/service-kit';
import type { TrustedSigners } from '@windlass/vnf-package';

/** Files of certificates. Others may lie beside them, as in a folder that Kubernetes mounts. */
const ENDING = /\.(?:pem|crt|cer|cert)$/i;

const CERTIFICATE = { first: '-----BEGIN CERTIFICATE-----', last: '-----END CERTIFICATE-----' };

/** The certificates of a folder, in PEM, one each; undefined where there is none, or a file is none. */
export function readPackageSigners(folder: string): string[] | undefined {
  try {
    const paths = readdirSync(folder)
      .filter((name) => ENDING.test(name) && !name.startsWith('.'))
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile());
    const files = paths.map((path) => certificatesIn(readFileSync(path, 'utf8')));
    return files.length === 0 || files.some((found) => found.length === 0) ? undefined : files.flat();
  } catch {
    return undefined;
  }
}

/** @throws Error for a block that is no certificate */
function certificatesIn(text: string): string[] {
  const { first, last } = CERTIFICATE;
  const [, ...blocks] = text.split(first);
  return blocks.map((block) => new X509Certificate(`${first}${block.split(last, 1)[0] ?? ''}${last}\n`).toString());
}

/** Whether packages must be signed. */
export type SignaturesWanted = 'required' | 'optional';

/**
 * The trusted signers of packages, as configured; undefined where no signature is verified.
 * @throws ConfigError where signatures are required and no signer is trusted
 */
export function signersOf(
  certificates: readonly string[] | undefined,
  signatures: SignaturesWanted | undefined,
): TrustedSigners | undefined {
  if (certificates !== undefined) return { certificates, required: signatures !== 'optional' };
  if (signatures !== 'required') return undefined;
  throw new ConfigError([
    'LCM_PACKAGE_SIGNATURES is required and LCM_PACKAGE_SIGNERS is not given; expected both, since no signature is verified without',
  ]);
}
