import { bufferCsarSource, type CsarSource } from '../source/csar-source.js';
import type { MemberList } from './list-members.js';
import { memberBytes, memberSource, type OpenMember } from './member-stream.js';
import { describeBytes } from '../refusals/limits.js';
import { PackageError } from '../refusals/package-error.js';

/** The files of a zip that holds a CSAR beside its signature (SOL004 5.1, option 2). */
export interface EnvelopeFiles {
  readonly csar: string;
  /** CMS over the bytes of the CSAR. */
  readonly signature: string;
  /** The signer's certificate, where it is not in the signature. */
  readonly certificate: string | undefined;
  /** Files that nobody has signed. They are no part of the package. */
  readonly others: readonly string[];
}

/** As SOL004 5.1 and vendors call them: CMS signatures, and certificates. */
const SIGNATURE = /^[^/]+\.(?:cms|sig|p7s)$/i;
const CERTIFICATE = /^[^/]+\.(?:cert|cer|crt|pem)$/i;

/**
 * The files of an envelope, or undefined for what is a package itself. What else lies in it nobody has signed, and nobody reads.
 * @throws PackageError `csar.envelope` where it is open which file is the package or its signature
 */
export function envelopeFiles({ members }: MemberList): EnvelopeFiles | undefined {
  const names = [...members.keys()];
  if (names.some((name) => /(^|\/)TOSCA\.meta$|^[^/]+\.ya?ml$/i.test(name))) return undefined;
  const signatures = names.filter((name) => SIGNATURE.test(name));
  const csars = names.filter((name) => /^[^/]+\.csar$/i.test(name));
  const zips = signatures.length === 0 ? [] : names.filter((name) => /^[^/]+\.zip$/i.test(name));
  const [csar, second] = csars.length > 0 ? csars : zips;
  if (csar === undefined) return undefined;
  const base = csar.replace(/\.[^.]+$/, '');
  const refuse = (fault: string, member: string) =>
    new PackageError(
      'csar.envelope',
      `the zip around ${csar} ${fault}: put ${csar}, its signature ${base}.cms and, as needed, the signer's certificate ${base}.cert into it, or upload the .csar itself`,
      { member },
    );
  if (second !== undefined) throw refuse('has this package, too', second);
  const signature = belongingTo([base, csar], signatures);
  if (signature === undefined)
    throw refuse(signatures.length === 0 ? `has no ${base}.cms` : 'has several signatures, of which none has its name', csar);
  const certificates = names.filter((name) => CERTIFICATE.test(name));
  const certificate = belongingTo([base, csar], certificates);
  const known = [csar, signature, certificate];
  return { csar, signature, certificate, others: names.filter((name) => !known.includes(name)) };
}

/** The file of one of these names, or else the only one. */
const belongingTo = (bases: readonly string[], files: readonly string[]): string | undefined =>
  files.find((name) => bases.includes(name.replace(/\.[^.]+$/, ''))) ?? (files.length === 1 ? files[0] : undefined);

/** A deflated CSAR up to this size is inflated whole: `zip` deflates unless it is told otherwise, and lcm-api keeps sixteen packages open. */
const INFLATED_BYTES = 4 * 1_024 * 1_024;

/**
 * The CSAR in an envelope, read where it lies.
 * @throws PackageError `csar.envelope` where it is deflated and large; `csar.corrupt`, `csar.malformed`, `csar.size-mismatch`
 */
export async function enclosedSource(source: CsarSource, list: MemberList, files: EnvelopeFiles): Promise<CsarSource> {
  const { csar, signature, certificate } = files;
  const found = list.members.get(csar);
  if (found === undefined) throw new PackageError('csar.member-absent', 'the package has no such member', { member: csar });
  const open = { source, zip: list.zip, ...found };
  if (!found.member.deflated) return memberSource(open);
  if (found.member.size <= INFLATED_BYTES) return inflated(open);
  const all = [csar, signature, ...(certificate === undefined ? [] : [certificate])].join(' ');
  throw new PackageError(
    'csar.envelope',
    `is deflated in the zip around it, and larger than the ${describeBytes(INFLATED_BYTES)} that are inflated: make that zip by "zip -0 package.zip ${all}", so that it is read where it lies; the signature stays right`,
    { member: csar },
  );
}

async function inflated(open: OpenMember): Promise<CsarSource> {
  const parts: Buffer[] = [];
  for await (const part of memberBytes(open)) parts.push(part);
  return { ...bufferCsarSource(Buffer.concat(parts)), close: async () => open.source.close?.() };
}
