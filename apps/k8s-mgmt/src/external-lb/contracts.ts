import type { HostStepInput, MachineInput, MasterInput, PackageFileRef, Proxies } from '@windlass/driver-kit';
import { defineAction } from '@windlass/saga';
import { K8S_SERVICE } from '../cluster/contracts.js';

// What the actions of a cluster's external load balancer take. The machine is the balancer's.

/** A node of the cluster, as the balancer passes on to it. */
export interface Route {
  name: string;
  /** In the cluster's network, IPv4. */
  address: string;
}

/** To whom a balancer passes on. */
export interface Routes {
  /** They have the API; ports of Services are open on them as on workers. */
  masters: Route[];
  workers: Route[];
}

export interface ExternalLbInput extends HostStepInput {
  machine: MachineInput;
}

export interface InstallExternalLbInput extends ExternalLbInput {
  routes: Routes;
  /** For apt. */
  proxy?: Proxies;
}

export interface RunExternalLbScriptInput extends ExternalLbInput {
  routes: Routes;
  script: PackageFileRef;
  withinMs: number;
  /** Told to the script. */
  proxy?: Proxies;
  noProxy?: string;
}

export interface RouteExternalLbInput extends ExternalLbInput {
  /** All to whom ports of Services are passed on: one that is not here is taken out. */
  nodes: Route[];
  /** As it was before, for the undo. */
  before?: Route[];
}

export interface AskedExternalLbInput extends ExternalLbInput {
  /** Through any of which the cluster is asked. */
  masters: MasterInput[];
}

/** What a person should know of it: the operation's warnings, by the trait `contributes`. */
export interface Noted {
  notes?: string[];
}

export interface VerifyExternalLbInput extends AskedExternalLbInput {
  /** How long the API may take to answer there, in ms; a minute unless given. */
  withinMs?: number;
  /** At which it is asked, and which the certificate has; the one that is logged in to unless given. */
  address?: string;
}

export interface NoteExposedPortsInput extends AskedExternalLbInput {
  /** It has the ports of the machine before it: from now on the record is about it. */
  takesOver?: boolean;
  /** It is about to be replaced, and may be dead: then the record stays as it is. */
  leaving?: boolean;
}

const declared = (name: string) => ({ service: K8S_SERVICE, name, version: 1 });

/** Installs HAProxy, for the API at port 8383 and for ports of Services. Undone, it is gone. */
export const installExternalLb = defineAction<InstallExternalLbInput>(declared('install-external-lb'));

/** Runs the package's script in the place of {@link installExternalLb}. The VM goes where that is undone. */
export const runExternalLbScript = defineAction<RunExternalLbScriptInput>(declared('run-external-lb-script'));

/** Has a balancer, whoever installed it, pass ports of Services on to these nodes. Undone, to those before. */
export const routeExternalLb = defineAction<RouteExternalLbInput>(declared('route-external-lb'));

/** Has the cluster keep which of its ports the balancer opens outward. */
export const noteExposedPorts = defineAction<NoteExposedPortsInput, Noted | undefined>(declared('note-exposed-ports'));

/** Opens on a balancer that was made anew the ports of Services that were open on the one before it. */
export const restoreNodePorts = defineAction<AskedExternalLbInput, Noted>(declared('restore-node-ports'));

/** Asks the cluster's API at the balancer. */
export const verifyExternalLb = defineAction<VerifyExternalLbInput>(declared('verify-external-lb'));

/** All of them, for the driver's list. */
export const externalLbActions = [
  installExternalLb,
  runExternalLbScript,
  routeExternalLb,
  noteExposedPorts,
  restoreNodePorts,
  verifyExternalLb,
];
