import { shape, type OfMembers, type TypeOf } from '@windlass/foundation';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { sealedBoxSchema } from '../sealing/sealed-box.js';

const place = {
  vnfPkgId: shape.text({ format: 'uuid' }),
  /** Path in the package. */
  path: shape.text({ minLength: 1, maxLength: 1024 }),
  offset: shape.integer({ minimum: 0 }),
};

/** Where a part of a file begins. */
export type PackagePlace = OfMembers<typeof place>;

const partRequest = shape.closed({
  ...place,
  /** At most 512 KiB: in base64 and an envelope that stays below NATS's 1 MiB. */
  length: shape.integer({ minimum: 1, maximum: 524_288 }),
  /** The asking service. */
  service: shape.text({ minLength: 1, maxLength: 255 }),
  /** The thumbprint of its enrolled key. */
  keyId: shape.text({ pattern: '^[A-Za-z0-9_-]{43}$' }),
});

export type PackagePartRequest = TypeOf<typeof partRequest>;

const partReply = shape.object({
  /** The bytes, shorter than asked for only at the end; sealed to the asker's key under {@link packageAad}. */
  sealed: sealedBoxSchema,
  /** Of the whole file. */
  size: shape.integer({ minimum: 0 }),
});

export type PackagePartReply = TypeOf<typeof partReply>;

const bytes = shape.integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const archivedFile = {
  /** Bytes of the content. */
  size: bytes,
  /** Bytes in the archive. */
  archivedSize: bytes,
  /** Whether the archived bytes are the content deflated (RFC 1951), or the content itself. */
  deflated: shape.flag,
  /** Of the content. */
  crc32: shape.integer({ minimum: 0, maximum: 4_294_967_295 }),
};

/** What the archive's directory says of a file: its content is made of the archived bytes, and held to this. */
export type ArchivedFile = OfMembers<typeof archivedFile>;

const archivedPartReply = shape.object({
  /** Bytes as they lie in the archive, shorter than asked for only at the end; sealed to the asker's key under {@link archivedAad}. */
  sealed: sealedBoxSchema,
  ...archivedFile,
});

export type ArchivedPartReply = TypeOf<typeof archivedPartReply>;

/** Binds a sealed part to its place. */
export const packageAad = ({ vnfPkgId, path, offset }: PackagePlace, size: number): string =>
  `windlass package ${vnfPkgId} ${offset} of ${size} ${path}`;

/** Binds a sealed part of the archived bytes to its place, and to what the file is said to be. */
export const archivedAad = (
  { vnfPkgId, path, offset }: PackagePlace,
  { size, archivedSize, deflated, crc32 }: ArchivedFile,
): string =>
  `windlass package archived ${vnfPkgId} ${offset} of ${archivedSize} ${deflated ? 'deflated' : 'stored'} ${size} ${crc32} ${path}`;

/** How workers of before {@link archivedPartContract} ask: parts of the content, for each of which a deflated file is inflated from its beginning. */
export const packagePartContract = defineContract({
  name: 'package.part',
  subject: subjects.package('part'),
  request: message(shape.titled('Reads a part of a file of a VNF package', partRequest)),
  reply: message(shape.titled('The part, sealed to the key that the request names', partReply)),
});

/** Parts of a file as it lies in the archive: each costs what it holds, whoever answers, in any order; the asker inflates (ADR 26). */
export const archivedPartContract = defineContract({
  name: 'package.archived-part',
  subject: subjects.package('archived-part'),
  request: message(
    shape.titled(
      'Reads a part of a file of a VNF package as it lies in the archive: offset and length count archived bytes',
      partRequest,
    ),
  ),
  reply: message(
    shape.titled(
      'The archived bytes, sealed to the key that the request names, and what the file must come to',
      archivedPartReply,
    ),
  ),
});
