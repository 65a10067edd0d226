import { hookContextOf, INSTANCE, validateRequestOf, vnfc as vnfcOf } from '@windlass/driver-kit/testing';
import { masked, type JsonObject } from '@windlass/foundation';
import type { HookContext, PackageFile, ValidateRequest, Vnfc } from '@windlass/mgmt-driver';

export { INSTANCE };
export const PARAMS = 'k8s_cluster_installation_param';

/** The unchanged `additionalParams` of the guide's `simple_kubernetes_param_file.json` (seeds/1-k8s-cluster-user-guide.txt). */
export const guideParams = (): JsonObject => ({
  k8s_cluster_installation_param: {
    script_path: 'Scripts/install_k8s_cluster.sh',
    vim_name: 'kubernetes_vim',
    master_node: {
      aspect_id: 'master_instance',
      ssh_cp_name: 'masterNode_CP1',
      nic_cp_name: 'masterNode_CP1',
      username: 'ubuntu',
      password: 'ubuntu',
      pod_cidr: '192.168.3.0/16',
      cluster_cidr: '10.199.187.0/24',
      cluster_cp_name: 'masterNode_CP1',
    },
    worker_node: {
      aspect_id: 'worker_instance',
      ssh_cp_name: 'workerNode_CP2',
      nic_cp_name: 'workerNode_CP2',
      username: 'ubuntu',
      password: 'ubuntu',
    },
    proxy: {
      http_proxy: 'http://user1:password1@host1:port1',
      https_proxy: 'https://user2:password2@host2:port2',
      no_proxy: '192.168.246.0/24,10.0.0.1',
      k8s_node_cidr: '10.10.0.0/24',
    },
  },
  'lcm-operation-user-data': './UserData/k8s_cluster_user_data.py',
  'lcm-operation-user-data-class': 'KubernetesClusterUserData',
});

/** The guide's parameters without proxies. */
export function plainParams(): JsonObject {
  const params = guideParams();
  const cluster = params[PARAMS] as JsonObject;
  delete cluster.proxy;
  (cluster.master_node as JsonObject).pod_cidr = '192.168.0.0/16';
  return params;
}

/** Adds the unchanged storage server and PersistentVolumes of the sample body in seeds/3-persistent-volumes-spec.txt. */
export function withStorage(params: JsonObject): JsonObject {
  const numbers = [1, 2, 3];
  Object.assign(params[PARAMS] as JsonObject, {
    storage_server: {
      ssh_cp_name: 'storage_server_CP',
      username: 'ubuntu',
      password: 'ubuntu',
      cinder_volume_setup_params: [{ volume_resource_id: 'storage_server_volume', mount_to: '/volume' }],
      nfs_server_setup_params: numbers.map((n) => ({ export_dir: `/volume/nfs/pv${n}`, export_to: '10.10.0.0/24' })),
    },
    pv_registration_params: numbers.map((n) => ({
      pv_manifest_file_path: `Files/kubernetes/nfs-pv${n}.yaml`,
      nfs_server_cp: 'storage_server_CP',
    })),
  });
  return params;
}

/** The manifests that {@link withStorage} names. */
export const manifests = (): PackageFile[] =>
  [1, 2, 3].map((n) => ({
    path: `Files/kubernetes/nfs-pv${n}.yaml`,
    size: 300,
    sha256: 'cd'.repeat(32),
    firstLine: 'apiVersion: v1',
  }));

export const script = (firstLine = '# windlass: builtin'): PackageFile => ({
  path: 'Scripts/install_k8s_cluster.sh',
  size: 512,
  sha256: 'ab'.repeat(32),
  firstLine,
});

export const flavour = (): ValidateRequest['flavour'] => ({
  id: 'simple',
  vdus: ['masterNode', 'workerNode', 'storage_server'],
  cps: [
    { id: 'masterNode_CP1', vdu: 'masterNode' },
    { id: 'workerNode_CP2', vdu: 'workerNode' },
    { id: 'outside_CP', vdu: null },
    { id: 'storage_server_CP', vdu: 'storage_server' },
  ],
  aspects: ['master_instance', 'worker_instance'],
  mostVnfcs: { masterNode: 3, workerNode: 4, storage_server: 1 },
  storages: [{ id: 'storage_server_volume', vdu: 'storage_server' }],
});

