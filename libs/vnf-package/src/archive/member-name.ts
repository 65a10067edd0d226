import { isControl, PackageError } from '../refusals/package-error.js';

const DRIVE_LETTER = /^[a-z]:/i;

/**
 * The name of an archive member as the rest of the house may use it: relative, with forward slashes, without `.` and empty
 * segments. A directory keeps its trailing slash.
 * @throws PackageError `csar.member-name` for anything that could lead out of a folder on some system: an absolute path, a
 * drive letter, `..`, a backslash; and for control characters, undecodable bytes, an empty or too long name.
 */
export function safeMemberName(name: string, nameBytes: number): string {
  const refuse = (reason: string) => new PackageError('csar.member-name', reason, { member: name });
  if (Buffer.byteLength(name) > nameBytes) throw refuse(`the name is longer than ${nameBytes} bytes`);
  if (name.includes('\0')) throw refuse('the name contains a NUL byte');
  if (Array.from(name).some(isControl)) throw refuse('the name contains a control character');
  if (name.includes('\ufffd')) throw refuse('the name is not valid UTF-8');
  if (name.includes('\\')) throw refuse('the name contains a backslash; separate folders by "/"');
  if (name.startsWith('/')) throw refuse('the name is an absolute path');
  const segments = name.split('/');
  if (segments.includes('..')) throw refuse('the name leads out of the package by ".."');
  const kept = segments.filter((segment) => segment !== '' && segment !== '.');
  if (kept.length === 0) throw refuse('the name is empty');
  if (DRIVE_LETTER.test(kept[0] ?? '')) throw refuse('the name begins with a drive letter'); // also behind "./"
  return kept.join('/') + (name.endsWith('/') ? '/' : '');
}

/**
 * A path that a file of the package writes (`../Files/images/x.img` in `Definitions/df.yaml`), as a member name.
 * Returns undefined if it leads out of the package or is no relative path at all.
 */
export function resolveInPackage(path: string, fromFile = ''): string | undefined {
  if (path === '' || path.includes('\\') || path.includes('\0') || path.startsWith('/') || /^[a-z][a-z0-9+.-]*:/i.test(path)) {
    return undefined;
  }
  const resolved = fromFile.split('/').slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') resolved.push(segment);
    else if (resolved.pop() === undefined) return undefined;
  }
  return resolved.length === 0 || DRIVE_LETTER.test(resolved[0] ?? '') ? undefined : resolved.join('/');
}

/** Why `resolveInPackage` takes no such path from the root, as the end of a sentence. */
export const whyUnresolved = (path: string): string =>
  path.includes('\\') ? 'its path has a backslash' : 'its path leads out of the package';

/** The last segment of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Files that a Mac or Windows puts beside everybody's own into a zip: `__MACOSX/`, `._vnfd.yaml`, `.DS_Store`, `Thumbs.db`. No package means them. */
export const isDesktopFile = (name: string): boolean =>
  name.split('/').includes('__MACOSX') || /(^|\/)(?:\._[^/]*|\.DS_Store|Thumbs\.db|ehthumbs\.db|desktop\.ini)$/i.test(name);
