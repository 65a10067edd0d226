import { schema } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import { IMAGE, IMAGE_REPOSITORY } from '../../settings/image-names.js';
import { NO_VERIFICATION_IMAGE } from '../../settings/images.js';
import { NAMED_ADDONS } from '../../settings/network-choice.js';
import { DEFAULT_POD_CIDR, DEFAULT_SERVICE_CIDR, PARAM } from './parameters.js';

const { cidr, CONTROL, listOf, machineOf, named, noProxy, objectOf, parametersOf, password, path, proxyUrl, text } = schema;

/** An image by its name. */
const image = (title: string): JsonObject => text(title, IMAGE, { maxLength: 512 });

/** Of the pods that try a cluster, in every request. */
export const verificationImage = image(
  `Image of the pods that try the cluster, the service's unless given; ${NO_VERIFICATION_IMAGE}: none is run`,
);

/** A name, or manifests: the keywords of texts say nothing of lists, nor those of lists of texts. */
const networkAddon: JsonObject = {
  ...listOf(
    `The pods’ network: ${NAMED_ADDONS.join(', ')}, or a list of manifests in the package`,
    path('A manifest in the package'),
  ),
  type: ['string', 'array'],
  pattern: `^(${NAMED_ADDONS.join('|')})$`,
};

/** Which VMs a group is, and how they are reached. */
export const access = {
  aspect_id: named('Scaling aspect of the group'),
  vdu_id: named('VDU of the group, in place of its aspect'),
  ssh_cp_name: named('CP whose address is logged in to'),
};

const master = machineOf(
  'The control plane node',
  {
    ...access,
    nic_cp_name: named('CP in the cluster’s network'),
    pod_cidr: cidr('Addresses of pods', { default: DEFAULT_POD_CIDR }),
    pod_node_prefix: { type: 'integer', title: 'Prefix length of what a node gets of the pods’ addresses' },
    cluster_cidr: cidr('Addresses of services', { default: DEFAULT_SERVICE_CIDR }),
    cluster_cp_name: named('CP whose address is the cluster’s'),
    cluster_fip_name: named('Floating IP by which the cluster is reached from outside'),
  },
  ['ssh_cp_name', 'nic_cp_name', 'cluster_cp_name'],
);

const worker = machineOf('The worker nodes', { ...access, nic_cp_name: named('CP in the cluster’s network') }, [
  'ssh_cp_name',
  'nic_cp_name',
]);

/** `proxy`. */
export const proxy = objectOf('Proxies of the nodes', {
  http_proxy: proxyUrl('For http'),
  https_proxy: proxyUrl('For https'),
  no_proxy: noProxy,
  k8s_node_cidr: cidr('Network of the nodes: reached without a proxy'),
});

const storageServer = machineOf(
  'A storage server VNFC',
  {
    ssh_cp_name: named('CP whose address is logged in to'),
    nic_cp_name: named('CP in the cluster’s network'),
    cinder_volume_setup_params: listOf(
      'Volumes to be mounted',
      objectOf('A volume', { volume_resource_id: named('Its resource'), mount_to: path('Where') }, [
        'volume_resource_id',
        'mount_to',
      ]),
    ),
    nfs_server_setup_params: listOf(
      'Folders to be exported',
      objectOf('An export', { export_dir: path('The folder'), export_to: text('To whom', '^[A-Za-z0-9.:/*_-]{1,255}$') }, [
        'export_dir',
        'export_to',
      ]),
    ),
  },
  ['ssh_cp_name', 'cinder_volume_setup_params', 'nfs_server_setup_params'],
);

/** The beginning of the path of images, as names of images have it. */
const PROJECT = '(/[a-z0-9][a-z0-9._-]*)*';

/** None is as good as no list: the reference has 0 to N of them. */
const persistentVolumes: JsonObject = {
  ...listOf(
    'PersistentVolumes to be registered',
    objectOf('A volume', { pv_manifest_file_path: path('Manifest in the package'), nfs_server_cp: named('CP of its server') }, [
      'pv_manifest_file_path',
      'nfs_server_cp',
    ]),
  ),
  minItems: 0,
};

export const registries: JsonObject = {
  ...listOf(
    'Private image registries',
    objectOf(
      'A registry',
      {
        connection_type: { enum: ['0', '1', 0, 1], title: '0: HTTP, 1: HTTPS' },
        server: text(
          'Host and port, and a project whose login it is',
          `^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?${PROJECT}$`,
          { maxLength: 512 },
        ),
        // A colon would end it.
        username: text('User who pulls', `^[^:${CONTROL}]{1,255}$`),
        password,
        certificate_path: path('Its CA certificate in the package'),
        hosts_string: text(
          'Address and name for /etc/hosts',
          '^[0-9.]{7,15}[ \\t]+[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$',
        ),
      },
      ['connection_type', 'server'],
    ),
  ),
  // 0..N: an empty list is none.
  minItems: 0,
};

/** `k8s_cluster_installation_param`. */
export const clusterSchema: JsonObject = objectOf(
  'The cluster to be installed',
  {
    script_path: path('Install script in the package'),
    vim_name: text('Name of the VIM that the cluster becomes', `^[^${CONTROL}]{1,255}$`),
    helm_installation_script_path: path('Script that installs Helm'),
    verification_image: verificationImage,
    image_repository: text('Registry and path of all images of the cluster, in place of the service’s', IMAGE_REPOSITORY, {
      maxLength: 512,
    }),
    network_addon: networkAddon,
    master_node: master,
    worker_node: worker,
    proxy,
    storage_server: storageServer,
    pv_registration_params: persistentVolumes,
    private_registry_connection_info: registries,
  },
  ['script_path', 'master_node', 'worker_node'],
);

/** JSON Schema (2020-12) of `additionalParams`. */
export const parameterSchema: JsonObject = parametersOf('mgmt-drivers-kubernetes', PARAM, clusterSchema);
