import { stat, readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { TransientError } from '@windlass/foundation';

/** PEM files of the deployment for its connections out. */
export interface TlsFiles {
  /** Authorities that are trusted beside the system's. */
  readonly caFile?: string;
  /** Our own certificate, shown to who asks for one; with its key. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** What is in the files. */
export interface TlsMaterial {
  readonly ca?: readonly string[];
  readonly cert?: string;
  readonly key?: string;
}

/** Keeps what is in the files, and reads them again when one has changed. */
export class TlsReader {
  #seen = '';
  #material: TlsMaterial = {};

  constructor(private readonly files: TlsFiles) {}

  /** @throws TransientError `outbound.tls-files` where a file can't be read: its next version may be on its way */
  async read(): Promise<TlsMaterial> {
    const { caFile, certFile, keyFile } = this.files;
    try {
      const now = await Promise.all([caFile, certFile, keyFile].map(stampOf));
      const stamp = now.join(' ');
      if (stamp === this.#seen) return this.#material;
      const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map(textOf));
      this.#material = {
        ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
      };
      this.#seen = stamp;
      return this.#material;
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      throw new TransientError('outbound.tls-files', `the certificate files for connections out can't be read (${code})`);
    }
  }
}

const textOf = (file: string | undefined): Promise<string | undefined> =>
  file === undefined ? Promise.resolve(undefined) : readFile(file, 'utf8');

async function stampOf(file: string | undefined): Promise<string> {
  if (file === undefined) return '-';
  const { ino, size, mtimeNs } = await stat(file, { bigint: true });
  return `${ino}:${size}:${mtimeNs}`;
}
