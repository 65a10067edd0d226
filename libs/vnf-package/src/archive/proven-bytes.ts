import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { CsarMember } from './csar-member.js';
import { PackageError } from '../refusals/package-error.js';

/** What a zip's directory announces of a member, as far as its content must hold it. */
export type AnnouncedMember = Pick<CsarMember, 'name' | 'size' | 'deflated' | 'crc32'>;

/**
 * The inflated bytes of a member, made of all its bytes as they lie in the archive. What really comes out of the inflater is counted and may
 * not exceed what is announced: so limits that were checked on the announcement, of size and ratio, hold for what is really inflated. Read to
 * its end, the member's length and CRC-32 are proven.
 * @throws PackageError `csar.size-mismatch`, `csar.corrupt`; and what `archived` throws, as it is
 */
export async function* provenBytes(member: AnnouncedMember, archived: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let seen = 0;
  let crc = 0;
  for await (const chunk of inflatedBytes(member, archived)) {
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

async function* inflatedBytes({ name, deflated }: AnnouncedMember, archived: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (!deflated) {
    yield* archived;
    return;
  }
  const inflate = createInflateRaw({ chunkSize: 64 * 1_024 });
  // `pipeline` destroys `inflate` with the error of either, and the loop below throws it.
  pipeline(Readable.from(archived, { highWaterMark: 1 }), inflate, () => undefined);
  try {
    for await (const chunk of inflate) yield chunk as Buffer;
  } catch (error) {
    if (!isOfInflater(error)) throw error;
    throw new PackageError('csar.corrupt', `can't be inflated: ${error.message}`, { member: name, cause: error });
  }
}

/** zlib's own verdict on the bytes (`Z_DATA_ERROR`, `Z_BUF_ERROR`), and not what their reader met. */
const isOfInflater = (error: unknown): error is Error =>
  error instanceof Error && (error as NodeJS.ErrnoException).code?.startsWith('Z_') === true;
