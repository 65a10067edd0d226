import type { MasterInput, ServerStepInput } from '@windlass/driver-kit';
import { defineAction } from '@windlass/saga';
import { K8S_SERVICE, type Noted } from '../cluster/contracts.js';
import type { NodeInput, ProxyInput } from '../cluster/node-input.js';
import type { InventoryFormat } from './parameters.js';

// What the actions of kubespray's driver take and give. All work on the Ansible server; the work is in the file of the same name.

/** The playbooks that operations need, by what they do. */
export type PlaybookKind = 'cluster' | 'scale' | 'remove' | 'facts';

/** What a step on the Ansible server has. */
export interface AnsibleStepInput extends ServerStepInput {
  /** Of kubespray, absolute. */
  rootPath: string;
  /** Of this VNF instance, absolute: what {@link prepareInventory} made. */
  folder: string;
}

export interface CheckAnsibleInput extends AnsibleStepInput {
  playbooks: PlaybookKind[];
  /** Whether nodes are logged in to by password. */
  sshpass: boolean;
}

/** What there is on the Ansible server. */
export interface Kubespray {
  /** `2.26.1`, as its galaxy.yml says; `unknown` where it says nothing. */
  release: string;
  groups: GroupNames;
  /** Paths of playbooks, from the root. */
  playbooks: Partial<Record<PlaybookKind, string>>;
}

/** As the release's own sample inventory has them. */
export interface GroupNames {
  masters: string;
  workers: string;
  cluster: string;
  routeReflectors: string;
}

/** Group variables of a cluster. */
export interface ClusterVariables {
  podCidr?: string;
  serviceCidr?: string;
  /** Addresses outside of the cluster at which its API is reached: they stand in its certificate. */
  addresses: string[];
}

export interface PrepareInventoryInput extends AnsibleStepInput {
  kubespray: Kubespray;
  variables: ClusterVariables;
  /** Whose links say how large packets may be: the first that answers. */
  masters: MasterInput[];
  /** Those whose VMs are new: their first boot is waited for. */
  fresh: NodeInput[];
  /** The cluster is made, or made anew, by this operation: what an earlier life left is cleared away. */
  anew?: boolean;
}

export interface WriteInventoryInput extends AnsibleStepInput {
  kubespray: Kubespray;
  format: InventoryFormat;
  nodes: NodeInput[];
  /** What undoing brings back. */
  before?: NodeInput[];
}

/** What a step has that runs a playbook. */
export interface PlaybookStepInput extends AnsibleStepInput {
  kubespray: Kubespray;
  format: InventoryFormat;
  /** All of the inventory: with how to log in to them. */
  nodes: NodeInput[];
  /** URLs may hold user and password. */
  proxy: ProxyInput & { no_proxy?: string; k8s_node_cidr?: string };
  withinMs: number;
}

export interface RunPlaybookInput extends PlaybookStepInput {
  playbook: 'cluster' | 'facts' | 'scale';
  /** Names of the nodes that it is about; all, unless given. For facts.yml: those that must answer. */
  about?: string[];
  /** Undone, the cluster forgets those nodes, through these masters. */
  masters?: MasterInput[];
}

export interface RemoveWorkersInput extends PlaybookStepInput {
  /** Names of the nodes that leave. */
  leaving: string[];
  /** Through whom the cluster is asked. */
  masters: MasterInput[];
}

export type RemoveInventoryInput = AnsibleStepInput;

const declared = (name: string) => ({ service: K8S_SERVICE, name, version: 1 });

/** Looks whether the Ansible server answers and has all that the operation needs, and which kubespray it is. */
export const checkAnsible = defineAction<CheckAnsibleInput, Kubespray>(declared('check-ansible'));

/** Waits for the first boot of fresh nodes, and makes the VNF instance's folder on the Ansible server, with kubespray's sample and our group variables. */
export const prepareInventory = defineAction<PrepareInventoryInput>(declared('prepare-inventory'));

/** Writes the inventory, without passwords. */
export const writeInventory = defineAction<WriteInventoryInput>(declared('write-inventory'));

/** Runs one of kubespray's playbooks. */
export const runPlaybook = defineAction<RunPlaybookInput, Noted | undefined>(declared('run-playbook'));

/** Takes workers out of the cluster by kubespray's playbook; those that do not answer without touching them. */
export const removeWorkers = defineAction<RemoveWorkersInput, Noted | undefined>(declared('remove-workers'));

/** Removes the VNF instance's folder on the Ansible server. */
export const removeInventory = defineAction<RemoveInventoryInput, Noted | undefined>(declared('remove-inventory'));

/** All of them, for the drivers' list. */
export const kubesprayActions = [checkAnsible, prepareInventory, writeInventory, runPlaybook, removeWorkers, removeInventory];
