import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { WindlassError } from '@windlass/foundation';
import type { Entry, ZipFile } from 'yauzl';
import type { CsarMember } from './csar-member.js';
import { readExactly, type CsarSource } from './csar-source.js';
import { PackageError } from '../package-error.js';

/** A part of a member, in inflated bytes. */
export interface MemberRange {
  /** First byte wanted; 0 by default. */
  start?: number;
  /** One past the last byte wanted; the member's size by default. */
  end?: number;
  signal?: AbortSignal;
}

interface OpenMember {
  readonly source: CsarSource;
  readonly zip: ZipFile;
  readonly entry: Entry;
  readonly member: CsarMember;
}

const READ_BYTES = 256 * 1_024;

/**
 * The inflated bytes of one member, or of a range of it. What really comes out of the inflater is counted and may not exceed what
 * the directory announced, and no more is read than it announced: so the limits that were checked there, of size and ratio, hold
 * for what is really inflated. Read to its end, the member's length and CRC-32 are proven.
 */
export async function* memberBytes(open: OpenMember, range: MemberRange = {}): AsyncGenerator<Buffer> {
  const { member } = open;
  const start = range.start ?? 0;
  const end = Math.min(range.end ?? member.size, member.size);
  let at = 0;
  for await (const chunk of provenBytes(open, range.signal)) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, chunk.length);
    at += chunk.length;
    if (to > from) yield chunk.subarray(from, to);
    if (at >= end && end < member.size) return; // the rest is not wanted: its CRC can't be proven, and reading on would cost the whole member
  }
}

async function* provenBytes(open: OpenMember, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const { member } = open;
  let seen = 0;
  let crc = 0;
  for await (const chunk of inflatedBytes(open, signal)) {
    seen += chunk.length;
    if (seen > member.size) {
      throw new PackageError('csar.size-mismatch', `inflates to more than the ${member.size} bytes that the zip announces`, {
        member: member.name,
      });
    }
    crc = crc32(chunk, crc);
    yield chunk;
  }
  if (seen !== member.size) {
    throw new PackageError('csar.size-mismatch', `inflates to ${seen} bytes where the zip announces ${member.size}`, {
      member: member.name,
    });
  }
  if (crc !== member.crc32)
    throw new PackageError('csar.corrupt', 'its content does not match its CRC-32', { member: member.name });
}

async function* inflatedBytes(open: OpenMember, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const { member } = open;
  try {
    const begin = await dataStart(open);
    const compressed = readRange(open.source, begin, begin + member.compressedSize, signal);
    if (!member.deflated) {
      yield* compressed;
      return;
    }
    const inflate = createInflateRaw({ chunkSize: 64 * 1_024 });
    // The callback has nothing to do: `pipeline` destroys `inflate` with the error, and the loop below throws it.
    pipeline(Readable.from(compressed, { highWaterMark: 2 }), inflate, () => undefined);
    for await (const chunk of inflate) yield chunk as Buffer;
  } catch (error) {
    if (error instanceof WindlassError || signal?.aborted === true) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new PackageError('csar.corrupt', `can't be inflated: ${reason}`, { member: member.name, cause: error });
  }
}

/** Where the member's bytes begin; its local header must tell the same story as the directory. */
async function dataStart({ zip, entry, member }: OpenMember): Promise<number> {
  const header = await zip.readLocalFileHeaderPromise(entry);
  if (!header.fileName.equals(entry.fileNameRaw)) {
    throw new PackageError('csar.malformed', 'its own header in the zip carries another name', { member: member.name });
  }
  return header.fileDataStart;
}

async function* readRange(
  source: CsarSource,
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += READ_BYTES) {
    signal?.throwIfAborted();
    yield await readExactly(source, at, Math.min(READ_BYTES, end - at));
  }
}
