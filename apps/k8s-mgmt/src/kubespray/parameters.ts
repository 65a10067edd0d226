import { paramsAs, type Login } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import type { ProxyParams } from '../kubeadm/parameters/parameters.js';
import { PARAM } from '../kubeadm/parameters/parameters.js';
import type { ExternalLbParams } from '../external-lb/parameters.js';

/** `k8s_cluster_installation_param` of a cluster that kubespray makes, after the schema's check, secrets masked. */
export interface KubesprayParams {
  /** Never read. */
  script_path?: string;
  vim_name?: string;
  verification_image?: string;
  ansible: AnsibleParams;
  master_node: MasterGroup;
  worker_node: NodeGroup;
  proxy?: ProxyParams;
  external_lb_param?: ExternalLbParams;
}

export interface NodeGroup extends Login {
  aspect_id?: string;
  vdu_id?: string;
  ssh_cp_name: string;
  /** The hooks see {@link ssh_cp_name} in its place where the request has none. */
  nic_cp_name?: string;
}

export interface MasterGroup extends NodeGroup {
  pod_cidr?: string;
  cluster_cidr?: string;
}

/** How an inventory is written. */
export type InventoryFormat = 'yaml' | 'ini';

export interface AnsibleParams extends Login {
  ip_address: string;
  kubespray_root_path: string;
  transferring_inventory_path: string;
  /** Ours: `yaml` unless given. */
  inventory_format?: InventoryFormat;
}

/** `additionalParams` as steps get them: secrets and all. */
export interface KubespraySecrets {
  [PARAM]: KubesprayParams;
}

/** The driver's parameters in `additionalParams`, of which the schema found that they are there. */
export const kubesprayParams = (additionalParams: JsonObject): KubesprayParams =>
  paramsAs<KubespraySecrets>(additionalParams)[PARAM];

/** Those of its parameters that a request to scale or to heal repeats, for that operation alone. */
export const repeatedParams = (requestParams: JsonObject): Partial<KubesprayParams> =>
  paramsAs<Partial<KubespraySecrets>>(requestParams)[PARAM] ?? {};
