import type { ClaimIdentity } from '../enrolment/claim-proof.js';
import { defineContract, type Contract } from '../contracts/contract.js';
import { sealedBoxSchema, type SealedBox } from '../sealing/sealed-box.js';
import { subjects } from '../contracts/subjects.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'string', minLength: 1, maxLength: 255 } as const;
const long = { type: 'string', minLength: 1, maxLength: 1_024 } as const;
const digest = { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' } as const;
/** Type and base64 in one line, as in a known_hosts file. */
const hostKey = { type: 'string', minLength: 1, maxLength: 16_384 } as const;

/** A request on behalf of a claim. Project and VNF instance are those of the claim's operation, whatever the asker would like. */
export type ClaimedRequest<Body> = Body & ClaimIdentity & { proof: string };
/** Proven by the claim's secret too, for the request that it answers. */
export type ClaimedReply<Body> = Body & { proof: string };

interface ClaimContractParts {
  verb: string;
  title: string;
  properties?: Record<string, unknown>;
  required?: readonly string[];
  reply: { title: string; properties: Record<string, unknown>; required?: readonly string[] };
}

const holder = {
  operationId: { type: 'string', format: 'uuid' },
  stepId: long,
  epoch: { type: 'integer', minimum: 0 },
  service: text,
  keyId: digest,
  proof: digest,
} as const;

/** A verb of what a claim may ask, proven as a whole as {@link ClaimedRequest} says. */
export function vimClaimContract<Request, Reply>(
  parts: ClaimContractParts,
): Contract<ClaimedRequest<Request>, ClaimedReply<Reply>> {
  const { verb, title, properties = {}, required = [], reply } = parts;
  const closed = { $schema: draft, type: 'object', additionalProperties: false };
  return defineContract({
    name: `vim-claim.${verb}`,
    subject: subjects.vimClaim(verb),
    request: {
      ...closed,
      title,
      required: [...Object.keys(holder), ...required],
      properties: { ...holder, ...properties },
    },
    reply: {
      ...closed,
      title: reply.title,
      required: [...(reply.required ?? []), 'proof'],
      properties: { ...reply.properties, proof: digest },
    },
  });
}

/** The registry's public key, which a cluster's registration is sealed to. */
export const registryKeyContract = vimClaimContract<object, { publicKey: string }>({
  verb: 'key',
  title: 'Which key to seal to',
  reply: { title: 'X25519, base64url', required: ['publicKey'], properties: { publicKey: digest } },
});

/** The cluster that a VNF instance is. Goes sealed: it holds a credential. */
export interface ClusterRegistration {
  name: string;
  description: string;
  /** `https`, at an address of a VNFC, a CP or a floating IP of the instance. */
  auth_url: string;
  auth_cred: { bearer_token: string; ssl_ca_cert: string };
}

/** A registered cluster as its own instance's steps see it. */
export interface ClusterView {
  id: string;
  name: string;
  auth_url: string;
}

const cluster = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name', 'auth_url'],
  properties: { id: text, name: text, auth_url: { type: 'string' } },
} as const;

/** Registers the cluster of the claim's instance as a Kubernetes VIM, under the id that the instance decides. One that is there is answered. */
export const registerClusterContract = vimClaimContract<{ sealed: SealedBox }, { vim: ClusterView }>({
  verb: 'register-cluster',
  title: 'The cluster of the claim’s VNF instance, to be registered; a sealed ClusterRegistration',
  required: ['sealed'],
  properties: { sealed: sealedBoxSchema },
  reply: { title: 'The registered cluster', required: ['vim'], properties: { vim: cluster } },
});

/** The registered cluster of the claim's instance, and what uses it. */
export const showClusterContract = vimClaimContract<object, { vim?: ClusterView; vnfInstanceIds: string[] }>({
  verb: 'show-cluster',
  title: 'The registered cluster of the claim’s VNF instance',
  reply: {
    title: 'The cluster, absent where none is registered; and the VNF instances that use it',
    required: ['vnfInstanceIds'],
    properties: { vim: cluster, vnfInstanceIds: { type: 'array', items: text } },
  },
});

/** Takes the cluster of the claim's instance out of the registry. One that is not there is out of it. */
export const removeClusterContract = vimClaimContract<object, { removed: boolean }>({
  verb: 'remove-cluster',
  title: 'The cluster of the claim’s VNF instance, to be removed from the registry',
  reply: { title: 'Whether it was there', required: ['removed'], properties: { removed: { type: 'boolean' } } },
});

export interface HostKeyRequest {
  /** Identity of the machine: `computeResource.resourceId` of a VNFC of the claim's operation. */
  resourceId: string;
  /** Pinned where none is yet. */
  key?: string;
}

/** Which host keys a machine may show. */
export interface HostKeyReply {
  /** The pinned one alone; else those known beforehand; none: it is seen for the first time. */
  keys: string[];
  pinned: boolean;
}

/** Reads which host key a VNFC of the claim's operation must show, or pins it; of two that race, the first stands. */
export const hostKeyContract = vimClaimContract<HostKeyRequest, HostKeyReply>({
  verb: 'host-key',
  title: 'The host key of a VNFC of the claim’s operation, to be read or pinned',
  required: ['resourceId'],
  properties: { resourceId: text, key: hostKey },
  reply: {
    title:
      'The keys that the machine may show: the pinned one, else those known beforehand; none where it is seen for the first time',
    required: ['keys', 'pinned'],
    properties: { keys: { type: 'array', items: hostKey, maxItems: 256 }, pinned: { type: 'boolean' } },
  },
});

/** Binds a sealed registration to the claim that it comes from. */
export const clusterAad = ({ operationId, stepId, epoch }: Pick<ClaimIdentity, 'operationId' | 'stepId' | 'epoch'>): string =>
  `windlass vim-claim register-cluster ${operationId} ${stepId} ${epoch}`;
