import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Certificates of one authority, as files: `ca.pem`, and a certificate with its key for each of `server` and `client`. */
export interface TestCertificates {
  /** The path of a file. */
  at(name: string): string;
  /** What is in a file. */
  read(name: string): string;
}

/**
 * Makes a folder with an authority and certificates of a server and a client from it (keys of mode 0600, as openssl writes them).
 * @param names of the server, as openssl takes them
 */
export function testCertificates(
  folder: string,
  authority: string,
  names: readonly string[] = ['DNS:localhost', 'IP:127.0.0.1'],
): TestCertificates {
  mkdirSync(folder, { recursive: true });
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', `/CN=${authority}`, '-days', '2');
  writeFileSync(join(folder, 'names'), `subjectAltName=${names.join(',')}\n`);
  for (const who of ['server', 'client']) {
    openssl('req', ...key, '-keyout', `${who}.key`, '-out', `${who}.csr`, '-subj', `/CN=${who}`);
    const from = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
    openssl('x509', '-req', '-in', `${who}.csr`, ...from, '-out', `${who}.pem`, '-days', '2');
  }
  const at = (name: string) => join(folder, name);
  return { at, read: (name) => readFileSync(at(name), 'utf8') };
}
