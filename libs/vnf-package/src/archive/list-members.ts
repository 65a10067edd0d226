import { WindlassError } from '@windlass/foundation';
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import type { CsarMember } from './csar-member.js';
import type { CsarSource } from '../source/csar-source.js';
import { isDesktopFile, safeMemberName } from './member-name.js';
import { SourceReader } from '../source/source-reader.js';
import { otherFileKind } from '../kinds/file-kind.js';
import { describeBytes, type CsarLimits } from '../refusals/limits.js';
import { PackageError, printableName } from '../refusals/package-error.js';

/** A zip's directory after every check that needs no content. */
export interface MemberList {
  readonly zip: ZipFile;
  /** By name. */
  readonly members: ReadonlyMap<string, { readonly member: CsarMember; readonly entry: Entry }>;
  /** Files that a desktop put there, which are no members. */
  readonly leftOut: readonly string[];
  /** The folder around everything that the names are without. */
  readonly topFolder?: string;
}

/**
 * Reads the directory of a zip and refuses what must never be read: names that lead out, duplicates, links, encryption, and
 * members that are too many, too large or lie over each other. Nothing is inflated.
 * @throws PackageError with code `csar.*`, naming the member.
 */
export async function listMembers(source: CsarSource, limits: CsarLimits, signal?: AbortSignal): Promise<MemberList> {
  if (source.size > limits.packageBytes) {
    throw new PackageError(
      'csar.too-large',
      `the package is ${describeBytes(source.size)}; at most ${describeBytes(limits.packageBytes)} are accepted`,
    );
  }
  const zip = await openZip(source);
  if (zip.entryCount > limits.members) {
    throw new PackageError(
      'csar.too-many-members',
      `the package has ${zip.entryCount} members; at most ${limits.members} are accepted`,
    );
  }
  const members = new Map<string, { member: CsarMember; entry: Entry }>();
  const folders = new Set<string>();
  const leftOut: string[] = [];
  let total = 0;
  for await (const entry of entriesOf(zip)) {
    signal?.throwIfAborted();
    const name = checkedName(entry, limits);
    if (name.endsWith('/')) {
      folders.add(name.slice(0, -1));
      continue;
    }
    if (members.has(name))
      throw new PackageError('csar.duplicate-member', 'the package has two members of this name', { member: name });
    if (isDesktopFile(name)) {
      leftOut.push(name);
      continue;
    }
    const member = checkedMember(name, entry, limits);
    total += member.size;
    if (total > limits.totalBytes) {
      throw new PackageError(
        'csar.total-too-large',
        `with this member the package inflates to more than ${describeBytes(limits.totalBytes)}`,
        {
          member: name,
        },
      );
    }
    members.set(name, { member, entry });
  }
  refuseFilesThatAreFolders(members, folders);
  refuseOverlaps([...members.values()]);
  return { zip, members, leftOut };
}

/**
 * The list without the folder around everything that a package or its envelope was zipped with: names in a package begin at its root. One with a
 * TOSCA.meta or a CSAR in its only folder is meant so.
 */
export function withoutTopFolder(list: MemberList): MemberList {
  const names = [...list.members.keys()];
  const folder = /^[^/]+\//.exec(names[0] ?? '')?.[0];
  if (folder === undefined || !names.every((name) => name.startsWith(folder))) return list;
  const within = (name: string) => name.slice(folder.length);
  if (!names.some((name) => /^(?:TOSCA-Metadata\/TOSCA\.meta|[^/]+\.csar)$/i.test(within(name)))) return list;
  const entries = [...list.members].map(
    ([name, { member, entry }]) => [within(name), { member: { ...member, name: within(name) }, entry }] as const,
  );
  return { ...list, members: new Map(entries), topFolder: folder };
}

