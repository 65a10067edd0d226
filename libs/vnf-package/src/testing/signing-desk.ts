import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256, smallestPackage, type PackageFiles } from './package-factory.js';

/** A certificate with its key, as files. */
export interface TestCertificate {
  readonly name: string;
  /** The certificate in PEM. */
  readonly pem: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

export interface CertificateOptions {
  /** The issuer; self-signed by default. */
  by?: TestCertificate;
  /** The key as in `openssl req -newkey`: `rsa:2048`; the curve P-256 by default. */
  key?: string;
  /** Lines of OpenSSL's extension file. */
  extensions?: readonly string[];
  /** The digest of the certificate's own signature. */
  digest?: string;
  /** The days of validity; with -1 the certificate has expired. */
  days?: number;
}

export interface SignOptions {
  form?: 'PEM' | 'DER';
  /** Further arguments of `openssl cms`. */
  more?: readonly string[];
  /** More certificates in the signature, beside the signer's. */
  with?: readonly TestCertificate[];
}

export const AUTHORITY = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];
export const SIGNS = ['basicConstraints=CA:FALSE', 'keyUsage=critical,digitalSignature'];

/** Makes certificates and signatures with the real `openssl`, in its own folder. */
export class SigningDesk {
  readonly folder = mkdtempSync(join(tmpdir(), 'windlass-signing-'));
  #made = 0;

  certificate(name: string, options: CertificateOptions = {}): TestCertificate {
    const { by, key = 'ec', extensions = SIGNS, digest = 'sha256', days = 2 } = options;
    const [certificateFile, keyFile, request, names] = ['pem', 'key', 'csr', 'ext'].map((ending) => this.#file(ending)) as [
      string,
      string,
      string,
      string,
    ];
    const kind = ['-newkey', key, ...(key === 'ec' ? ['-pkeyopt', 'ec_paramgen_curve:prime256v1'] : [])];
    this.#openssl('req', '-new', ...kind, '-nodes', '-keyout', keyFile, '-out', request, '-subj', `/O=Tests/CN=${name}`);
    writeFileSync(names, `subjectKeyIdentifier=hash\n${extensions.join('\n')}\n`);
    const issuer = by === undefined ? ['-signkey', keyFile] : ['-CA', by.certificateFile, '-CAkey', by.keyFile];
    const rest = ['-set_serial', String(this.#made), '-extfile', names, '-days', String(days), `-${digest}`];
    this.#openssl('x509', '-req', '-in', request, ...issuer, ...rest, '-out', certificateFile);
    return { name, pem: readFileSync(certificateFile, 'utf8'), certificateFile, keyFile };
  }

  /** A detached signature of the content, with the signer's certificate unless `-nocerts` is given. */
  sign(content: string | Buffer, by: TestCertificate, { form = 'PEM', more = [], with: beside = [] }: SignOptions = {}): Buffer {
    const [input, output, chain] = ['in', 'cms', 'chain'].map((ending) => this.#file(ending)) as [string, string, string];
    writeFileSync(input, content);
    writeFileSync(chain, beside.map(({ pem }) => pem).join(''));
    const certificates = beside.length === 0 ? [] : ['-certfile', chain];
    const signer = ['-signer', by.certificateFile, '-inkey', by.keyFile];
    this.#openssl('cms', '-sign', '-binary', '-in', input, ...signer, ...certificates, '-outform', form, '-out', output, ...more);
    return readFileSync(output);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #file(ending: string): string {
    this.#made += 1;
    return join(this.folder, `${this.#made}.${ending}`);
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.folder, stdio: 'pipe' });
  }
}

export const MANIFEST = 'manifest.mf';

/** A package with a manifest that has the hash of each of its files. */
export function packageWithManifest(changes: PackageFiles = {}): PackageFiles {
  const files = smallestPackage({ 'Scripts/install.sh': 'echo install\n' });
  const meta = String(files['TOSCA-Metadata/TOSCA.meta']);
  const all: PackageFiles = { ...files, 'TOSCA-Metadata/TOSCA.meta': `${meta}ETSI-Entry-Manifest: ${MANIFEST}\n`, ...changes };
  return { ...all, [MANIFEST]: changes[MANIFEST] ?? manifestOf(all) };
}

/** A manifest that names all files. */
export function manifestOf(files: PackageFiles): string {
  const blocks = Object.entries(files)
    .filter(([name, content]) => content !== undefined && name !== MANIFEST)
    .map(([name, content]) => `Source: ${name}\nAlgorithm: SHA-256\nHash: ${sha256(String(content))}\n`);
  return `metadata:\n  vnf_product_name: Small\n\n${blocks.join('\n')}`;
}

/** The package with its manifest signed. */
export function withSignature(files: PackageFiles, sign: (manifest: string) => Buffer): PackageFiles {
  const manifest = String(files[MANIFEST]);
  return { ...files, [MANIFEST]: manifest + sign(manifest).toString('latin1') };
}
