/** One resource of the API: where it is served and under which names kubectl finds it. */
export interface ResourceType {
  group: string;
  version: string;
  plural: string;
  singular: string;
  kind: string;
  namespaced: boolean;
  shortNames: readonly string[];
  verbs: readonly string[];
  categories: readonly string[];
  subresources: readonly Subresource[];
}

export interface Subresource {
  name: string;
  kind: string;
  verbs: readonly string[];
  /** Group and version of the kind where they differ from the resource's, as with `pods/eviction`. */
  group?: string;
  version?: string;
}

const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

const status = (kind: string): Subresource => ({ name: 'status', kind, verbs: ['get', 'patch', 'update'] });
const scale: Subresource = {
  name: 'scale',
  kind: 'Scale',
  group: 'autoscaling',
  version: 'v1',
  verbs: ['get', 'patch', 'update'],
};

interface Extras {
  shortNames?: string[];
  verbs?: readonly string[];
  categories?: string[];
  subresources?: Subresource[];
  clusterWide?: boolean;
}

function resource(groupVersion: string, plural: string, kind: string, extras: Extras = {}): ResourceType {
  const slash = groupVersion.indexOf('/');
  return {
    group: slash < 0 ? '' : groupVersion.slice(0, slash),
    version: groupVersion.slice(slash + 1),
    plural,
    singular: kind.toLowerCase(),
    kind,
    namespaced: extras.clusterWide !== true,
    shortNames: extras.shortNames ?? [],
    verbs: extras.verbs ?? ALL,
    categories: extras.categories ?? [],
    subresources: extras.subresources ?? [],
  };
}

const clusterWide = true;
const CREATE = ['create'];

const podSubresources: Subresource[] = [
  { name: 'binding', kind: 'Binding', verbs: CREATE },
  { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: CREATE },
  status('Pod'),
];

const core = {
  configmaps: resource('v1', 'configmaps', 'ConfigMap', { shortNames: ['cm'] }),
  endpoints: resource('v1', 'endpoints', 'Endpoints', { shortNames: ['ep'] }),
  events: resource('v1', 'events', 'Event', { shortNames: ['ev'] }),
  namespaces: resource('v1', 'namespaces', 'Namespace', {
    clusterWide,
    shortNames: ['ns'],
    subresources: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }, status('Namespace')],
  }),
  nodes: resource('v1', 'nodes', 'Node', { clusterWide, shortNames: ['no'], subresources: [status('Node')] }),
  persistentvolumeclaims: resource('v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', {
    shortNames: ['pvc'],
    subresources: [status('PersistentVolumeClaim')],
  }),
  persistentvolumes: resource('v1', 'persistentvolumes', 'PersistentVolume', {
    clusterWide,
    shortNames: ['pv'],
    subresources: [status('PersistentVolume')],
  }),
  pods: resource('v1', 'pods', 'Pod', { shortNames: ['po'], categories: ['all'], subresources: podSubresources }),
  secrets: resource('v1', 'secrets', 'Secret'),
  serviceaccounts: resource('v1', 'serviceaccounts', 'ServiceAccount', {
    shortNames: ['sa'],
    subresources: [{ name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: CREATE }],
  }),
  services: resource('v1', 'services', 'Service', {
    shortNames: ['svc'],
    categories: ['all'],
    subresources: [status('Service')],
  }),
};

const workloads = {
  daemonsets: resource('apps/v1', 'daemonsets', 'DaemonSet', {
    shortNames: ['ds'],
    categories: ['all'],
    subresources: [status('DaemonSet')],
  }),
  deployments: resource('apps/v1', 'deployments', 'Deployment', {
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: [scale, status('Deployment')],
  }),
  replicasets: resource('apps/v1', 'replicasets', 'ReplicaSet', {
    shortNames: ['rs'],
    categories: ['all'],
    subresources: [scale, status('ReplicaSet')],
  }),
};

