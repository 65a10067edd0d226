import { coverage, type Coverage } from './covered-files.js';
import { manifestSignature } from './manifest-signature.js';
import { SIGNATURE_BYTES, type TrustedSigners } from './trusted-signers.js';
import { verifySignature } from './verify-signature.js';
import type { Csar, Envelope } from '../archive/csar.js';
import type { PackageMetadata } from '../metadata/tosca-meta.js';
import { PackageError, type PackageWarning } from '../refusals/package-error.js';

/** What a package's signature comes to. */
export interface SignatureOutcome {
  warnings: PackageWarning[];
  /** Hashes that must be right for the signature to count. */
  claims: Coverage['claims'];
}

/**
 * Verifies the signature beside a package, over all of its bytes (SOL004 5.1, option 2).
 * @returns undefined for a package that came without one
 * @throws PackageError `package.signature-wrong`, `package.signer-unknown`, `package.certificate-expired`
 */
export async function envelopeSignature(
  { envelope }: Csar,
  signers: TrustedSigners | undefined,
  signal?: AbortSignal,
): Promise<SignatureOutcome | undefined> {
  if (envelope === undefined) return undefined;
  if (signers === undefined) return { warnings: [unverified(envelope.signature)], claims: [] };
  const { archive, csar, signature, certificate } = envelope;
  const parts = {
    file: signature,
    cms: await smallFile(envelope, signature, signal),
    certificates: certificate === undefined ? undefined : await smallFile(envelope, certificate, signal),
    contents: [() => archive.openMember(csar, signal === undefined ? {} : { signal }) as AsyncIterable<Buffer>],
  };
  return { warnings: [verified(csar, await verifySignature(parts, signers.certificates))], claims: [] };
}

async function smallFile({ archive }: Envelope, name: string, signal?: AbortSignal): Promise<Buffer> {
  return archive.readMember(name, SIGNATURE_BYTES, signal);
}

/**
 * Verifies the signature of a package's manifest, and that the manifest names every file with a hash (SOL004 5.1, option 1).
 * @throws PackageError as {@link envelopeSignature}; where signatures are required, `package.unsigned` and `package.not-covered`
 */
export async function manifestOutcome(
  csar: Csar,
  metadata: PackageMetadata,
  signers: TrustedSigners | undefined,
  signal?: AbortSignal,
): Promise<SignatureOutcome> {
  const { manifest, certificate } = metadata;
  const bytes = manifest === undefined ? undefined : await csar.readMember(manifest, csar.limits.metadataBytes, signal);
  if (signers === undefined)
    return { warnings: manifest !== undefined && carriesOne(bytes) ? [unverified(manifest)] : [], claims: [] };
  const signed = bytes === undefined || manifest === undefined ? undefined : manifestSignature(bytes, manifest);
  if (signed === undefined || manifest === undefined) return unsigned(signers);
  const parts = {
    file: manifest,
    cms: signed.cms,
    certificates: certificate === undefined ? undefined : await csar.readMember(certificate, SIGNATURE_BYTES, signal),
    contents: signed.contents.map((content) => () => [content]),
  };
  const signer = await verifySignature(parts, signers.certificates);
  const { claims, uncovered } = coverage(csar, metadata);
  if (uncovered.length === 0) return { warnings: [verified(manifest, signer)], claims };
  const reason = `it is signed by ${signer}, and gives no hash for ${shortened(uncovered)}: give a Source, Algorithm (SHA-256 or better) and Hash for each, and sign it again`;
  if (signers.required) throw new PackageError('package.not-covered', reason, { member: manifest });
  return { warnings: [{ code: 'package.not-covered', subject: manifest, reason }], claims };
}

const carriesOne = (manifest: Buffer | undefined): boolean =>
  manifest !== undefined && /(?:^|[\r\n])-----BEGIN (?:CMS|PKCS7)-----/.test(manifest.toString('latin1'));

function unsigned({ required }: TrustedSigners): SignatureOutcome {
  const reason = 'nobody has signed it: neither does its manifest end with a CMS signature, nor does one lie beside it in a zip';
  if (!required) return { warnings: [{ code: 'package.unsigned', subject: 'the package', reason }], claims: [] };
  const order = 'sign it as SOL004 says, or have the operator take unsigned ones (LCM_PACKAGE_SIGNATURES=optional)';
  throw new PackageError('package.unsigned', `the package is refused, since ${reason}: ${order}`);
}

const verified = (subject: string, signer: string): PackageWarning => ({
  code: 'package.signed',
  subject,
  reason: `its signature was verified: it is signed by ${signer}`,
});

const unverified = (subject: string): PackageWarning => ({
  code: 'package.signature-unverified',
  subject,
  reason: 'its signature was not verified: lcm-api does so where LCM_PACKAGE_SIGNERS names whom it trusts',
});

const SHOWN = 5;

const shortened = (names: readonly string[]): string =>
  names.length <= SHOWN ? names.join(', ') : `${names.slice(0, SHOWN).join(', ')} and ${names.length - SHOWN} more`;
