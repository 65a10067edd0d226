import type { ServerStepInput, MasterInput } from '@windlass/driver-kit';
import type { NodeInput, ProxyInput } from '../cluster/node-input.js';
import type { InventoryFormat } from './parameters.js';

/** The playbooks that operations need, by what they do. */
export type PlaybookKind = 'cluster' | 'scale' | 'remove' | 'facts';

/** What a step on the Ansible server has. */
export interface AnsibleStepInput extends ServerStepInput {
  /** Of kubespray, absolute. */
  rootPath: string;
  /** Of this VNF instance, absolute: what {@link prepareInventory} made. */
  folder: string;
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
