import { defineContract } from '../contracts/contract.js';
import { sealedBoxSchema, type SealedBox } from '../sealing/sealed-box.js';
import { subjects } from '../subjects.js';

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

/** Binds a sealed part to its place. */
export const packageAad = ({ vnfPkgId, path, offset }: PackagePlace, size: number): string =>
  `windlass package ${vnfPkgId} ${offset} of ${size} ${path}`;

export const packagePartContract = defineContract<PackagePartRequest, PackagePartReply>({
  name: 'package.part',
  subject: subjects.package('part'),
  request: {
    $schema: draft,
    title: 'Reads a part of a file of a VNF package',
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
  },
  reply: {
    $schema: draft,
    title: 'The part, sealed to the key that the request names',
    type: 'object',
    required: ['sealed', 'size'],
    properties: { sealed: sealedBoxSchema, size: { type: 'integer', minimum: 0 } },
  },
});