async function openZip(source: CsarSource): Promise<ZipFile> {
  try {
    return await fromRandomAccessReaderPromise(new SourceReader(source), source.size, {
      autoClose: false,
      decodeStrings: false, // names are decoded and checked here, so that a refusal can name the member
      validateEntrySizes: true,
    });
  } catch (error) {
    if (error instanceof WindlassError) throw error;
    const kind = await otherFileKind(source);
    if (kind !== undefined) throw new PackageError('package.other-kind', kind, { cause: error });
    throw asPackageError(error, source.size === 0 ? 'the file is empty' : 'this is not a zip file, or it is cut short');
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  let last = 'the beginning of the directory';
  try {
    for await (const entry of zip.eachEntry()) {
      last = `member ${printableName(entry.fileNameRaw.toString('utf8'))}`;
      yield entry;
    }
  } catch (error) {
    const encrypted = error instanceof Error && error.message.includes('encryption');
    throw asPackageError(error, `after ${last}`, encrypted ? 'csar.encrypted' : 'csar.malformed');
  }
}

/** yauzl's own words about a malformed zip, with where; errors of ours, such as a store that failed, stay themselves. */
function asPackageError(
  error: unknown,
  where: string,
  code: 'csar.malformed' | 'csar.encrypted' = 'csar.malformed',
): WindlassError {
  if (error instanceof WindlassError) return error;
  return new PackageError(code, `${where}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

function checkedName(entry: Entry, limits: CsarLimits): string {
  const decoded = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
  return safeMemberName(decoded, limits.nameBytes);
}

const FILE_TYPE = 0o170_000;
const REGULAR_FILE = 0o100_000;

function checkedMember(name: string, entry: Entry, limits: CsarLimits): CsarMember {
  const refuse = (code: PackageError['code'], reason: string) => new PackageError(code, reason, { member: name });
  const unixMode = entry.externalFileAttributes >>> 16;
  const type = unixMode & FILE_TYPE;
  if (type !== 0 && type !== REGULAR_FILE) {
    throw refuse('csar.special-file', `only regular files are accepted, this is ${describeFileType(type)}`);
  }
  if (entry.isEncrypted()) throw refuse('csar.encrypted', 'encrypted members are not accepted');
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    throw refuse(
      'csar.compression-method',
      `compression method ${entry.compressionMethod}; only "stored" and "deflated" are read`,
    );
  }
  const sizes = { name, size: entry.uncompressedSize, compressedSize: entry.compressedSize };
  checkAnnouncedSizes(sizes, limits);
  return {
    ...sizes,
    deflated: entry.compressionMethod === 8,
    crc32: entry.crc32,
    mode: unixMode & 0o7_777,
  };
}

/**
 * Refuses a member that announces too much, or too much for its bytes in the archive.
 * @throws PackageError `csar.member-too-large`, `csar.compression-ratio`
 */
export function checkAnnouncedSizes(
  { name, size, compressedSize }: Pick<CsarMember, 'name' | 'size' | 'compressedSize'>,
  limits: Pick<CsarLimits, 'memberBytes' | 'ratio' | 'ratioFloorBytes'>,
): void {
  if (size > limits.memberBytes) {
    throw new PackageError(
      'csar.member-too-large',
      `inflates to ${describeBytes(size)}; at most ${describeBytes(limits.memberBytes)} are accepted`,
      { member: name },
    );
  }
  if (size <= limits.ratioFloorBytes || size <= compressedSize * limits.ratio) return;
  throw new PackageError(
    'csar.compression-ratio',
    `${describeBytes(compressedSize)} inflate to ${describeBytes(size)}, over ${limits.ratio} times; store a sparse image uncompressed or as qcow2`,
    { member: name },
  );
}

function describeFileType(type: number): string {
  const names: Record<number, string> = {
    0o120_000: 'a symbolic link',
    0o040_000: 'a directory',
    0o060_000: 'a device',
    0o020_000: 'a device',
  };
  return names[type] ?? `of file type ${type.toString(8)}`;
}

/** `a` and `a/b` can't both exist on any disk; whoever ships such a pair means one of them to be overlooked. */
function refuseFilesThatAreFolders(members: ReadonlyMap<string, unknown>, folders: Set<string>): void {
  for (const name of members.keys()) {
    for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) folders.add(name.slice(0, slash));
  }
  for (const folder of folders) {
    if (members.has(folder)) throw new PackageError('csar.duplicate-member', 'is both a file and a folder', { member: folder });
  }
}

const LOCAL_HEADER_BYTES = 30;

/** Members that share bytes are how a small zip inflates to terabytes without a single high ratio. */
function refuseOverlaps(members: { member: CsarMember; entry: Entry }[]): void {
  const sorted = members.toSorted((a, b) => a.entry.relativeOffsetOfLocalHeader - b.entry.relativeOffsetOfLocalHeader);
  let end = 0;
  for (const { member, entry } of sorted) {
    if (entry.relativeOffsetOfLocalHeader < end) {
      throw new PackageError('csar.overlapping-members', 'lies over another member of the zip', { member: member.name });
    }
    end = entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.fileNameLength + entry.compressedSize;
  }
}
