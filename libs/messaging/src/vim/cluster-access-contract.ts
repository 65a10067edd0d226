import { defineContract } from '../contracts/contract.js';
import { sealedBoxSchema, type SealedBox } from '../sealing/sealed-box.js';
import { subjects } from '../contracts/subjects.js';
import { authoritySchema, type Administrated } from './vim-administration.js';
import { trailedRequest, type TrailedRequest } from './vim-contracts.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'string', minLength: 1, maxLength: 255 } as const;

/** Whose cluster is to be opened, and for whom. */
export interface ClusterAccessRequest {
  tenant: string;
  vnfInstanceId: string;
  /** The X25519 key that the answer is sealed to, base64url; made for this request. */
  sealTo: string;
  /** The registry writes its entry of the audit trail before it answers. */
  request: TrailedRequest;
}

/** What opens the cluster that a VNF instance has deployed. Goes sealed. */
export interface RegisteredCluster {
  /** Of the VIM. */
  name: string;
  authUrl: string;
  token: string;
  /** PEM; absent where the VIM was registered without it. */
  ca?: string;
}

/**
 * Gives what opens the cluster that a VNF instance has deployed, sealed to a key of the request and bound to its authority: only who holds the
 * master key can have sealed it. That it was given is an entry of the audit trail; where none can be written, nothing is given.
 */
export const clusterAccessContract = defineContract<Administrated<ClusterAccessRequest>, { sealed: SealedBox }>({
  name: 'vim.cluster-access',
  subject: subjects.vim('cluster-access'),
  request: {
    $schema: draft,
    title: 'Whose cluster is to be opened, and the key to seal to',
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'vnfInstanceId', 'sealTo', 'request', 'authority'],
    properties: {
      tenant: text,
      vnfInstanceId: { type: 'string', format: 'uuid' },
      sealTo: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
      request: trailedRequest,
      authority: authoritySchema,
    },
  },
  reply: {
    $schema: draft,
    title: 'A sealed RegisteredCluster',
    type: 'object',
    additionalProperties: false,
    required: ['sealed'],
    properties: { sealed: sealedBoxSchema },
  },
});
