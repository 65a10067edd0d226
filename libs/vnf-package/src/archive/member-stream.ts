import { WindlassError } from '@windlass/foundation';
import type { Entry, ZipFile } from 'yauzl';
import type { CsarMember } from './csar-member.js';
import { readExactly, type CsarSource } from '../source/csar-source.js';
import { provenBytes } from './proven-bytes.js';
import { PackageError } from '../refusals/package-error.js';

/** A part of a member, in inflated bytes. */
export interface MemberRange {
  /** First byte wanted; 0 by default. */
  start?: number;
  /** One past the last byte wanted; the member's size by default. */
  end?: number;
  signal?: AbortSignal;
}

/** A member and where its bytes are found. */
export interface OpenMember {
  readonly source: CsarSource;
  readonly zip: ZipFile;
  readonly entry: Entry;
  readonly member: CsarMember;
}

const READ_BYTES = 256 * 1_024;

/**
 * The inflated bytes of one member, or of a range of it, proven as {@link provenBytes} says. A range of a deflated member is inflated from the
 * member's beginning: whoever wants all of a large one in parts asks for {@link archivedBytes} and inflates as they come.
 */
export async function* memberBytes(open: OpenMember, range: MemberRange = {}): AsyncGenerator<Buffer> {
  const { member } = open;
  const start = range.start ?? 0;
  const end = Math.min(range.end ?? member.size, member.size);
  let at = 0;
  for await (const chunk of provenBytes(member, allArchivedBytes(open, range.signal))) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, chunk.length);
    at += chunk.length;
    if (to > from) yield chunk.subarray(from, to);
    if (at >= end && end < member.size) return; // the rest is not wanted: its CRC can't be proven, and reading on would cost the whole member
  }
}

/** Bytes of one member as they lie in the archive: at most `length`, and fewer at its end. Costs the bytes asked for, wherever they lie. */
export async function archivedBytes(open: OpenMember, offset: number, length: number): Promise<Buffer> {
  const { source, member } = open;
  const end = Math.min(offset + length, member.compressedSize);
  if (offset >= end) return Buffer.alloc(0);
  return readExactly(source, (await dataStart(open)) + offset, end - offset);
}

/** The bytes of a stored member as a source of their own. @throws PackageError `csar.corrupt`, `csar.malformed` */
export async function memberSource(open: OpenMember): Promise<CsarSource> {
  const { source, member } = open;
  const start = await dataStart(open);
  if (start + member.size > source.size)
    throw new PackageError('csar.corrupt', 'ends after the zip does', { member: member.name });
  return {
    size: member.size,
    read: (offset, length) => source.read(start + offset, length),
    close: async () => source.close?.(),
  };
}

async function* allArchivedBytes(open: OpenMember, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const { compressedSize } = open.member;
  const start = await dataStart(open);
  for (let at = 0; at < compressedSize; at += READ_BYTES) {
    signal?.throwIfAborted();
    yield await readExactly(open.source, start + at, Math.min(READ_BYTES, compressedSize - at));
  }
}

/** Where the member's bytes begin; its local header must tell the same story as the directory. */
async function dataStart({ zip, entry, member }: OpenMember): Promise<number> {
  const header = await zip.readLocalFileHeaderPromise(entry).catch((error: unknown) => {
    if (error instanceof WindlassError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new PackageError('csar.corrupt', `can't be inflated: ${reason}`, { member: member.name, cause: error });
  });
  if (!header.fileName.equals(entry.fileNameRaw)) {
    throw new PackageError('csar.malformed', 'its own header in the zip carries another name', { member: member.name });
  }
  return header.fileDataStart;
}
