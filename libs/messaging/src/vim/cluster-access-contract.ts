import { shape, type OfMembers } from '@windlass/foundation';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { sealedBoxSchema } from '../sealing/sealed-box.js';
import { administrated } from './vim-administration.js';
import { trailed } from './vim-contracts.js';

const asked = {
  tenant: shape.text({ minLength: 1, maxLength: 255 }),
  vnfInstanceId: shape.text({ format: 'uuid' }),
  /** The X25519 key that the answer is sealed to, base64url; made for this request. */
  sealTo: shape.text({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  /** The registry writes its entry of the audit trail before it answers. */
  ...trailed,
};

/** Whose cluster is to be opened, and for whom. */
export type ClusterAccessRequest = OfMembers<typeof asked>;

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
export const clusterAccessContract = defineContract({
  name: 'vim.cluster-access',
  subject: subjects.vim('cluster-access'),
  request: message(
    shape.titled('Whose cluster is to be opened, and the key to seal to', shape.closed({ ...asked, ...administrated })),
  ),
  reply: message(shape.titled('A sealed RegisteredCluster', shape.closed({ sealed: sealedBoxSchema }))),
});
