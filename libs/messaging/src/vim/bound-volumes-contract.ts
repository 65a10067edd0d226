import { defineContract } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { authoritySchema, type Administrated } from './vim-administration.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'string', minLength: 1, maxLength: 255 } as const;

/** Which VNF instance's cluster is looked at. */
export interface BoundVolumesRequest {
  tenant: string;
  vnfInstanceId: string;
}

/** A PersistentVolume that is in use. */
export interface BoundVolume {
  name: string;
  /** Of whom: `namespace/name`; null where the cluster does not say. */
  claim: string | null;
}

/** What the cluster says. */
export interface BoundVolumesReply {
  /** Those that the instance registered there and that are Bound. */
  bound: BoundVolume[];
  /** Why it said nothing, in words that hold no secret; null where it did. */
  unanswered: string | null;
}

/** Asks the cluster that a VNF instance is, with the credentials that it was registered with, which of the instance's PersistentVolumes are in use. */
export const boundVolumesContract = defineContract<Administrated<BoundVolumesRequest>, BoundVolumesReply>({
  name: 'vim.bound-volumes',
  subject: subjects.vim('bound-volumes'),
  request: {
    $schema: draft,
    title: 'Whose PersistentVolumes are looked for',
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'vnfInstanceId', 'authority'],
    properties: { tenant: text, vnfInstanceId: { type: 'string', format: 'uuid' }, authority: authoritySchema },
  },
  reply: {
    $schema: draft,
    title: 'PersistentVolumes in use, or why they are not known',
    type: 'object',
    additionalProperties: false,
    required: ['bound', 'unanswered'],
    properties: {
      bound: {
        type: 'array',
        maxItems: 1_000,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name', 'claim'],
          properties: { name: text, claim: { type: ['string', 'null'], maxLength: 512 } },
        },
      },
      unanswered: { type: ['string', 'null'], maxLength: 1_000 },
    },
  },
});
