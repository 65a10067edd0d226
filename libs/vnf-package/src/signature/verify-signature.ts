import { constants, createHash, createVerify, verify, type KeyObject } from 'node:crypto';
import { loadAsn1, type Asn1 } from './asn1.js';
import { type Certificate, readCertificate, readCertificates } from './certificate.js';
import { isTrusted } from './chain.js';
import { readCms, type Signer, WrongSignature } from './cms.js';
import { pemBlocks } from './pem.js';
import { MOST_CERTIFICATES, SIGNATURE_BYTES } from './trusted-signers.js';
import { describeBytes } from '../refusals/limits.js';
import { PackageError } from '../refusals/package-error.js';

/** A signature and what belongs to it. */
export interface SignatureParts {
  /** The file that it lies in, for messages. */
  file: string;
  /** CMS in PEM or DER. */
  cms: Buffer;
  /** Certificates that lie beside it. */
  certificates: Buffer | undefined;
  /** The bytes that it should be over, as they may have been signed: one of these. */
  contents: readonly (() => AsyncIterable<Buffer> | Iterable<Buffer>)[];
}

/**
 * Verifies a signature. One signer that is trusted and right is enough: others may have signed for others.
 * @param trusted certificates in PEM
 * @returns who signed
 * @throws PackageError `package.signature-wrong`, `package.signer-unknown`, `package.certificate-expired`; what the contents throw
 */
export async function verifySignature(parts: SignatureParts, trusted: readonly string[], now = new Date()): Promise<string> {
  const asn1 = await loadAsn1();
  const anchors = trusted.flatMap((pem) => pemBlocks(pem, 'CERTIFICATE').map((der) => readCertificate(asn1, der)));
  const { cms, given } = readParts(asn1, parts);
  let refusal: unknown;
  for (const signer of cms.signers) {
    try {
      const certificate = certificateOf(signer, [...given, ...anchors]);
      checkTrust(certificate, given, anchors, now);
      await checkContent(signer, certificate.x509.publicKey, parts.contents);
      return certificate.name;
    } catch (error) {
      if (!(error instanceof WrongSignature || error instanceof Untrusted)) throw error;
      refusal ??= error;
    }
  }
  throw refusedIn(parts.file, refusal);
}

function readParts(asn1: Asn1, { file, cms: bytes, certificates }: SignatureParts) {
  try {
    for (const part of [bytes, certificates ?? Buffer.alloc(0)]) {
      if (part.length > SIGNATURE_BYTES)
        throw new WrongSignature(`it is ${describeBytes(part.length)}; at most ${describeBytes(SIGNATURE_BYTES)} are read`);
    }
    const cms = readCms(asn1, bytes);
    const given = [...cms.certificates, ...(certificates === undefined ? [] : beside(asn1, certificates))];
    if (given.length > MOST_CERTIFICATES)
      throw new WrongSignature(`${given.length} certificates come with it; at most ${MOST_CERTIFICATES} are read`);
    return { cms, given };
  } catch (error) {
    throw refusedIn(file, error);
  }
}

function beside(asn1: Asn1, certificates: Buffer): Certificate[] {
  try {
    return readCertificates(asn1, certificates);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new WrongSignature(`the certificate beside it can't be read (${reason}): put it there in PEM`);
  }
}

function refusedIn(file: string, error: unknown): unknown {
  if (error instanceof WrongSignature)
    return new PackageError('package.signature-wrong', `its signature: ${error.message}`, { member: file });
  if (error instanceof Untrusted) return new PackageError(error.code, error.message, { member: file });
  return error;
}

class Untrusted extends Error {
  constructor(
    readonly code: 'package.signer-unknown' | 'package.certificate-expired',
    message: string,
  ) {
    super(message);
  }
}

function certificateOf(signer: Signer, certificates: readonly Certificate[]): Certificate {
  const found = certificates.find((certificate) => signer.isBy(certificate));
  if (found !== undefined) return found;
  throw new Untrusted(
    'package.signer-unknown',
    'the certificate of who signed it is neither in the signature nor beside it: sign without -nocerts, or put it beside the signature as .cert',
  );
}

/** @throws Untrusted, WrongSignature */
function checkTrust(signer: Certificate, given: readonly Certificate[], anchors: readonly Certificate[], now: Date): void {
  const who = `it is signed by ${signer.name}`;
  if (signer.fault !== undefined) throw new WrongSignature(`${who}, and ${signer.fault}: sign with another certificate`);
  const sound = ({ fault }: Certificate): boolean => fault === undefined;
  const valid = (certificate: Certificate): boolean => certificate.from <= now && now <= certificate.to;
  if (isTrusted(signer, given, anchors, (each) => sound(each) && valid(each))) {
    if (signer.signingFault === undefined) return;
    throw new Untrusted(
      'package.signer-unknown',
      `${who}, and ${signer.signingFault}: sign with a certificate that is meant for that`,
    );
  }
  if (!isTrusted(signer, given, anchors, sound)) {
    const order =
      'have its operator add that certificate, or its authority’s, to those of LCM_PACKAGE_SIGNERS, or sign with one that is trusted';
    throw new Untrusted(
      'package.signer-unknown',
      `${who}, whose certificate does not come from one that is trusted here: ${order}`,
    );
  }
  const fault = valid(signer)
    ? 'a certificate between it and the trusted one is not valid now'
    : `whose certificate is valid from ${signer.from.toISOString()} to ${signer.to.toISOString()} alone`;
  throw new Untrusted('package.certificate-expired', `${who}, ${fault}: sign again with a certificate that is valid`);
}

const NOT_OVER_THIS = 'it is not over these bytes: they were changed after they were signed, or something else was signed';

/** @throws WrongSignature */
async function checkContent(signer: Signer, key: KeyObject, contents: SignatureParts['contents']): Promise<void> {
  const { key: wanted } = signer.signedBy;
  const type = key.asymmetricKeyType;
  // An `rsa` key may be used for PSS; one that is for PSS alone for nothing else.
  if (type !== wanted && !(type === 'rsa' && wanted === 'rsa-pss'))
    throw new WrongSignature('it is made with another kind of key than the certificate’s');
  const { attributes } = signer;
  if (attributes !== undefined && !isRight(signer, key, attributes.der))
    throw new WrongSignature('it is not made with the key of its certificate');
  for (const content of contents) if (await isOver(signer, key, content())) return;
  throw new WrongSignature(NOT_OVER_THIS);
}

async function isOver(signer: Signer, key: KeyObject, content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<boolean> {
  const { attributes, digest, signedBy, signature } = signer;
  if (attributes !== undefined) {
    const hash = createHash(digest);
    for await (const part of content) hash.update(part);
    return hash.digest().equals(attributes.digest);
  }
  const verifier = createVerify(signedBy.digest);
  for await (const part of content) verifier.update(part);
  return attempt(() => verifier.verify(keyOptions(signer, key), signature));
}

const isRight = (signer: Signer, key: KeyObject, bytes: Buffer): boolean =>
  attempt(() => verify(signer.signedBy.digest, bytes, keyOptions(signer, key), signer.signature));

const keyOptions = ({ signedBy: { key: kind, saltLength } }: Signer, key: KeyObject) =>
  kind === 'rsa-pss'
    ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, ...(saltLength === undefined ? {} : { saltLength }) }
    : { key };

/** OpenSSL throws for signatures of a wrong form. */
function attempt(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}
