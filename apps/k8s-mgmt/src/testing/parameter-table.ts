import { fieldsOf, setAt, testKey } from '@windlass/driver-kit/testing';
import type { Json, JsonObject } from '@windlass/foundation';
import { guideParams, PARAMS, withStorage } from './requests.js';

/** A request's `additionalParams` with one wrong field. */
export interface WrongField {
  /** The field's path below the cluster's parameters: `/master_node/pod_cidr`. */
  path: string;
  /** The fault: `is missing`, `is true`. */
  how: string;
  params: JsonObject;
}

/** A key that opens with {@link KEY}'s passphrase. */
export const KEY = { passphrase: 'open sesame', ...testKey('open sesame') };

/** A login by key, beside the password. */
const byKey = { private_key: KEY.privateKey, passphrase: KEY.passphrase };

/** The guide's request, with nodes that accept password and key. */
export function byPasswordAndKey(): JsonObject {
  const params = guideParams();
  const { master_node: master, worker_node: worker } = params[PARAMS] as Record<string, JsonObject>;
  for (const machines of [master!, worker!]) Object.assign(machines, byKey);
  return params;
}

/** The guide's request, with nodes that accept a key alone. */
export function byKeyAlone(): JsonObject {
  const params = byPasswordAndKey();
  const { master_node: master, worker_node: worker } = params[PARAMS] as Record<string, JsonObject>;
  for (const machines of [master!, worker!]) delete machines.password;
  return params;
}

/** The guide's request with every optional part that the schema knows. */
export function fullParams(): JsonObject {
  const params = byPasswordAndKey();
  Object.assign(params[PARAMS] as JsonObject, {
    helm_installation_script_path: 'Scripts/install_helm.sh',
    verification_image: 'registry.example:5000/mirror/busybox:1.36',
    image_repository: 'registry.example:5000/mirror',
    network_addon: ['Files/kubernetes/nfs-pv1.yaml'],
    storage_server: {
      ssh_cp_name: 'storage_server_CP',
      nic_cp_name: 'storage_server_CP',
      username: 'ubuntu',
      password: 'ubuntu',
      ...byKey,
      cinder_volume_setup_params: [{ volume_resource_id: 'storage_volume', mount_to: '/volume' }],
      nfs_server_setup_params: [{ export_dir: '/volume/nfs', export_to: '10.10.0.0/24' }],
    },
    pv_registration_params: [{ pv_manifest_file_path: 'Files/kubernetes/nfs-pv1.yaml', nfs_server_cp: 'storage_server_CP' }],
    private_registry_connection_info: [
      {
        connection_type: '1',
        server: 'registry.example:5000',
        username: 'u',
        password: 'p',
        certificate_path: 'Files/ca.crt',
        hosts_string: '10.0.0.9 registry',
      },
    ],
  });
  const { master_node: master, worker_node: worker } = params[PARAMS] as Record<string, JsonObject>;
  Object.assign(master!, { cluster_fip_name: 'cluster_fip', vdu_id: 'masterNode', pod_node_prefix: 25 });
  Object.assign(worker!, { vdu_id: 'workerNode' });
  return params;
}

/** Every field of the parameters, by its path; of a list, the fields of the first entry. */
export const FIELDS: readonly string[] = fieldsOf(fullParams()[PARAMS]);

/** Fields that may not be missing. */
export const REQUIRED: readonly string[] = [
  ...['/script_path', '/master_node', '/worker_node'],
  ...['ssh_cp_name', 'nic_cp_name', 'username'].flatMap((name) => [`/master_node/${name}`, `/worker_node/${name}`]),
  '/master_node/cluster_cp_name',
  ...['ssh_cp_name', 'username', 'cinder_volume_setup_params', 'nfs_server_setup_params'].map(
    (name) => `/storage_server/${name}`,
  ),
  ...['volume_resource_id', 'mount_to'].map((name) => `/storage_server/cinder_volume_setup_params/0/${name}`),
  ...['export_dir', 'export_to'].map((name) => `/storage_server/nfs_server_setup_params/0/${name}`),
  ...['pv_manifest_file_path', 'nfs_server_cp'].map((name) => `/pv_registration_params/0/${name}`),
  ...['connection_type', 'server'].map((name) => `/private_registry_connection_info/0/${name}`),
];

