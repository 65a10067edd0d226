import { shape, type JsonSchema, type Members, type OfMembers, type TypeOf } from '@windlass/foundation';
import { defineContract, message, type Contract } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import type { ClaimIdentity } from '../enrolment/claim-proof.js';
import { sealedBoxSchema } from '../sealing/sealed-box.js';

const text = shape.text({ minLength: 1, maxLength: 255 });
const digest = shape.text({ pattern: '^[A-Za-z0-9_-]{43}$' });
/** Type and base64 in one line, as in a known_hosts file. */
const hostKey = shape.text({ minLength: 1, maxLength: 16_384 });

/** The claim, and the proof that the sender holds it. */
const holder = {
  operationId: shape.text({ format: 'uuid' }),
  stepId: shape.text({ minLength: 1, maxLength: 1_024 }),
  /** The epoch of the claim, not of the wake-up. */
  epoch: shape.integer({ minimum: 0 }),
  service: text,
  keyId: digest,
  proof: digest,
};

/** A request on behalf of a claim. Project and VNF instance are those of the claim's operation; the asker can't choose them. */
export type ClaimedRequest<Body> = Body & OfMembers<typeof holder>;
/** An answer, which the claim's secret proves too, for the request that is answered. */
export type ClaimedReply<Body> = Body & { proof: string };

interface ClaimContractParts<Request extends Members, Reply extends Members> {
  verb: string;
  title: string;
  request: Request;
  reply: { title: string; members: Reply };
}

/** The schemas of these messages have their title behind what they let through. */
function claimMessage(title: string, members: Members): JsonSchema {
  const { type, additionalProperties, ...rest } = shape.closed(members);
  return message({ type, additionalProperties, title, ...rest });
}

/** A verb that a claim's holder may ask for; the request is proven as a whole, as {@link ClaimedRequest} says. */
export function vimClaimContract<Request extends Members, Reply extends Members>({
  verb,
  title,
  request,
  reply,
}: ClaimContractParts<Request, Reply>): Contract<ClaimedRequest<OfMembers<Request>>, ClaimedReply<OfMembers<Reply>>> {
  return defineContract({
    name: `vim-claim.${verb}`,
    subject: subjects.vimClaim(verb),
    request: shape.of(claimMessage(title, { ...holder, ...request })),
    reply: shape.of(claimMessage(reply.title, { ...reply.members, proof: digest })),
  });
}

/** The registry's public key, which a cluster's registration is sealed to. */
export const registryKeyContract = vimClaimContract({
  verb: 'key',
  title: 'Which key to seal to',
  request: {},
  reply: { title: 'X25519, base64url', members: { publicKey: digest } },
});

/** The cluster that a VNF instance is. It is sent sealed: it holds a credential. */
export interface ClusterRegistration {
  name: string;
  description: string;
  /** `https`, at an address of a VNFC, a CP or a floating IP of the instance. */
  auth_url: string;
  auth_cred: { bearer_token: string; ssl_ca_cert: string };
}

const cluster = shape.closed({ id: text, name: text, auth_url: shape.text() });

/** A registered cluster as its own instance's steps see it. */
export type ClusterView = TypeOf<typeof cluster>;

/** Registers the cluster of the claim's instance as a Kubernetes VIM, under the id that the instance decides. One that is there is answered. */
export const registerClusterContract = vimClaimContract({
  verb: 'register-cluster',
  title: 'The cluster of the claim’s VNF instance, to be registered; a sealed ClusterRegistration',
  request: { sealed: sealedBoxSchema },
  reply: { title: 'The registered cluster', members: { vim: cluster } },
});

/** The registered cluster of the claim's instance, and what uses it. */
export const showClusterContract = vimClaimContract({
  verb: 'show-cluster',
  title: 'The registered cluster of the claim’s VNF instance',
  request: {},
  reply: {
    title: 'The cluster, absent where none is registered; and the VNF instances that use it',
    members: { vim: shape.optional(cluster), vnfInstanceIds: shape.list({ items: text }) },
  },
});

/** Takes the cluster of the claim's instance out of the registry. A cluster that is not registered is no error. */
export const removeClusterContract = vimClaimContract({
  verb: 'remove-cluster',
  title: 'The cluster of the claim’s VNF instance, to be removed from the registry',
  request: {},
  reply: { title: 'Whether it was there', members: { removed: shape.flag } },
});

const askedHostKey = {
  /** The machine: `computeResource.resourceId` of a VNFC of the claim's operation. */
  resourceId: text,
  /** The key to pin, where no key is pinned yet. */
  key: shape.optional(hostKey),
};

export type HostKeyRequest = OfMembers<typeof askedHostKey>;

const hostKeys = {
  /** The pinned key alone; without it, the keys known beforehand; none where the machine is seen for the first time. */
  keys: shape.list({ items: hostKey, maxItems: 256 }),
  pinned: shape.flag,
};

/** Which host keys a machine may show. */
export type HostKeyReply = OfMembers<typeof hostKeys>;

/** Reads which host key a VNFC of the claim's operation must show, or pins it; of two keys that are pinned at once, the first is kept. */
export const hostKeyContract = vimClaimContract({
  verb: 'host-key',
  title: 'The host key of a VNFC of the claim’s operation, to be read or pinned',
  request: askedHostKey,
  reply: {
    title:
      'The keys that the machine may show: the pinned one, else those known beforehand; none where it is seen for the first time',
    members: hostKeys,
  },
});

/** Binds a sealed registration to the claim that sent it. */
export const clusterAad = ({ operationId, stepId, epoch }: Pick<ClaimIdentity, 'operationId' | 'stepId' | 'epoch'>): string =>
  `windlass vim-claim register-cluster ${operationId} ${stepId} ${epoch}`;
