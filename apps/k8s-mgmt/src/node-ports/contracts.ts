import type { PackageFileRef, ServerStepInput } from '@windlass/driver-kit';
import { defineAction } from '@windlass/saga';
import { K8S_SERVICE } from '../cluster/contracts.js';
import type { Noted } from '../external-lb/contracts.js';
import type { NodePortFrontend } from '../external-lb/haproxy.js';

// What the actions of the driver of NodePorts take. The machine is the load balancer before the cluster that the VNF of containers lies on.

export interface NodePortsInput extends ServerStepInput {
  /** Of this VNF alone: a frontend for each of its Services. */
  frontends: NodePortFrontend[];
}

export interface CheckNodePortsInput extends NodePortsInput {
  /** A script of the package opens them: it leaves no word of whose a frontend is, so one of the same name may be the VNF's. */
  scripted?: boolean;
}

export interface ExposeNodePortsInput extends NodePortsInput {
  /** The package's, which opens and closes in our place. */
  script?: PackageFileRef;
  /** The longest that it may take, in ms. */
  withinMs: number;
}

export interface CloseNodePortsInput extends ExposeNodePortsInput {
  /** A balancer that is away keeps nobody: what is left there is told. */
  leaves?: boolean;
}

const declared = (name: string) => ({ service: K8S_SERVICE, name, version: 1 });

/** Looks whether a balancer can pass on the ports of a VNF, as far as they are known. Changes nothing. */
export const checkNodePorts = defineAction<CheckNodePortsInput>(declared('check-node-ports'));

/** Opens the ports of a VNF's Services on a balancer. Undone, they are closed. */
export const exposeNodePorts = defineAction<ExposeNodePortsInput>(declared('expose-node-ports'));

/** Closes the ports of a VNF's Services on a balancer. Undone, they are open. */
export const closeNodePorts = defineAction<CloseNodePortsInput, Noted | undefined>(declared('close-node-ports'));

/** All of them, for the driver's list. */
export const nodePortActions = [checkNodePorts, exposeNodePorts, closeNodePorts];
