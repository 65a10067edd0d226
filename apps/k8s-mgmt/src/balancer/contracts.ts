import { defineAction } from '@windlass/saga';
import type { NodeInput, NodeStepInput } from '../cluster/node-input.js';
import { K8S_SERVICE, type Noted } from '../cluster/contracts.js';
import type { LoadBalancer } from './load-balancer.js';

// What the actions of the load balancer take. Each works on one master, the step's own node, but for the last.

export interface ConfigureLoadBalancerInput extends NodeStepInput {
  balancer: LoadBalancer;
}

export interface ChangeLoadBalancerInput extends NodeStepInput {
  balancer: LoadBalancer;
  /** As it was before, for the undo. */
  before: LoadBalancer;
}

export interface VerifyLoadBalancerInput extends NodeStepInput {
  vip: string;
  /** All that may hold the address; the step's own among them. */
  masters: NodeInput[];
  /** How long they may take to agree; half a minute unless given. */
  withinMs?: number;
}

/** A line `server` of HAProxy's configuration. */
export interface BackEnd {
  name: string;
  address: string;
}

export interface ChangeBackEndsInput extends NodeStepInput {
  /** Who is to be there afterwards. */
  listed: BackEnd[];
  /** Who is not. Undone, it is the other way round. */
  unlisted: BackEnd[];
}

const declared = (name: string) => ({ service: K8S_SERVICE, name, version: 1 });

/** Installs HAProxy and keepalived on a master, and has the virtual address answer: before there is any API server. Undone, both are gone. */
export const configureLoadBalancer = defineAction<ConfigureLoadBalancerInput>(declared('configure-load-balancer'));

/** Changes back ends and holders where {@link configureLoadBalancer} has been: masters come and go. Connections stay. Undone, it is as before. */
export const changeLoadBalancer = defineAction<ChangeLoadBalancerInput, Noted | undefined>(declared('change-load-balancer'));

/** Has a master that is about to go give the virtual address away; whether it is dead the cluster and etcd say, through masters that stay. Undone, it may hold it again. */
export const leaveLoadBalancer = defineAction<NodeStepInput>(declared('leave-load-balancer'));

/** Looks from all masters: one has the virtual address, and each gets an answer there. */
export const verifyLoadBalancer = defineAction<VerifyLoadBalancerInput, Noted | undefined>(declared('verify-load-balancer'));

/** Changes who is among the back ends of an HAProxy that a script of the package set up on a master. Undone, it is as before. */
export const changeBackEnds = defineAction<ChangeBackEndsInput, Noted | undefined>(declared('change-back-ends'));

/** All of them, for the driver's list. */
export const balancerActions = [configureLoadBalancer, changeLoadBalancer, leaveLoadBalancer, verifyLoadBalancer, changeBackEnds];
