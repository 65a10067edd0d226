import type { Json } from '@windlass/foundation';
import type {
  CertificateSigningRequest,
  ConfigMap,
  DaemonSet,
  Deployment,
  KubeNode,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
} from '../../kube/kinds.js';
import { conditionOf } from '../../kube/kinds.js';
import { at, stringAt, type KubeObject } from '../../kube/object.js';
import { R, type ResourceType } from '../../kube/resources.js';
import { ageOf, orNone } from './cells.js';

/** One column of `kubectl get`. `wide` ones appear with `-o wide` only. */
export interface Column {
  name: string;
  wide?: boolean;
  cell: (object: KubeObject, now: Date) => Json;
}

const NAME: Column = { name: 'Name', cell: (object) => object.metadata.name };
const AGE: Column = { name: 'Age', cell: (object, now) => ageOf(object.metadata.creationTimestamp, now) };

/** A column of one kind: `cell` names that kind as its parameter's type. */
const column = (name: string, cell: (object: never) => Json, wide = false): Column => ({
  name,
  wide,
  cell: (object) => cell(object as never),
});

function nodeStatus(node: KubeNode): string {
  const ready = conditionOf(node, 'Ready');
  const status = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return node.spec?.unschedulable === true ? `${status},SchedulingDisabled` : status;
}

function nodeRoles(node: KubeNode): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.keys(node.metadata.labels ?? {}).filter((label) => label.startsWith(prefix));
  return orNone(
    roles
      .map((label) => label.slice(prefix.length))
      .sort()
      .join(','),
  );
}

const address = (node: KubeNode, type: string): string =>
  orNone(node.status?.addresses?.find((entry) => entry.type === type)?.address ?? '');

const info = (node: KubeNode, member: string): string => node.status?.nodeInfo?.[member] ?? '<unknown>';

const NODES: Column[] = [
  NAME,
  column('Status', nodeStatus),
  column('Roles', nodeRoles),
  AGE,
  column('Version', (node: KubeNode) => info(node, 'kubeletVersion')),
  column('Internal-IP', (node: KubeNode) => address(node, 'InternalIP'), true),
  column('External-IP', (node: KubeNode) => address(node, 'ExternalIP'), true),
  column('OS-Image', (node: KubeNode) => info(node, 'osImage'), true),
  column('Kernel-Version', (node: KubeNode) => info(node, 'kernelVersion'), true),
  column('Container-Runtime', (node: KubeNode) => info(node, 'containerRuntimeVersion'), true),
];

function podStatus(pod: Pod): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const waiting = pod.status?.containerStatuses
    ?.map((status) => status.state.waiting?.reason ?? '')
    .find((reason) => reason !== '');
  return waiting ?? pod.status?.reason ?? pod.status?.phase ?? 'Unknown';
}

const PODS: Column[] = [
  NAME,
  column('Ready', (pod: Pod) => {
    const statuses = pod.status?.containerStatuses ?? [];
    return `${statuses.filter((status) => status.ready).length}/${pod.spec.containers.length}`;
  }),
  column('Status', podStatus),
  column('Restarts', (pod: Pod) => (pod.status?.containerStatuses ?? []).reduce((sum, status) => sum + status.restartCount, 0)),
  AGE,
  column('IP', (pod: Pod) => orNone(pod.status?.podIP ?? ''), true),
  column('Node', (pod: Pod) => orNone(pod.spec.nodeName ?? ''), true),
  column('Nominated Node', () => '<none>', true),
  column('Readiness Gates', () => '<none>', true),
];

const MODES: Record<string, string> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const modes = (list: readonly string[] | undefined): string => (list ?? []).map((mode) => MODES[mode] ?? mode).join(',');

const phase = (object: PersistentVolume | PersistentVolumeClaim): string =>
  object.metadata.deletionTimestamp === undefined ? (object.status?.phase ?? '') : 'Terminating';

