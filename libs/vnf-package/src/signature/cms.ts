import type { SignedData, SignerInfo } from 'pkijs';
import { algorithmName, DIGESTS, RSASSA_PSS, SCHEMES } from './algorithms.js';
import type { Asn1 } from './asn1.js';
import { type Certificate, issuerAndSerial, readCertificate } from './certificate.js';
import { pemBlocks, SIGNATURE_LABELS } from './pem.js';
import { MOST_CERTIFICATES, MOST_SIGNERS } from './trusted-signers.js';

/** A signature is none, or one that is not taken. Its message says why, and what to do. */
export class WrongSignature extends Error {}

/** One signer's part of a signature. */
export interface Signer {
  isBy(certificate: Certificate): boolean;
  /** Of the content, by Node's name. */
  digest: string;
  /** Of what is signed: the content, or the attributes. */
  signedBy: { key: 'rsa' | 'rsa-pss' | 'ec'; digest: string; saltLength: number | undefined };
  signature: Buffer;
  /** Where the signature is over attributes, the content's digest is among them. */
  attributes: { der: Buffer; digest: Buffer } | undefined;
}

/** A signature as it was read, not verified. */
export interface Cms {
  certificates: Certificate[];
  signers: Signer[];
}

const SIGNED_DATA = '1.2.840.113549.1.7.2';
const ATTRIBUTE = { contentType: '1.2.840.113549.1.9.3', messageDigest: '1.2.840.113549.1.9.4' };

/**
 * Reads a CMS signature (RFC 5652) in PEM or DER. A content that it carries itself is passed over: the package's bytes are what it must be over.
 * @throws WrongSignature
 */
export function readCms(asn1: Asn1, bytes: Buffer): Cms {
  const signed = signedData(asn1, derOf(bytes));
  const { certificates = [], signerInfos } = signed;
  if (certificates.length > MOST_CERTIFICATES)
    throw new WrongSignature(`it has ${certificates.length} certificates; at most ${MOST_CERTIFICATES} are read`);
  if (signerInfos.length === 0) throw new WrongSignature('nobody has signed it');
  if (signerInfos.length > MOST_SIGNERS)
    throw new WrongSignature(`it has ${signerInfos.length} signers; at most ${MOST_SIGNERS} are read`);
  return readable(() => ({
    certificates: certificates
      .filter((each) => each instanceof asn1.Certificate)
      .map((each) => readCertificate(asn1, Buffer.from(each.toSchema().toBER()))),
    signers: signerInfos.map((info) => signerOf(asn1, info, signed.encapContentInfo.eContentType)),
  }));
}

/** What a parser makes of a stranger's bytes, whatever it throws. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof WrongSignature) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new WrongSignature(`it is no CMS signature that can be read (${reason}): make it by "openssl cms -sign -binary"`);
  }
}

function derOf(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const blocks = SIGNATURE_LABELS.flatMap((label) => pemBlocks(text, label));
  if (blocks.length > 1) throw new WrongSignature('it has more than one block: one signature is expected');
  return blocks[0] ?? bytes;
}

function signedData(asn1: Asn1, der: Buffer): SignedData {
  return readable(() => {
    const info = asn1.ContentInfo.fromBER(new Uint8Array(der));
    if (info.contentType !== SIGNED_DATA) throw new WrongSignature('it is CMS of another kind than signed data');
    return new asn1.SignedData({ schema: info.content });
  });
}

function signerOf(asn1: Asn1, info: SignerInfo, contentType: string): Signer {
  const digest = DIGESTS.get(info.digestAlgorithm.algorithmId);
  if (digest === undefined) throw notTaken(info.digestAlgorithm.algorithmId);
  return {
    isBy: namedIn(info),
    digest,
    signedBy: schemeOf(asn1, info, digest),
    signature: Buffer.from(info.signature.valueBlock.valueHexView),
    attributes: attributesOf(info, contentType),
  };
}

const notTaken = (identifier: string): WrongSignature =>
  new WrongSignature(`it is made with ${algorithmName(identifier)}: sign again with SHA-256 or better, and RSA or ECDSA`);

function schemeOf(asn1: Asn1, { signatureAlgorithm }: SignerInfo, digest: string): Signer['signedBy'] {
  const { algorithmId } = signatureAlgorithm;
  const scheme = SCHEMES.get(algorithmId);
  if (scheme === undefined) throw notTaken(algorithmId);
  if (algorithmId !== RSASSA_PSS) return { key: scheme.key, digest: scheme.digest ?? digest, saltLength: undefined };
  const pss = asn1.pss(signatureAlgorithm.algorithmParams);
  if (pss === undefined) throw notTaken(algorithmId);
  return { key: 'rsa-pss', ...pss };
}

/** Which certificate a signer says is its own (RFC 5652 5.3). */
function namedIn({ sid }: SignerInfo): Signer['isBy'] {
  if ('issuer' in sid && 'serialNumber' in sid) {
    const named = issuerAndSerial(sid as Parameters<typeof issuerAndSerial>[0]);
    return (certificate) => certificate.issuerAndSerial === named;
  }
  const { valueHexView } = (sid as { valueBlock: { valueHexView: Uint8Array } }).valueBlock;
  const named = Buffer.from(valueHexView).toString('hex');
  return ({ keyIdentifier }) => keyIdentifier !== undefined && keyIdentifier === named;
}

/** @throws WrongSignature unless they name the content's type and digest, once each (RFC 5652 5.3, 11.1, 11.2) */
function attributesOf({ signedAttrs }: SignerInfo, contentType: string): Signer['attributes'] {
  if (signedAttrs === undefined) return undefined;
  const only = (type: string): unknown => {
    const [attribute, ...others] = signedAttrs.attributes.filter((each) => each.type === type);
    const values: unknown[] = attribute?.values ?? [];
    if (values.length === 1 && others.length === 0) return values[0];
    throw new WrongSignature(`it should have the signed attribute ${type} once, with one value`);
  };
  const type = (only(ATTRIBUTE.contentType) as { getValue?: () => string }).getValue?.();
  if (type !== contentType) throw new WrongSignature('its signed attributes name another type of content than it has');
  const { valueBlock } = only(ATTRIBUTE.messageDigest) as { valueBlock: { valueHexView: Uint8Array } };
  return { der: Buffer.from(signedAttrs.encodedValue), digest: Buffer.from(valueBlock.valueHexView) };
}