/** Wrong values of the right type. */
export const MALFORMED: readonly (readonly [path: string, value: Json])[] = [
  ['/script_path', 'Scripts/absent.sh'],
  ['/script_path', ''],
  ['/vim_name', ''],
  ['/vim_name', 'x'.repeat(256)],
  ['/helm_installation_script_path', ''],
  ['/verification_image', ''],
  ['/verification_image', 'busybox latest'],
  ['/verification_image', 'busybox;reboot'],
  ['/verification_image', 'docker.io/library/Busybox'],
  ['/verification_image', 'busybox@sha256:12'],
  ['/image_repository', ''],
  ['/image_repository', 'registry.example/'],
  ['/image_repository', 'registry.example/x"; reboot'],
  ['/image_repository', 'https://registry.example/k8s'],
  ['/network_addon', 'weave'],
  ['/network_addon', 'flannel calico'],
  // The service has no CALICO_MANIFEST.
  ['/network_addon', 'calico'],
  ['/network_addon/0', ''],
  ['/network_addon/0', 'Files/kubernetes/absent.yaml'],
  ['/network_addon/1', './Files/kubernetes/nfs-pv1.yaml'],
  ['/master_node/aspect_id', 'no_such_aspect'],
  ['/worker_node/aspect_id', 'no_such_aspect'],
  ['/master_node/vdu_id', 'no_such_VDU'],
  ['/worker_node/vdu_id', 'masterNode'],
  ['/master_node/ssh_cp_name', 'no_such_CP'],
  ['/master_node/nic_cp_name', 'no_such_CP'],
  ['/worker_node/ssh_cp_name', 'no_such_CP'],
  ['/worker_node/nic_cp_name', 'outside_CP'],
  ['/worker_node/nic_cp_name', 'masterNode_CP1'],
  ['/master_node/cluster_cp_name', 'workerNode_CP2'],
  ['/master_node/cluster_cp_name', 'vip_CP'],
  ['/master_node/username', 'root; reboot'],
  ['/worker_node/username', '$(id)'],
  ['/master_node/password', 'two\nlines'],
  ['/worker_node/password', ''],
  ['/master_node/private_key', 'no key'],
  ['/worker_node/private_key', KEY.publicKey],
  // The guide's request has no key for a passphrase.
  ['/master_node/passphrase', 'of nothing'],
  ['/worker_node/passphrase', 'of nothing'],
  ['/master_node/pod_cidr', '192.168.0.0'],
  ['/master_node/pod_cidr', '192.168.0.0/33'],
  ['/master_node/pod_cidr', '300.168.0.0/16'],
  ['/master_node/pod_cidr', '192.168.0.0/26'],
  ['/master_node/pod_cidr', '192.168.0.0/29'],
  // The flavour can have seven nodes, so three to sixteen bits.
  ['/master_node/pod_node_prefix', 18],
  ['/master_node/pod_node_prefix', 29],
  ['/master_node/pod_cidr', '127.0.0.0/16'],
  ['/master_node/cluster_cidr', '10.96.0.0/8'],
  ['/master_node/cluster_cidr', '192.168.187.0/24'],
  ['/master_node/cluster_fip_name', 'a b'],
  ['/proxy/http_proxy', 'ftp://host:21'],
  ['/proxy/http_proxy', 'http://host1:80"; reboot'],
  ['/proxy/https_proxy', 'http://u:p$(id)@host:80'],
  ['/proxy/https_proxy', 'http://host:80\nX: y'],
  ['/proxy/no_proxy', '10.0.0.1;reboot'],
  ['/proxy/k8s_node_cidr', '10.10.0.0/4'],
  ['/proxy/k8s_node_cidr', '192.168.7.0/24'],
  ['/storage_server/ssh_cp_name', 'a b'],
  ['/storage_server/ssh_cp_name', 'no_such_CP'],
  ['/storage_server/ssh_cp_name', 'workerNode_CP2'],
  ['/storage_server/nic_cp_name', ''],
  ['/storage_server/nic_cp_name', 'workerNode_CP2'],
  ['/storage_server/username', 'root; reboot'],
  ['/storage_server/password', 'two\nlines'],
  ['/storage_server/private_key', KEY.privateKey.slice(0, 150)],
  ['/storage_server/passphrase', 'open sasame'],
  ['/storage_server/cinder_volume_setup_params', []],
  ['/storage_server/cinder_volume_setup_params/0/volume_resource_id', '$(id)'],
  ['/storage_server/cinder_volume_setup_params/0/mount_to', ''],
  ['/storage_server/cinder_volume_setup_params/0/mount_to', '/'],
  ['/storage_server/cinder_volume_setup_params/0/mount_to', 'volume'],
  ['/storage_server/cinder_volume_setup_params/0/mount_to', '/volume/../etc'],
  ['/storage_server/cinder_volume_setup_params/0/mount_to', '/my volume'],
  ['/storage_server/nfs_server_setup_params', []],
  ['/storage_server/nfs_server_setup_params/0/export_dir', 'two\nlines'],
  ['/storage_server/nfs_server_setup_params/0/export_dir', '/volume/$(id)'],
  ['/storage_server/nfs_server_setup_params/0/export_dir', 'volume/nfs'],
  ['/storage_server/nfs_server_setup_params/0/export_dir', '/volume/./nfs'],
  ['/storage_server/nfs_server_setup_params/0/export_to', '10.10.0.0/24(rw);reboot'],
  ['/storage_server/nfs_server_setup_params/0/export_to', '*'],
  ['/storage_server/nfs_server_setup_params/0/export_to', '10.10.0.300'],
  ['/storage_server/nfs_server_setup_params/0/export_to', '10.10.0.0/33'],
  ['/pv_registration_params/0/pv_manifest_file_path', ''],
  ['/pv_registration_params/0/pv_manifest_file_path', 'Files/kubernetes/absent.yaml'],
  ['/pv_registration_params/0/nfs_server_cp', 'a b'],
  ['/pv_registration_params/0/nfs_server_cp', 'no_such_CP'],
  ['/private_registry_connection_info/0/connection_type', '2'],
  ['/private_registry_connection_info/0/server', 'https://registry.example'],
  ['/private_registry_connection_info/0/server', '../../x'],
  ['/private_registry_connection_info/0/server', 'registry.example:5000/../x'],
  ['/private_registry_connection_info/0/server', 'registry.example:5000/Team'],
  ['/private_registry_connection_info/0/username', ''],
  ['/private_registry_connection_info/0/username', 'user:password'],
  ['/private_registry_connection_info/0/password', ''],
  ['/private_registry_connection_info/0/certificate_path', ''],
  ['/private_registry_connection_info/0/hosts_string', 'registry'],
];