/** The request of lcm-api for a validation, with secrets masked. */
export const validateRequest = (params: JsonObject, more: Partial<ValidateRequest> = {}): ValidateRequest =>
  validateRequestOf({
    requestParams: masked(params),
    flavour: flavour(),
    files: [script(), ...manifests()],
    ...more,
  });

/** A VM with one CP. */
export const vnfc = (role: 'master' | 'worker', n: number, address: string, more: Partial<Vnfc> = {}): Vnfc =>
  vnfcOf(`${role}-${n}`, role === 'master' ? 'masterNode_CP1' : 'workerNode_CP2', address, {
    vduId: `${role}Node`,
    aspectId: `${role}_instance`,
    memberName: `member-${n}`,
    ...more,
  });

/** The storage server's VM. */
export const storageServer = (more: Partial<Vnfc> = {}): Vnfc =>
  vnfcOf('storage', 'storage_server_CP', '10.10.0.50', {
    vduId: 'storage_server',
    volumes: [{ name: 'storage_server_volume', resourceId: 'f1c0a9be-2f0e-4a7c-9a34-8f1d1e7a1c11', device: '/dev/vdb' }],
    ...more,
  });

/** An instance with these VMs and their volumes, at a hook. */
export const withVms = (vnfcs: Vnfc[]): Pick<HookContext, 'vnfcs' | 'volumes'> => ({
  vnfcs,
  volumes: vnfcs.flatMap(({ id: vnfcId, volumes = [] }) => volumes.map((volume) => ({ ...volume, vnfcId }))),
});

/** The context of a hook with one master and so many workers. */
export const hookContext = (params: JsonObject, workers: number, more: Partial<HookContext> = {}): HookContext =>
  hookContextOf({
    instantiateParams: masked(params),
    requestParams: masked(params),
    vnfcs: [
      vnfc('master', 1, '10.10.0.24'),
      ...Array.from({ length: workers }, (_, n) => vnfc('worker', n + 1, `10.10.0.${31 + n}`)),
    ],
    files: [script(), ...manifests()],
    ...more,
  });

/** The context of a scaling's hook: the last of two workers is to leave, or has come. */
export const scaled = (hook: 'scale_start' | 'scale_end', changeType = hook === 'scale_start' ? 'REMOVED' : 'ADDED') =>
  ({
    hook,
    request: { type: changeType === 'REMOVED' ? 'SCALE_IN' : 'SCALE_OUT', aspectId: 'worker_instance', numberOfSteps: 1 },
    affectedVnfcs: [{ changeType, vnfc: vnfc('worker', 2, '10.10.0.32') }],
  }) as Partial<HookContext>;

/** The context of a heal's hook, for some VNFCs, or for the whole instance where none is named. */
export const healed = (hook: 'heal_start' | 'heal_end', vnfcIds: string[], more: Partial<HookContext['heal']> = {}) =>
  ({
    hook,
    request: {},
    heal: { vnfcIds, whole: false, recreates: false, cause: null, earlierResourceIds: {}, ...more },
  }) as Partial<HookContext>;

/** The context of a hook of a change of connectivity, with the VNFCs' new and earlier addresses. */
export function reconnected(
  hook: 'change_external_connectivity_start' | 'change_external_connectivity_end',
  { vnfcs, earlier, sharedCps = [], earlierSharedCps = sharedCps, cps }: Reconnected,
): Partial<HookContext> {
  const earlierCps = Object.fromEntries(
    vnfcs.map(({ id, cps: of }) => [id, of.map((cp) => ({ ...cp, addresses: [earlier[id] ?? cp.addresses[0] ?? ''] }))]),
  );
  return {
    hook,
    request: {},
    vnfcs,
    sharedCps,
    connectivity: { cps: cps.map((cpdId) => ({ cpdId, moves: true })), networks: {}, earlierCps, earlierSharedCps },
  };
}

interface Reconnected {
  vnfcs: Vnfc[];
  /** The earlier addresses of the VNFCs whose addresses change, by the VNFC's id. */
  earlier: Record<string, string>;
  sharedCps?: HookContext['sharedCps'];
  earlierSharedCps?: HookContext['sharedCps'];
  /** The connection points of the request. */
  cps: string[];
}
