import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** Files of TLS, by what they are. */
export interface TlsFiles {
  /** Certificates of the authority that the other side's must be from. */
  caFile?: string | undefined;
  certFile?: string | undefined;
  keyFile?: string | undefined;
}

/** The variables that name them. */
export type TlsFileNames = Readonly<Record<keyof TlsFiles, string>>;

/** As PostgreSQL has it for its own keys: a file that root owns may be read by its group, as Kubernetes gives a Secret to a pod's user; any other by its owner alone. */
export const isExposed = ({ mode, uid }: { mode: number; uid: number }): boolean => (mode & (uid === 0 ? 0o037 : 0o077)) !== 0;

/** What is wrong with files of TLS, a line each: those that can't be read, are something else, do not belong together, or can be read by others. */
export function tlsFileProblems(names: TlsFileNames, { caFile, certFile, keyFile }: TlsFiles): string[] {
  const problems: string[] = [];
  if (keyFile === undefined && certFile !== undefined)
    problems.push(`${names.certFile} is given without ${names.keyFile}; expected both`);
  if (certFile === undefined && keyFile !== undefined)
    problems.push(`${names.keyFile} is given without ${names.certFile}; expected both`);
  const read = <T>(name: string, file: string | undefined, what: string, as: (pem: string) => T): T | undefined => {
    try {
      return file === undefined ? undefined : as(readFileSync(file, 'utf8'));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR' ? `which can't be read (${code})` : `which is none`;
      problems.push(`${name} names ${file ?? ''}, ${why}; expected ${what}`);
      return undefined;
    }
  };
  read(names.caFile, caFile, 'a certificate in PEM, or several', (pem) => new X509Certificate(pem));
  const certificate = read(names.certFile, certFile, 'a certificate in PEM', (pem) => new X509Certificate(pem));
  const key = read(names.keyFile, keyFile, 'a private key in PEM without a passphrase', (pem) => createPrivateKey(pem));
  if (keyFile !== undefined && key !== undefined) {
    const stats = statSync(keyFile);
    if (isExposed(stats))
      problems.push(
        `others may read ${keyFile} of ${names.keyFile} (mode ${(stats.mode & 0o777).toString(8)}); make it 0600, or 0640 where root owns it, and the key anew if it was seen`,
      );
    if (certificate?.checkPrivateKey(key) === false)
      problems.push(
        `${names.keyFile} is not the key of the certificate in ${names.certFile}; expected the two to belong together`,
      );
  }
  return problems;
}