/** Every field missing (where it must be there), of a wrong type, and malformed, in turn. */
export const wrongFields = (): WrongField[] => [
  { path: '', how: 'is missing', params: without(PARAMS) },
  { path: '', how: 'is []', params: { ...guideParams(), [PARAMS]: [] } },
  ...REQUIRED.map((path) => ({ path, how: 'is missing', params: replaced(fullParams(), path, undefined) })),
  ...FIELDS.flatMap((path) =>
    [true, /_(params|info)$/.test(path) ? 'text' : []].map((wrong) => ({
      path,
      how: `is ${JSON.stringify(wrong)}`,
      params: replaced(fullParams(), path, wrong),
    })),
  ),
  ...['/master_node', '/worker_node', '/storage_server'].map((machines) => ({
    path: `${machines}/password`,
    how: 'is missing, and there is no key',
    params: ['password', 'private_key', 'passphrase'].reduce(
      (params, name) => replaced(params, `${machines}/${name}`, undefined),
      fullParams(),
    ),
  })),
  // The driver finds what the schema accepts, and has more messages on parts that it does not support yet.
  ...MALFORMED.map(([path, value]) => ({
    path,
    how: `is ${JSON.stringify(value).slice(0, 60)}`,
    params: replaced(paramsWith(path), path, value),
  })),
];

function without(name: string): JsonObject {
  const { [name]: _without, ...rest } = guideParams();
  return rest;
}

function withAddon(params: JsonObject): JsonObject {
  Object.assign(params[PARAMS] as JsonObject, { network_addon: ['Files/kubernetes/nfs-pv1.yaml'] });
  return params;
}

/** The smallest parameters with a field. */
function paramsWith(path: string): JsonObject {
  const has = (params: JsonObject): boolean => Object.hasOwn(params[PARAMS] as JsonObject, path.split('/')[1] ?? '');
  if (has(guideParams())) return guideParams();
  if (path.startsWith('/network_addon')) return withAddon(guideParams());
  const params = withStorage(guideParams());
  if (!has(params)) return fullParams();
  Object.assign((params[PARAMS] as Record<string, JsonObject>).storage_server!, byKey);
  return params;
}

export function replaced(params: JsonObject, path: string, value: Json | undefined): JsonObject {
  setAt(params[PARAMS] as JsonObject, path, value);
  return params;
}
