import { shape, type OfMembers } from '@windlass/foundation';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { sealedBoxSchema } from '../sealing/sealed-box.js';
import { administrated } from './vim-administration.js';
import { trailed } from './vim-contracts.js';

const asked = {
  tenant: shape.text({ minLength: 1, maxLength: 255 }),
  vnfInstanceId: shape.text({ format: 'uuid' }),
  /** The X25519 key that the answer is sealed to, base64url; generated for this request. */
  sealTo: shape.text({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  /** The REST request. The registry writes its entry of the audit trail before it answers. */
  ...trailed,
};

/** The VNF instance whose cluster is to be opened, and the key that the answer is for. */
export type ClusterAccessRequest = OfMembers<typeof asked>;

/** What opens the cluster that a VNF instance has deployed. It is sent sealed. */
export interface RegisteredCluster {
  /** The name of the VIM. */
  name: string;
  authUrl: string;
  token: string;
  /** PEM; absent where the VIM was registered without it. */
  ca?: string;
}

/**
 * Gives what opens the cluster that a VNF instance has deployed. The answer is sealed to a key of the request and bound to the request's
 * authority: only a holder of the master key can have sealed it. The audit trail gets an entry before the answer; without the entry there is no
 * answer.
 */
export const clusterAccessContract = defineContract({
  name: 'vim.cluster-access',
  subject: subjects.vim('cluster-access'),
  request: message(
    shape.titled('Whose cluster is to be opened, and the key to seal to', shape.closed({ ...asked, ...administrated })),
  ),
  reply: message(shape.titled('A sealed RegisteredCluster', shape.closed({ sealed: sealedBoxSchema }))),
});
