import { bufferCsarSource, type CsarSource } from './csar-source.js';
import type { MemberList } from './list-members.js';
import { memberBytes, memberSource, type OpenMember } from './member-stream.js';
import { describeBytes } from '../limits.js';
import { PackageError } from '../package-error.js';

/** The files of a zip that holds a CSAR beside its signature (SOL004 5.1, option 2). */
export interface EnvelopeFiles {
  readonly csar: string;
  /** CMS over the bytes of the CSAR. */
  readonly signature: string;
  /** The signer's certificate, where it is not in the signature. */
  readonly certificate: string | undefined;
}

/**
 * The files of an envelope, or undefined for what is a package itself. Nothing but those files may be in it: whatever else there is nobody has signed.
 * @throws PackageError `csar.envelope`
 */
export function envelopeFiles({ members }: MemberList): EnvelopeFiles | undefined {
  const names = [...members.keys()];
  const [csar, ...others] = names.filter((name) => /^[^/]+\.csar$/i.test(name));
  if (csar === undefined || names.some((name) => /(^|\/)TOSCA\.meta$|^[^/]+\.ya?ml$/i.test(name))) return undefined;
  const base = csar.slice(0, -'.csar'.length);
  const files = { csar, signature: `${base}.cms`, certificate: `${base}.cert` };
  const strange = [...others, ...names.filter((name) => !others.includes(name) && !Object.values(files).includes(name))];
  if (strange.length === 0 && members.has(files.signature))
    return { ...files, certificate: members.has(files.certificate) ? files.certificate : undefined };
  const fault = strange[0] === undefined ? `has no ${files.signature}` : 'has this file, too';
  throw new PackageError(
    'csar.envelope',
    `the zip around ${csar} ${fault}: put ${csar}, its signature ${files.signature} and, as needed, the signer's certificate ${files.certificate} into it and nothing else, or upload the .csar itself`,
    { member: strange[0] ?? csar },
  );
}

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
