import { paramsAs, type Login } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import type { NetworkAddonParam } from '../../settings/network-choice.js';

/** Where the driver's parameters lie in `additionalParams`. */
export const PARAM = 'k8s_cluster_installation_param';

export const DEFAULT_POD_CIDR = '192.168.0.0/16';
export const DEFAULT_SERVICE_CIDR = '10.96.0.0/12';

/** `k8s_cluster_installation_param` after the schema's check, secrets masked. */
export interface ClusterParams {
  script_path: string;
  vim_name?: string;
  helm_installation_script_path?: string;
  verification_image?: string;
  image_repository?: string;
  network_addon?: NetworkAddonParam;
  master_node: MasterParams;
  worker_node: NodeParams;
  proxy?: ProxyParams;
  storage_server?: StorageParams;
  pv_registration_params?: VolumeParams[];
  private_registry_connection_info?: RegistryParams[];
}

export interface NodeParams extends Login {
  aspect_id?: string;
  vdu_id?: string;
  ssh_cp_name: string;
  nic_cp_name: string;
}

export interface MasterParams extends NodeParams {
  pod_cidr?: string;
  /** The driver's own, put in at the request where it isn't the default. */
  pod_node_prefix?: number;
  cluster_cidr?: string;
  cluster_cp_name: string;
  cluster_fip_name?: string;
}

export interface ProxyParams {
  http_proxy?: string;
  https_proxy?: string;
  no_proxy?: string;
  k8s_node_cidr?: string;
}

/** The machine that exports volumes by NFS. */
export interface StorageParams extends Login {
  ssh_cp_name: string;
  nic_cp_name?: string;
  cinder_volume_setup_params: {
    /** Name of the volume's resource in the template. */
    volume_resource_id: string;
    mount_to: string;
  }[];
  nfs_server_setup_params: {
    export_dir: string;
    /** IPv4 address or range. */
    export_to: string;
  }[];
}

/** Manifests of PersistentVolumes, in the package. */
export interface VolumeParams {
  pv_manifest_file_path: string;
  /** CP of the NFS server that they are on. */
  nfs_server_cp: string;
}

export interface RegistryParams {
  /** 0: HTTP, 1: HTTPS. */
  connection_type: '0' | '1' | 0 | 1;
  /** `host:port`; with `/project`, whose login is meant. */
  server: string;
  username?: string;
  password?: string | number;
  certificate_path?: string;
  hosts_string?: string;
}

/** `additionalParams` as steps get them: secrets and all. */
export interface SecretParams {
  [PARAM]: ClusterParams;
}

/** The driver's parameters in `additionalParams`, of which the schema found that they are there. */
export const clusterParams = (additionalParams: JsonObject): ClusterParams =>
  paramsAs<{ [PARAM]: ClusterParams }>(additionalParams)[PARAM];

/** The registries that are reached without TLS. */
export const httpRegistries = ({ private_registry_connection_info: registries = [] }: ClusterParams): string[] =>
  registries.filter(({ connection_type: type }) => Number(type) === 0).map(({ server }) => server.split('/', 1)[0] ?? server);
