import { params, paramsAs, schema, type Given } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import { DEFAULT_NODE_PREFIX } from '../../cluster/pod-addresses.js';
import { access, PARAM, proxy, verificationImage } from '../../parameters/of-clusters.js';
import { IMAGE_REPOSITORY } from '../../settings/image-names.js';
import { NAMED_ADDONS, type NetworkAddonParam } from '../../settings/network-choice.js';

const { cidr, listOf, machineOf, named, needed, objectOf, parameter, password, path, text } = params;

// Each parameter of the driver stands here once: its name, its schema, and with it the type that plans read.

export { PARAM };

const { CONTROL } = schema;

export const DEFAULT_POD_CIDR = '192.168.0.0/16';
export const DEFAULT_SERVICE_CIDR = '10.96.0.0/12';

/** A name, or manifests: the keywords of texts say nothing of lists, nor those of lists of texts. */
const networkAddon = parameter<NetworkAddonParam>({
  ...listOf(
    `The pods’ network: ${NAMED_ADDONS.join(', ')}, or a list of manifests in the package`,
    path('A manifest in the package'),
  ),
  type: ['string', 'array'],
  pattern: `^(${NAMED_ADDONS.join('|')})$`,
});

const nic = { nic_cp_name: needed(named('CP in the cluster’s network')) };

const master = machineOf('The control plane node', {
  ...access,
  ...nic,
  pod_cidr: cidr('Addresses of pods', { default: DEFAULT_POD_CIDR }),
  // The driver's own, put in at the request where it isn't the default.
  pod_node_prefix: parameter<number>({ type: 'integer', title: 'Prefix length of what a node gets of the pods’ addresses' }),
  cluster_cidr: cidr('Addresses of services', { default: DEFAULT_SERVICE_CIDR }),
  cluster_cp_name: needed(named('CP whose address is the cluster’s')),
  cluster_fip_name: named('Floating IP by which the cluster is reached from outside'),
});

const worker = machineOf('The worker nodes', { ...access, ...nic });

/** The machine that exports volumes by NFS. */
const storageServer = machineOf('A storage server VNFC', {
  ssh_cp_name: needed(named('CP whose address is logged in to')),
  nic_cp_name: named('CP in the cluster’s network'),
  cinder_volume_setup_params: needed(
    listOf(
      'Volumes to be mounted',
      // The name of the volume's resource in the template.
      objectOf('A volume', { volume_resource_id: needed(named('Its resource')), mount_to: needed(path('Where')) }),
    ),
  ),
  nfs_server_setup_params: needed(
    listOf(
      'Folders to be exported',
      objectOf('An export', {
        export_dir: needed(path('The folder')),
        // IPv4 address or range.
        export_to: needed(text('To whom', '^[A-Za-z0-9.:/*_-]{1,255}$')),
      }),
    ),
  ),
});

/** The beginning of the path of images, as names of images have it. */
const PROJECT = '(/[a-z0-9][a-z0-9._-]*)*';

/** Manifests of PersistentVolumes. None is as good as no list: the reference has 0 to N of them. */
const persistentVolumes = listOf(
  'PersistentVolumes to be registered',
  objectOf('A volume', {
    pv_manifest_file_path: needed(path('Manifest in the package')),
    nfs_server_cp: needed(named('CP of its server')),
  }),
  { least: 0 },
);

const registry = objectOf('A registry', {
  connection_type: needed(parameter<'0' | '1' | 0 | 1>({ enum: ['0', '1', 0, 1], title: '0: HTTP, 1: HTTPS' })),
  server: needed(
    text(
      'Host and port, and a project whose login it is',
      `^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?${PROJECT}$`,
      { maxLength: 512 },
    ),
  ),
  // A colon would end it.
  username: text('User who pulls', `^[^:${CONTROL}]{1,255}$`),
  password,
  certificate_path: path('Its CA certificate in the package'),
  hosts_string: text('Address and name for /etc/hosts', '^[0-9.]{7,15}[ \\t]+[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$'),
});

/** 0..N: an empty list is none. */
export const registries = listOf('Private image registries', registry, { least: 0 });

/** `k8s_cluster_installation_param`. */
export const clusterSchema = objectOf('The cluster to be installed', {
  script_path: needed(path('Install script in the package')),
  vim_name: text('Name of the VIM that the cluster becomes', `^[^${CONTROL}]{1,255}$`),
  helm_installation_script_path: path('Script that installs Helm'),
  verification_image: verificationImage,
  image_repository: text('Registry and path of all images of the cluster, in place of the service’s', IMAGE_REPOSITORY, {
    maxLength: 512,
  }),
  network_addon: networkAddon,
  master_node: needed(master),
  worker_node: needed(worker),
  proxy,
  storage_server: storageServer,
  pv_registration_params: persistentVolumes,
  private_registry_connection_info: registries,
});

/** JSON Schema (2020-12) of `additionalParams`. */
export const parameterSchema: JsonObject = schema.parametersOf('mgmt-drivers-kubernetes', PARAM, clusterSchema);

/** `k8s_cluster_installation_param` after the schema's check, secrets masked. */
export type ClusterParams = Given<typeof clusterSchema>;
export type NodeParams = Given<typeof worker>;
export type StorageParams = Given<typeof storageServer>;
export type RegistryParams = Given<typeof registry>;

/** `additionalParams` as steps get them: secrets and all. */
export interface SecretParams {
  [PARAM]: ClusterParams;
}

/** The driver's parameters in `additionalParams`, of which the schema found that they are there. */
export const clusterParams = (additionalParams: JsonObject): ClusterParams =>
  paramsAs<{ [PARAM]: ClusterParams }>(additionalParams)[PARAM];

/** Address ranges of a cluster by its parameters, under the names that steps have them by in journals. */
export const clusterAddresses = ({ master_node: of }: Pick<ClusterParams, 'master_node'>) => ({
  podCidr: of.pod_cidr ?? DEFAULT_POD_CIDR,
  nodePrefix: of.pod_node_prefix ?? DEFAULT_NODE_PREFIX,
  serviceCidr: of.cluster_cidr ?? DEFAULT_SERVICE_CIDR,
});

/** The registries that are reached without TLS. */
export const httpRegistries = ({ private_registry_connection_info: registries = [] }: ClusterParams): string[] =>
  registries.filter(({ connection_type: type }) => Number(type) === 0).map(({ server }) => server.split('/', 1)[0] ?? server);
