import { X509Certificate } from 'node:crypto';
import type { Certificate as ParsedCertificate } from 'pkijs';
import { CURVES, RSA_BITS, RSASSA_PSS, SCHEMES } from './algorithms.js';
import type { Asn1 } from './asn1.js';
import { pemBlocks } from './pem.js';
import { printableName } from '../refusals/package-error.js';

/** A certificate, as far as signatures need it. */
export interface Certificate {
  readonly x509: X509Certificate;
  /** SHA-256 of all of it: what tells certificates apart. */
  readonly id: string;
  /** Its subject, safe to print. */
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
  /** Issuer and serial number, or the identifier of its key, as a signature names it. */
  readonly issuerAndSerial: string;
  readonly keyIdentifier: string | undefined;
  /** Why nothing that its key signs is taken. */
  readonly fault: string | undefined;
  /** Why its key may not sign packages. */
  readonly signingFault: string | undefined;
  /** Whether what its issuer made of it is a signature that is taken. */
  readonly wellSigned: boolean;
  /** Whether it may issue others; with so many in between at most. */
  readonly issues: { most: number } | undefined;
}

const EXTENSION = { keyIdentifier: '2.5.29.14', keyUsage: '2.5.29.15', constraints: '2.5.29.19' };

/** Extensions that a certificate may insist on: read here, or saying nothing that decides here (names, policies, where revocations lie). */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(EXTENSION),
  '2.5.29.17',
  '2.5.29.18',
  '2.5.29.31',
  '2.5.29.32',
  '2.5.29.35',
  '2.5.29.37',
]);

/** Purposes that cover a package: any, code signing, e-mail (what `openssl cms` asks for), documents. One for TLS servers does not. */
const PURPOSES: ReadonlySet<string> = new Set(['2.5.29.37.0', '1.3.6.1.5.5.7.3.3', '1.3.6.1.5.5.7.3.4', '1.3.6.1.5.5.7.3.36']);

/** @throws Error for what is no certificate */
export function readCertificate(asn1: Asn1, der: Buffer): Certificate {
  const x509 = new X509Certificate(der);
  const parsed = asn1.Certificate.fromBER(new Uint8Array(x509.raw));
  const extension = (id: string): unknown => parsed.extensions?.find(({ extnID }) => extnID === id)?.parsedValue;
  const usage = bitsOf(extension(EXTENSION.keyUsage));
  return {
    x509,
    id: x509.fingerprint256,
    name: printableName(x509.subject.split('\n').reverse().join(', ') || `serial number ${x509.serialNumber}`),
    from: new Date(x509.validFrom),
    to: new Date(x509.validTo),
    issuerAndSerial: issuerAndSerial(parsed),
    keyIdentifier: hexOf(extension(EXTENSION.keyIdentifier)),
    fault: keyFault(x509) ?? strangeExtension(parsed),
    signingFault: signingFault(usage, x509.keyUsage),
    wellSigned: isWellSigned(parsed, asn1),
    // OpenSSL asks its key usage, too.
    issues: x509.ca ? { most: pathLength(extension(EXTENSION.constraints)) } : undefined,
  };
}

/**
 * The certificates of a file: in PEM, several of them, or one in DER.
 * @throws Error for what is none
 */
export function readCertificates(asn1: Asn1, bytes: Buffer): Certificate[] {
  const blocks = pemBlocks(bytes.toString('latin1'), 'CERTIFICATE');
  return (blocks.length === 0 ? [bytes] : blocks).map((der) => readCertificate(asn1, der));
}

/** The same for what a signature names its signer by. */
export function issuerAndSerial({ issuer, serialNumber }: Pick<ParsedCertificate, 'issuer' | 'serialNumber'>): string {
  const [name, serial] = [issuer.toSchema().toBER(false), serialNumber.valueBlock.valueHexView];
  return `${Buffer.from(name).toString('hex')} ${Buffer.from(serial).toString('hex')}`;
}

/** The first eight bits of a bit string. */
function bitsOf(value: unknown): number | undefined {
  const view = (value as { valueBlock?: { valueHexView?: Uint8Array } } | undefined)?.valueBlock?.valueHexView;
  return view === undefined ? undefined : (view[0] ?? 0);
}

function hexOf(value: unknown): string | undefined {
  const view = (value as { valueBlock?: { valueHexView?: Uint8Array } } | undefined)?.valueBlock?.valueHexView;
  return view === undefined ? undefined : Buffer.from(view).toString('hex');
}

function pathLength(constraints: unknown): number {
  const most = (constraints as { pathLenConstraint?: unknown } | undefined)?.pathLenConstraint;
  if (most === undefined) return Number.POSITIVE_INFINITY;
  // One that is too large for a number is none.
  return typeof most === 'number' ? most : 0;
}

function keyFault({ publicKey }: X509Certificate): string | undefined {
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: { modulusLength = 0, namedCurve = '' } = {} } = publicKey;
  if (type === 'rsa' || type === 'rsa-pss') {
    return modulusLength >= RSA_BITS ? undefined : `its RSA key has ${modulusLength} bits where ${RSA_BITS} are the least`;
  }
  if (type !== 'ec') return `its key is of type ${type}, where RSA and EC are taken`;
  return CURVES.has(namedCurve) ? undefined : `its curve is ${namedCurve || 'none that has a name'}, where P-256 is the least`;
}

function strangeExtension({ extensions = [] }: ParsedCertificate): string | undefined {
  const strange = extensions.find(({ critical, extnID }) => critical && !KNOWN.has(extnID));
  return strange === undefined ? undefined : `it insists on the extension ${strange.extnID}, which is not known here`;
}

/** Digital signatures or non-repudiation, where it says what its key is for. */
function signingFault(usage: number | undefined, purposes: readonly string[] | undefined): string | undefined {
  if (usage !== undefined && (usage & 0xc0) === 0) return 'its key usage names no digital signatures';
  if (purposes?.some((purpose) => PURPOSES.has(purpose)) === false)
    return 'its extended key usage names neither code signing nor e-mail protection';
  return undefined;
}

function isWellSigned({ signatureAlgorithm: { algorithmId, algorithmParams } }: ParsedCertificate, asn1: Asn1): boolean {
  if (algorithmId === RSASSA_PSS) return asn1.pss(algorithmParams) !== undefined;
  return SCHEMES.get(algorithmId)?.digest !== undefined;
}
