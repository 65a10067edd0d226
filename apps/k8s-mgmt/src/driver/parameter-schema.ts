import type { JsonObject } from '@windlass/foundation';
import { DEFAULT_POD_CIDR, DEFAULT_SERVICE_CIDR, PARAM } from './parameters.js';

// One keyword a fault: `pattern` alone says what a text must be, so that a wrong field is reported once, at its own path.
// Patterns, and not the driver's own check, for whatever holds a secret: only the schema sees those unmasked.

const CONTROL = String.raw`\u0000-\u001f\u007f`;

const text = (title: string, pattern: string, more: JsonObject = {}): JsonObject => ({ type: 'string', title, pattern, ...more });

/** A name of something in the VNFD or the template. */
const named = (title: string): JsonObject => text(title, '^[A-Za-z0-9_.:-]{1,255}$');

/** As `useradd` takes it: also the name of the home folder's owner. */
const username = text('User name for the login by SSH', '^[A-Za-z_][A-Za-z0-9_.-]{0,31}$');

const password: JsonObject = {
  type: ['string', 'number'],
  title: 'Its password',
  pattern: `^[^${CONTROL}]{1,1024}$`,
  writeOnly: true,
};

const path = (title: string): JsonObject => text(title, `^[^${CONTROL}]{1,1024}$`);

const cidr = (title: string, more: JsonObject = {}): JsonObject => text(title, String.raw`^[0-9.]{7,15}/[0-9]{1,2}$`, more);

/**
 * Scheme, user and password percent-encoded, host, port. The guide's own sample has `port1` for a port, so a port is any word.
 * Quotes, blanks, `$`, backquotes, backslashes and control characters are in none of the parts.
 */
const proxyUrl = (title: string): JsonObject =>
  text(title, String.raw`^(https?://([A-Za-z0-9._~%+,=:-]+@)?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[A-Za-z0-9]+)?/?)?$`, {
    maxLength: 2048,
  });

const objectOf = (title: string, properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  title,
  required,
  properties,
});

const listOf = (title: string, items: JsonObject): JsonObject => ({ type: 'array', title, minItems: 1, maxItems: 100, items });

const access = {
  aspect_id: named('Scaling aspect of the group'),
  ssh_cp_name: named('CP whose address is logged in to'),
  username,
  password,
};

const master = objectOf(
  'The control plane node',
  {
    ...access,
    nic_cp_name: named('CP in the cluster’s network'),
    pod_cidr: cidr('Addresses of pods', { default: DEFAULT_POD_CIDR }),
    cluster_cidr: cidr('Addresses of services', { default: DEFAULT_SERVICE_CIDR }),
    cluster_cp_name: named('CP whose address is the cluster’s'),
    cluster_fip_name: named('Floating IP by which the cluster is reached from outside'),
  },
  ['ssh_cp_name', 'nic_cp_name', 'username', 'password', 'cluster_cp_name'],
);

const worker = objectOf('The worker nodes', { ...access, nic_cp_name: named('CP in the cluster’s network') }, [
  'ssh_cp_name',
  'nic_cp_name',
  'username',
  'password',
]);

const proxy = objectOf('Proxies of the nodes', {
  http_proxy: proxyUrl('For http'),
  https_proxy: proxyUrl('For https'),
  no_proxy: text('What is reached without a proxy, separated by commas', String.raw`^[A-Za-z0-9.*:/\[\] ,_-]{0,8192}$`),
  k8s_node_cidr: cidr('Network of the nodes: reached without a proxy'),
});

const storageServer = objectOf(
  'A storage server VNFC',
  {
    ssh_cp_name: named('CP whose address is logged in to'),
    nic_cp_name: named('CP in the cluster’s network'),
    username,
    password,
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
  ['ssh_cp_name', 'username', 'password', 'cinder_volume_setup_params', 'nfs_server_setup_params'],
);

const persistentVolumes = listOf(
  'PersistentVolumes to be registered',
  objectOf('A volume', { pv_manifest_file_path: path('Manifest in the package'), nfs_server_cp: named('CP of its server') }, [
    'pv_manifest_file_path',
    'nfs_server_cp',
  ]),
);

const registries = listOf(
  'Private image registries',
  objectOf(
    'A registry',
    {
      connection_type: { enum: ['0', '1', 0, 1], title: '0: HTTP, 1: HTTPS' },
      server: text('Host and port', '^[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$'),
      username: text('User', `^[^${CONTROL}]{1,255}$`),
      password,
      certificate_path: path('Its CA certificate in the package'),
      hosts_string: text('Address and name for /etc/hosts', '^[0-9.]{7,15}[ \\t]+[A-Za-z0-9.-]{1,253}$'),
    },
    ['connection_type', 'server'],
  ),
);

/** JSON Schema (2020-12) of `additionalParams`. Names that it doesn't know pass: the reference system ignores them too. */
export const parameterSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Parameters of mgmt-drivers-kubernetes',
  type: 'object',
  required: [PARAM],
  properties: {
    [PARAM]: objectOf(
      'The cluster to be installed',
      {
        script_path: path('Install script in the package'),
        vim_name: text('Name of the VIM that the cluster becomes', `^[^${CONTROL}]{1,255}$`),
        helm_installation_script_path: path('Script that installs Helm'),
        master_node: master,
        worker_node: worker,
        proxy,
        storage_server: storageServer,
        pv_registration_params: persistentVolumes,
        private_registry_connection_info: registries,
      },
      ['script_path', 'master_node', 'worker_node'],
    ),
  },
};

/** Names that the schema knows below an object of the parameters, by its path from `k8s_cluster_installation_param`. */
export const knownNames: Readonly<Record<string, readonly string[]>> = {
  '': namesOf((parameterSchema.properties as JsonObject)[PARAM] as JsonObject),
  '/master_node': namesOf(master),
  '/worker_node': namesOf(worker),
  '/proxy': namesOf(proxy),
};

function namesOf(schema: JsonObject): string[] {
  return Object.keys(schema.properties as JsonObject);
}
