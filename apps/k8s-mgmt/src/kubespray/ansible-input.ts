import type { ServerStepInput, MasterInput } from '@windlass/driver-kit';
import type { NodeInput, ProxyInput } from '../cluster/node-input.js';
import type { InventoryFormat } from './parameters.js';

/** The playbooks that operations need, by what they do. */
export type PlaybookKind = 'cluster' | 'scale' | 'remove' | 'facts';

/** What a step on the Ansible server has. */
export interface AnsibleStepInput extends ServerStepInput {
  /** Absolute path of kubespray on the server. */
  rootPath: string;
  /** Absolute path of the instance's folder, which {@link prepareInventory} made. */
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

/** Names of groups, as the release's own sample inventory has them. */
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
  /** Addresses outside the cluster at which its API is reached. The API's certificate holds them. */
  addresses: string[];
}

export interface PrepareInventoryInput extends AnsibleStepInput {
  kubespray: Kubespray;
  variables: ClusterVariables;
  /** Masters whose links are asked for their packet size, until one answers. */
  masters: MasterInput[];
  /** Nodes whose VMs are new: the step waits for their first boot. */
  fresh: NodeInput[];
  /** Whether the operation makes the cluster, for the first time or again: then the step removes what an earlier cluster of the instance left. */
  anew?: boolean;
}

/** What a step has that runs a playbook. */
export interface PlaybookStepInput extends AnsibleStepInput {
  kubespray: Kubespray;
  format: InventoryFormat;
  /** All nodes of the inventory, with their logins. */
  nodes: NodeInput[];
  /** URLs may hold user and password. */
  proxy: ProxyInput & { no_proxy?: string; k8s_node_cidr?: string };
  withinMs: number;
}
