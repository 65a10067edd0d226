import { defineContract, type JsonSchema } from '../contracts/contract.js';
import { sealedBoxSchema, type SealedBox } from '../sealing/sealed-box.js';
import { subjects } from '../contracts/subjects.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';

/** Where a part of a file begins. */
export interface PackagePlace {
  vnfPkgId: string;
  /** Path in the package. */
  path: string;
  offset: number;
}

export interface PackagePartRequest extends PackagePlace {
  /** At most 512 KiB: in base64 and an envelope that stays below NATS's 1 MiB. */
  length: number;
  /** The asking service, and the thumbprint of its enrolled key. */
  service: string;
  keyId: string;
}

export interface PackagePartReply {
  /** The bytes, shorter than asked for only at the end; sealed to the asker's key under {@link packageAad}. */
  sealed: SealedBox;
  /** Of the whole file. */
  size: number;
}

/** What the archive's directory says of a file: its content is made of the archived bytes, and held to this. */
export interface ArchivedFile {
  /** Bytes of the content. */
  size: number;
  /** Bytes in the archive. */
  archivedSize: number;
  /** Whether the archived bytes are the content deflated (RFC 1951), or the content itself. */
  deflated: boolean;
  /** Of the content. */
  crc32: number;
}

export interface ArchivedPartReply extends ArchivedFile {
  /** Bytes as they lie in the archive, shorter than asked for only at the end; sealed to the asker's key under {@link archivedAad}. */
  sealed: SealedBox;
}

/** Binds a sealed part to its place. */
export const packageAad = ({ vnfPkgId, path, offset }: PackagePlace, size: number): string =>
  `windlass package ${vnfPkgId} ${offset} of ${size} ${path}`;

/** Binds a sealed part of the archived bytes to its place, and to what the file is said to be. */
export const archivedAad = (
  { vnfPkgId, path, offset }: PackagePlace,
  { size, archivedSize, deflated, crc32 }: ArchivedFile,
): string =>
  `windlass package archived ${vnfPkgId} ${offset} of ${archivedSize} ${deflated ? 'deflated' : 'stored'} ${size} ${crc32} ${path}`;

const partRequest = (title: string): JsonSchema => ({
  $schema: draft,
  title,
  type: 'object',
  additionalProperties: false,
  required: ['vnfPkgId', 'path', 'offset', 'length', 'service', 'keyId'],
  properties: {
    vnfPkgId: { type: 'string', format: 'uuid' },
    path: { type: 'string', minLength: 1, maxLength: 1024 },
    offset: { type: 'integer', minimum: 0 },
    length: { type: 'integer', minimum: 1, maximum: 524_288 },
    service: { type: 'string', minLength: 1, maxLength: 255 },
    keyId: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
  },
});

/** How workers of before {@link archivedPartContract} ask: parts of the content, for each of which a deflated file is inflated from its beginning. */
export const packagePartContract = defineContract<PackagePartRequest, PackagePartReply>({
  name: 'package.part',
  subject: subjects.package('part'),
  request: partRequest('Reads a part of a file of a VNF package'),
  reply: {
    $schema: draft,
    title: 'The part, sealed to the key that the request names',
    type: 'object',
    required: ['sealed', 'size'],
    properties: { sealed: sealedBoxSchema, size: { type: 'integer', minimum: 0 } },
  },
});

/** Parts of a file as it lies in the archive: each costs what it holds, whoever answers, in any order; the asker inflates (ADR 26). */
export const archivedPartContract = defineContract<PackagePartRequest, ArchivedPartReply>({
  name: 'package.archived-part',
  subject: subjects.package('archived-part'),
  request: partRequest(
    'Reads a part of a file of a VNF package as it lies in the archive: offset and length count archived bytes',
  ),
  reply: {
    $schema: draft,
    title: 'The archived bytes, sealed to the key that the request names, and what the file must come to',
    type: 'object',
    required: ['sealed', 'size', 'archivedSize', 'deflated', 'crc32'],
    properties: {
      sealed: sealedBoxSchema,
      size: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      archivedSize: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      deflated: { type: 'boolean' },
      crc32: { type: 'integer', minimum: 0, maximum: 4_294_967_295 },
    },
  },
});