const VOLUMES: Column[] = [
  NAME,
  column('Capacity', (volume: PersistentVolume) => volume.spec.capacity?.storage ?? ''),
  column('Access Modes', (volume: PersistentVolume) => modes(volume.spec.accessModes)),
  column('Reclaim Policy', (volume: PersistentVolume) => volume.spec.persistentVolumeReclaimPolicy ?? ''),
  column('Status', phase),
  column('Claim', ({ spec: { claimRef } }: PersistentVolume) =>
    claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`,
  ),
  column('StorageClass', (volume: PersistentVolume) => volume.spec.storageClassName ?? ''),
  column('Reason', () => ''),
  AGE,
  column('VolumeMode', (volume: PersistentVolume) => volume.spec.volumeMode ?? '', true),
];

const CLAIMS: Column[] = [
  NAME,
  column('Status', phase),
  column('Volume', (claim: PersistentVolumeClaim) => claim.spec.volumeName ?? ''),
  column('Capacity', (claim: PersistentVolumeClaim) => claim.status?.capacity?.storage ?? ''),
  column('Access Modes', (claim: PersistentVolumeClaim) => modes(claim.status?.accessModes)),
  column('StorageClass', (claim: PersistentVolumeClaim) => claim.spec.storageClassName ?? ''),
  AGE,
];

const count = (object: { status?: object }, member: string): number => {
  const value = at(object.status, member);
  return typeof value === 'number' ? value : 0;
};

const counted = (name: string, member: string): Column => column(name, (object: DaemonSet) => count(object, member));

const DAEMONSETS: Column[] = [
  NAME,
  counted('Desired', 'desiredNumberScheduled'),
  counted('Current', 'currentNumberScheduled'),
  counted('Ready', 'numberReady'),
  counted('Up-to-date', 'updatedNumberScheduled'),
  counted('Available', 'numberAvailable'),
  column('Node Selector', ({ spec }: DaemonSet) =>
    orNone(
      Object.entries(spec.template.spec.nodeSelector ?? {})
        .map(([key, value]) => `${key}=${value}`)
        .join(','),
    ),
  ),
  AGE,
];

const DEPLOYMENTS: Column[] = [
  NAME,
  column('Ready', (object: Deployment) => `${count(object, 'readyReplicas')}/${object.spec.replicas ?? 1}`),
  counted('Up-to-date', 'updatedReplicas'),
  counted('Available', 'availableReplicas'),
  AGE,
];

const REPLICASETS: Column[] = [
  NAME,
  column('Desired', (object: ReplicaSet) => object.spec.replicas ?? 1),
  counted('Current', 'replicas'),
  counted('Ready', 'readyReplicas'),
  AGE,
];

const SERVICES: Column[] = [
  NAME,
  column('Type', (service: Service) => service.spec.type ?? ''),
  column('Cluster-IP', (service: Service) => orNone(service.spec.clusterIP ?? '')),
  column('External-IP', () => '<none>'),
  column('Port(s)', (service: Service) =>
    orNone(
      (service.spec.ports ?? [])
        .map(({ port, nodePort, protocol }) => `${port}${nodePort === undefined ? '' : `:${nodePort}`}/${protocol ?? 'TCP'}`)
        .join(','),
    ),
  ),
  AGE,
];

const bindingColumns: Column[] = [NAME, column('Role', ({ roleRef }: RoleBinding) => `${roleRef.kind}/${roleRef.name}`), AGE];

const COLUMNS = new Map<ResourceType, Column[]>([
  [R.nodes, NODES],
  [R.pods, PODS],
  [R.persistentvolumes, VOLUMES],
  [R.persistentvolumeclaims, CLAIMS],
  [R.daemonsets, DAEMONSETS],
  [R.deployments, DEPLOYMENTS],
  [R.replicasets, REPLICASETS],
  [R.services, SERVICES],
  [R.namespaces, [NAME, column('Status', (namespace: Namespace) => namespace.status?.phase ?? ''), AGE]],
  [
    R.secrets,
    [
      NAME,
      column('Type', (secret: Secret) => secret.type ?? ''),
      column('Data', (secret: Secret) => Object.keys(secret.data ?? {}).length),
      AGE,
    ],
  ],
  [R.configmaps, [NAME, column('Data', (map: ConfigMap) => Object.keys(map.data ?? {}).length), AGE]],
  [R.serviceaccounts, [NAME, column('Secrets', (account: ServiceAccount) => account.secrets?.length ?? 0), AGE]],
  [R.leases, [NAME, column('Holder', (lease) => stringAt(lease, 'spec', 'holderIdentity') ?? ''), AGE]],
  [R.clusterrolebindings, bindingColumns],
  [R.rolebindings, bindingColumns],
  [R.storageclasses, [NAME, column('Provisioner', (object) => stringAt(object, 'provisioner') ?? ''), AGE]],
  [
    R.events,
    [
      { name: 'Last Seen', cell: (event, now) => ageOf(stringAt(event, 'lastTimestamp'), now) },
      column('Type', (event) => stringAt(event, 'type') ?? ''),
      column('Reason', (event) => stringAt(event, 'reason') ?? ''),
      column(
        'Object',
        (event) =>
          `${(stringAt(event, 'involvedObject', 'kind') ?? '').toLowerCase()}/${stringAt(event, 'involvedObject', 'name') ?? ''}`,
      ),
      column('Message', (event) => stringAt(event, 'message') ?? ''),
    ],
  ],
  [
    R.certificatesigningrequests,
    [
      NAME,
      AGE,
      column('SignerName', (csr) => stringAt(csr, 'spec', 'signerName') ?? ''),
      column('Requestor', (csr) => stringAt(csr, 'spec', 'username') ?? ''),
      column('Condition', (csr: CertificateSigningRequest) => {
        const types = (csr.status?.conditions ?? []).map((condition) => condition.type);
        if (types.length === 0) return 'Pending';
        return [...types, ...(csr.status?.certificate === undefined ? [] : ['Issued'])].join(',');
      }),
    ],
  ],
]);

export const columnsOf = (type: ResourceType): Column[] => COLUMNS.get(type) ?? [NAME, AGE];
