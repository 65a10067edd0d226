import { defineContract } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { authoritySchema, type Administrated } from './vim-administration.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';
const id = { type: 'string', minLength: 1, maxLength: 255 } as const;
/** What a cluster says may be empty, and is cut at this length. */
const text = { type: 'string', maxLength: 1_000 } as const;
const textOrNull = { type: ['string', 'null'], maxLength: 1_000 } as const;

/** Which VNF instance's cluster is looked at. */
export interface ClusterNodesRequest {
  tenant: string;
  vnfInstanceId: string;
}

/** A node, as the cluster's API tells of it (Kubernetes `core/v1` Node). */
export interface ClusterNode {
  name: string;
  /** By its label `node-role.kubernetes.io/control-plane`. */
  role: 'master' | 'worker';
  /** The status of its condition Ready: `Unknown` where its kubelet says nothing any more. */
  ready: 'True' | 'False' | 'Unknown';
  /** The message of that condition where it is not Ready. */
  reason: string | null;
  /** RFC 3339, as the cluster says it: since when it is so. */
  since: string | null;
  /** False while it is cordoned. */
  schedulable: boolean;
  /** Of its kubelet. */
  version: string;
  runtime: string;
  os: string;
  addresses: string[];
}

/** A cluster, as it says of itself. */
export interface ClusterNodesReply {
  /** As it is registered. */
  vim: { id: string; name: string; url: string };
  /** RFC 3339: when it was asked last. */
  askedAt: string;
  /** Why it said nothing then, in words that hold no secret; null where it did. */
  unanswered: string | null;
  /** RFC 3339: when it said what stands below; null where it has not since this process began. */
  seenAt: string | null;
  /** Of its API; null where it is not known. */
  version: string | null;
  /** The node that has the address of the API; null where none of its masters has it, or that was not seen. */
  addressHolder: string | null;
  /** At most {@link MOST_CLUSTER_NODES}. */
  nodes: ClusterNode[];
  /** Whether it has more nodes than are told. */
  hasMore: boolean;
}

/** The most nodes that are told of a cluster. */
export const MOST_CLUSTER_NODES = 500;

const node = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'role', 'ready', 'reason', 'since', 'schedulable', 'version', 'runtime', 'os', 'addresses'],
  properties: {
    name: text,
    role: { enum: ['master', 'worker'] },
    ready: { enum: ['True', 'False', 'Unknown'] },
    reason: textOrNull,
    since: textOrNull,
    schedulable: { type: 'boolean' },
    version: text,
    runtime: text,
    os: text,
    addresses: { type: 'array', maxItems: 20, items: text },
  },
} as const;

/** Asks the cluster that a VNF instance is, with the credentials that it was registered with, for its nodes. */
export const clusterNodesContract = defineContract<Administrated<ClusterNodesRequest>, ClusterNodesReply>({
  name: 'vim.cluster-nodes',
  subject: subjects.vim('cluster-nodes'),
  request: {
    $schema: draft,
    title: 'Whose cluster’s nodes are asked for',
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'vnfInstanceId', 'authority'],
    properties: { tenant: id, vnfInstanceId: { type: 'string', format: 'uuid' }, authority: authoritySchema },
  },
  reply: {
    $schema: draft,
    title: 'Nodes of a cluster, or why they are not known',
    type: 'object',
    additionalProperties: false,
    required: ['vim', 'askedAt', 'unanswered', 'seenAt', 'version', 'addressHolder', 'nodes', 'hasMore'],
    properties: {
      vim: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'name', 'url'],
        properties: { id, name: id, url: { type: 'string', maxLength: 2_048 } },
      },
      askedAt: { type: 'string', format: 'date-time' },
      unanswered: textOrNull,
      seenAt: { type: ['string', 'null'], format: 'date-time' },
      version: textOrNull,
      addressHolder: textOrNull,
      nodes: { type: 'array', maxItems: MOST_CLUSTER_NODES, items: node },
      hasMore: { type: 'boolean' },
    },
  },
});
