import { shape, type OfMembers, type TypeOf } from '@windlass/foundation';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { administrated } from './vim-administration.js';

const id = shape.text({ minLength: 1, maxLength: 255 });
/** What a cluster says may be empty, and is cut at this length. */
const text = shape.text({ maxLength: 1_000 });
const textOrNull = shape.textOrNull({ maxLength: 1_000 });

/** The most nodes that are told of a cluster. */
export const MOST_CLUSTER_NODES = 500;

const node = shape.closed({
  name: text,
  /** By its label `node-role.kubernetes.io/control-plane`. */
  role: shape.oneOf(['master', 'worker']),
  /** The status of its condition Ready: `Unknown` where its kubelet says nothing any more. */
  ready: shape.oneOf(['True', 'False', 'Unknown']),
  /** The message of that condition where it is not Ready. */
  reason: textOrNull,
  /** RFC 3339, as the cluster says it: since when it is so. */
  since: textOrNull,
  /** False while it is cordoned. */
  schedulable: shape.flag,
  /** Of its kubelet. */
  version: text,
  runtime: text,
  os: text,
  addresses: shape.list({ maxItems: 20, items: text }),
});

/** A node, as the cluster's API tells of it (Kubernetes `core/v1` Node). */
export type ClusterNode = TypeOf<typeof node>;

const clusterNodes = shape.closed({
  /** As it is registered. */
  vim: shape.closed({ id, name: id, url: shape.text({ maxLength: 2_048 }) }),
  /** RFC 3339: when it was asked last. */
  askedAt: shape.text({ format: 'date-time' }),
  /** Why it said nothing then, in words that hold no secret; null where it did. */
  unanswered: textOrNull,
  /** RFC 3339: when it said what stands below; null where it has not since this process began. */
  seenAt: shape.of<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  /** Of its API; null where it is not known. */
  version: textOrNull,
  /** The node that has the address of the API; null where none of its masters has it, or that was not seen. */
  addressHolder: textOrNull,
  nodes: shape.list({ maxItems: MOST_CLUSTER_NODES, items: node }),
  /** Whether it has more nodes than are told. */
  hasMore: shape.flag,
});

/** A cluster, as it says of itself. */
export type ClusterNodesReply = TypeOf<typeof clusterNodes>;

const asked = { tenant: id, vnfInstanceId: shape.text({ format: 'uuid' }) };

/** Which VNF instance's cluster is looked at. */
export type ClusterNodesRequest = OfMembers<typeof asked>;

/** Asks the cluster that a VNF instance is, with the credentials that it was registered with, for its nodes. */
export const clusterNodesContract = defineContract({
  name: 'vim.cluster-nodes',
  subject: subjects.vim('cluster-nodes'),
  request: message(shape.titled('Whose cluster’s nodes are asked for', shape.closed({ ...asked, ...administrated }))),
  reply: message(shape.titled('Nodes of a cluster, or why they are not known', clusterNodes)),
});
