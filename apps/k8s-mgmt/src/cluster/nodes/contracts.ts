import { defineAction } from '@windlass/saga';
import { K8S_SERVICE } from '../contracts.js';
import type { ClusterStepInput, NodeStepInput } from '../node-input.js';

// What the actions take that follow a cluster whose connectivity was changed from outside.

export interface CheckMovingInput extends ClusterStepInput {
  /** Addresses of nodes whose own are going to be others. */
  addresses: string[];
}

export interface ReaddressNodeInput extends NodeStepInput {
  /** By which the cluster knew it; `node` has the address of today. */
  earlier: string;
}

const declared = (name: string) => ({ service: K8S_SERVICE, name, version: 1 });

/** Looks, before a network is touched, whether the cluster answers and has the nodes Ready whose addresses change: who is dead can't follow. */
export const checkMoving = defineAction<CheckMovingInput>(declared('check-moving'));

/** Has the kubelet of a worker, and what runs there on the host's network, go by the address that the worker has now. Undone, by the earlier one. */
export const readdressNode = defineAction<ReaddressNodeInput>(declared('readdress-node'));

/** All of them, for the driver's list. */
export const connectivityActions = [checkMoving, readdressNode];