const RBAC = 'rbac.authorization.k8s.io/v1';
const rbac = {
  clusterrolebindings: resource(RBAC, 'clusterrolebindings', 'ClusterRoleBinding', { clusterWide }),
  clusterroles: resource(RBAC, 'clusterroles', 'ClusterRole', { clusterWide }),
  rolebindings: resource(RBAC, 'rolebindings', 'RoleBinding'),
  roles: resource(RBAC, 'roles', 'Role'),
};

const others = {
  certificatesigningrequests: resource('certificates.k8s.io/v1', 'certificatesigningrequests', 'CertificateSigningRequest', {
    clusterWide,
    shortNames: ['csr'],
    subresources: [
      { name: 'approval', kind: 'CertificateSigningRequest', verbs: ['get', 'patch', 'update'] },
      status('CertificateSigningRequest'),
    ],
  }),
  customresourcedefinitions: resource('apiextensions.k8s.io/v1', 'customresourcedefinitions', 'CustomResourceDefinition', {
    clusterWide,
    shortNames: ['crd', 'crds'],
    subresources: [status('CustomResourceDefinition')],
  }),
  leases: resource('coordination.k8s.io/v1', 'leases', 'Lease'),
  poddisruptionbudgets: resource('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget', {
    shortNames: ['pdb'],
    subresources: [status('PodDisruptionBudget')],
  }),
  priorityclasses: resource('scheduling.k8s.io/v1', 'priorityclasses', 'PriorityClass', {
    clusterWide,
    shortNames: ['pc'],
  }),
  storageclasses: resource('storage.k8s.io/v1', 'storageclasses', 'StorageClass', { clusterWide, shortNames: ['sc'] }),
};

const AUTHENTICATION = 'authentication.k8s.io/v1';
const AUTHORIZATION = 'authorization.k8s.io/v1';
/** Questions rather than things: created, answered, never stored. */
const reviews = {
  tokenreviews: resource(AUTHENTICATION, 'tokenreviews', 'TokenReview', { clusterWide, verbs: CREATE }),
  selfsubjectreviews: resource(AUTHENTICATION, 'selfsubjectreviews', 'SelfSubjectReview', { clusterWide, verbs: CREATE }),
  selfsubjectaccessreviews: resource(AUTHORIZATION, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', {
    clusterWide,
    verbs: CREATE,
  }),
  subjectaccessreviews: resource(AUTHORIZATION, 'subjectaccessreviews', 'SubjectAccessReview', {
    clusterWide,
    verbs: CREATE,
  }),
};

/** Every resource that the API server stand-in serves, by its plural name. */
export const R = { ...core, ...workloads, ...rbac, ...others, ...reviews };

export const ALL_RESOURCES: readonly ResourceType[] = Object.values(R);

export const isReview = (type: ResourceType): boolean => Object.values(reviews).includes(type);

export const groupVersionOf = ({ group, version }: { group: string; version: string }): string =>
  group === '' ? version : `${group}/${version}`;

export const hasSubresource = (type: ResourceType, name: string): boolean =>
  type.subresources.some((subresource) => subresource.name === name);

/** The request path of a collection, an object or a subresource. */
export function resourcePath(type: ResourceType, where: { namespace?: string; name?: string; subresource?: string }): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const namespace = where.namespace === undefined ? '' : `/namespaces/${encodeURIComponent(where.namespace)}`;
  const name = where.name === undefined ? '' : `/${encodeURIComponent(where.name)}`;
  const subresource = where.subresource === undefined ? '' : `/${where.subresource}`;
  return `${root}${namespace}/${type.plural}${name}${subresource}`;
}

/** The key under which etcd holds an object, or the prefix of a collection (with its final slash). */
export function storageKey(type: ResourceType, namespace?: string, name?: string): string {
  const group = type.group === '' ? '' : `${type.group}/`;
  const scope = type.namespaced && namespace !== undefined ? `${namespace}/` : '';
  return `/registry/${group}${type.plural}/${scope}${name ?? ''}`;
}
