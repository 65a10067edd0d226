import { TerminalError } from '@windlass/foundation';
import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/**
 * The certificates of a PEM file, without anything else in it: a key beside them stays in the package.
 * @throws TerminalError `registry.certificate`
 */
export function certificatesOf(file: Buffer, path: string): string {
  const found = file.toString('latin1').match(CERTIFICATE) ?? [];
  if (found.length === 0) throw wrong(path, 'it has no certificate in PEM (-----BEGIN CERTIFICATE-----)');
  return found.map((pem, at) => readable(pem, path, at)).join('');
}

function readable(pem: string, path: string, at: number): string {
  try {
    return new X509Certificate(pem).toString();
  } catch (error) {
    throw wrong(path, `its certificate ${at + 1} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const wrong = (path: string, why: string): TerminalError =>
  new TerminalError(
    'registry.certificate',
    `${path} of the package is no file of CA certificates: ${why}. Onboard a package that has one, or name another file`,
  );
