import { shape, type OfMembers, type TypeOf } from '@windlass/foundation';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { administrated } from './vim-administration.js';

const id = shape.text({ minLength: 1, maxLength: 255 });
/** Texts of a cluster may be empty, and are cut at this length. */
const text = shape.text({ maxLength: 1_000 });
const textOrNull = shape.textOrNull({ maxLength: 1_000 });

/** An answer lists at most so many nodes of a cluster. */
export const MOST_CLUSTER_NODES = 500;

const node = shape.closed({
  name: text,
  /** Whether the node has the label `node-role.kubernetes.io/control-plane`. */
  role: shape.oneOf(['master', 'worker']),
  /** The status of the condition Ready: `Unknown` where the kubelet does not report any more. */
  ready: shape.oneOf(['True', 'False', 'Unknown']),
  /** The message of the condition Ready, where the node is not Ready. */
  reason: textOrNull,
  /** Since when the condition has this status: RFC 3339, as the cluster has it. */
  since: textOrNull,
  /** False while the node is cordoned. */
  schedulable: shape.flag,
  /** The version of the kubelet. */
  version: text,
  runtime: text,
  os: text,
  addresses: shape.list({ maxItems: 20, items: text }),
});

/** A node, as the cluster's API tells of it (Kubernetes `core/v1` Node). */
export type ClusterNode = TypeOf<typeof node>;

const clusterNodes = shape.closed({
  /** The URL that the cluster is registered with. */
  vim: shape.closed({ id, name: id, url: shape.text({ maxLength: 2_048 }) }),
  /** When the cluster was asked last: RFC 3339. */
  askedAt: shape.text({ format: 'date-time' }),
  /** Why the cluster did not answer then, in words that hold no secret; null where it answered. */
  unanswered: textOrNull,
  /** When the cluster gave the members below: RFC 3339; null where it has not answered since this process began. */
  seenAt: shape.of<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  /** The version of the cluster's API; null where it is not known. */
  version: textOrNull,
  /** The node that has the address of the API; null where no master has this address, or the node was not seen. */
  addressHolder: textOrNull,
  nodes: shape.list({ maxItems: MOST_CLUSTER_NODES, items: node }),
  /** Whether the cluster has more nodes than are listed. */
  hasMore: shape.flag,
});

/** A cluster, as its API tells of it. */
export type ClusterNodesReply = TypeOf<typeof clusterNodes>;

const asked = { tenant: id, vnfInstanceId: shape.text({ format: 'uuid' }) };

/** Which VNF instance's cluster is looked at. */
export type ClusterNodesRequest = OfMembers<typeof asked>;

/** Asks the cluster that a VNF instance is for its nodes, with the credentials of its registration. */
export const clusterNodesContract = defineContract({
  name: 'vim.cluster-nodes',
  subject: subjects.vim('cluster-nodes'),
  request: message(shape.titled('Whose cluster’s nodes are asked for', shape.closed({ ...asked, ...administrated }))),
  reply: message(shape.titled('Nodes of a cluster, or why they are not known', clusterNodes)),
});
