import type { Csar } from '../archive/csar.js';
import { resolveInPackage, whyUnresolved } from '../archive/member-name.js';
import type { PackageWarning } from '../refusals/package-error.js';
import { hasHash, type PackageMetadata } from './tosca-meta.js';

/** Files that a warning names. */
const MOST_ABSENT = 20;

/**
 * SOL004 4.3.2 has a manifest list files of the package. One that is listed with a hash and absent is refused.
 * @param images members that descriptors name as images: of those that are absent it is told elsewhere what takes their place
 */
export function absentFiles(
  csar: Csar,
  blocks: PackageMetadata['artifactBlocks'],
  images: ReadonlySet<string>,
): PackageWarning[] {
  const absent = blocks.flatMap(({ file, block: { fields, lines, line } }): PackageWarning[] => {
    const path = fields.get('source') || (fields.has('content-type') && fields.get('name')) || '';
    if (path === '' || [...fields.keys()].some((name) => hasHash(name) || name === 'algorithm')) return [];
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path) && !/^file:/i.test(path)) return [];
    const member = resolveInPackage(path);
    if (member !== undefined && (csar.has(member) || csar.members.some(({ name }) => name.startsWith(`${member}/`)))) return [];
    if (member !== undefined && images.has(member)) return [];
    const at = lines.get('source') ?? lines.get('name') ?? line;
    const fault = member === undefined ? whyUnresolved(path) : 'the package has no such member';
    const reason = `line ${at} names ${JSON.stringify(path)}: ${fault}. Add the file, or remove the block`;
    return [{ code: 'meta.file-absent', subject: file, reason }];
  });
  const more = absent.slice(MOST_ABSENT);
  if (more.length === 0) return absent;
  const rest = {
    code: 'meta.file-absent',
    subject: more[0]?.subject ?? '',
    reason: `${more.length} more files are named, and absent`,
  };
  return [...absent.slice(0, MOST_ABSENT), rest];
}
