import type { PolicyRule, Role, RoleBinding } from '../kube/kinds.js';
import type { Namespace } from '../kube/kinds.js';

const RBAC = 'rbac.authorization.k8s.io';
const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];

const rule = (apiGroups: string[], resources: string[], verbs: string[], resourceNames?: string[]): PolicyRule => ({
  apiGroups,
  resources,
  verbs,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});

const clusterRole = (name: string, rules: PolicyRule[], labels: Record<string, string> = {}): Role => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: { name, labels: { ...LABELS, ...labels } },
  rules,
});

const binding = (name: string, role: string, subject: { kind: 'User' | 'Group'; name: string }[]): RoleBinding => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name, labels: LABELS },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
  subjects: subject.map((entry) => ({ ...entry, apiGroup: RBAC })),
});

const VERSION_PATHS = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const DISCOVERY_PATHS = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*', ...VERSION_PATHS];

const NAMESPACED_READS = [
  rule(
    [''],
    ['configmaps', 'endpoints', 'persistentvolumeclaims', 'pods', 'serviceaccounts', 'services', 'events', 'namespaces'],
    READ,
  ),
  rule(['apps'], ['daemonsets', 'deployments', 'replicasets'], READ),
  rule(['policy'], ['poddisruptionbudgets'], READ),
];
const NAMESPACED_WRITES = [
  rule(
    [''],
    ['configmaps', 'endpoints', 'persistentvolumeclaims', 'pods', 'secrets', 'serviceaccounts', 'services', 'events'],
    WRITE,
  ),
  rule([''], ['secrets'], READ),
  rule([''], ['pods/eviction', 'serviceaccounts/token'], ['create']),
  rule(['apps'], ['daemonsets', 'deployments', 'deployments/scale', 'replicasets', 'replicasets/scale'], WRITE),
  rule(['policy'], ['poddisruptionbudgets'], WRITE),
  rule(['coordination.k8s.io'], ['leases'], [...READ, ...WRITE]),
];

/** What the controller manager stand-in does under one identity, where the real one has a service account per controller. */
const CONTROLLER_MANAGER = [
  rule(['*'], ['*'], READ),
  rule(
    [''],
    [
      'configmaps',
      'endpoints',
      'events',
      'namespaces/finalize',
      'namespaces/status',
      'nodes',
      'nodes/status',
      'persistentvolumeclaims',
      'persistentvolumeclaims/status',
      'persistentvolumes',
      'persistentvolumes/status',
      'pods',
      'pods/status',
      'secrets',
      'serviceaccounts',
      'services',
    ],
    WRITE,
  ),
  rule(['*'], ['*'], ['delete', 'deletecollection']),
  rule(
    ['apps'],
    ['daemonsets', 'daemonsets/status', 'deployments', 'deployments/status', 'replicasets', 'replicasets/status'],
    WRITE,
  ),
  rule(['policy'], ['poddisruptionbudgets/status'], WRITE),
  rule(['coordination.k8s.io'], ['leases'], WRITE),
  rule(
    ['certificates.k8s.io'],
    ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
    ['patch', 'update'],
  ),
  rule(['certificates.k8s.io'], ['signers'], ['approve', 'sign']),
  rule(['authorization.k8s.io'], ['subjectaccessreviews'], ['create']),
];

const SCHEDULER = [
  rule([''], ['nodes', 'pods', 'namespaces', 'persistentvolumeclaims', 'persistentvolumes', 'services'], READ),
  rule([''], ['pods/binding'], ['create']),
  rule([''], ['pods/status'], ['patch', 'update']),
  rule([''], ['events'], ['create', 'patch', 'update']),
  rule(['coordination.k8s.io'], ['leases'], ['create', 'get', 'update', 'patch']),
];

const aggregated = (name: string, parts: PolicyRule[], into: string[]): Role[] => [
  {
    ...clusterRole(name, []),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${RBAC}/aggregate-to-${name}`]: 'true' } }] },
  },
  clusterRole(
    `system:aggregate-to-${name}`,
    parts,
    Object.fromEntries(into.map((role) => [`${RBAC}/aggregate-to-${role}`, 'true'])),
  ),
];

const CSR = 'certificates.k8s.io';

/** The ClusterRoles that exist in every cluster, as far as anything here uses them. https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings */
export const BOOTSTRAP_CLUSTER_ROLES: readonly Role[] = [
  clusterRole('cluster-admin', [rule(['*'], ['*'], ['*']), { nonResourceURLs: ['*'], verbs: ['*'] }]),
  ...aggregated('view', NAMESPACED_READS, ['view', 'edit', 'admin']),
  ...aggregated('edit', NAMESPACED_WRITES, ['edit', 'admin']),
  ...aggregated('admin', [rule([RBAC], ['roles', 'rolebindings'], [...READ, ...WRITE])], ['admin']),
  clusterRole('system:basic-user', [
    rule(['authorization.k8s.io'], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
    rule(['authentication.k8s.io'], ['selfsubjectreviews'], ['create']),
  ]),
  clusterRole('system:discovery', [{ nonResourceURLs: DISCOVERY_PATHS, verbs: ['get'] }]),
  clusterRole('system:public-info-viewer', [{ nonResourceURLs: VERSION_PATHS, verbs: ['get'] }]),
  clusterRole('system:node', [rule([''], ['nodes', 'pods', 'services'], READ)]),
  clusterRole('system:node-bootstrapper', [rule([CSR], ['certificatesigningrequests'], ['create', ...READ])]),
  clusterRole('system:node-proxier', [
    rule([''], ['endpoints', 'services', 'nodes'], READ),
    rule([''], ['events'], ['create', 'patch', 'update']),
  ]),
  clusterRole('system:auth-delegator', [
    rule(['authentication.k8s.io'], ['tokenreviews'], ['create']),
    rule(['authorization.k8s.io'], ['subjectaccessreviews'], ['create']),
  ]),
  clusterRole(`system:${CSR}:certificatesigningrequests:nodeclient`, [
    rule([CSR], ['certificatesigningrequests/nodeclient'], ['create']),
  ]),
  clusterRole(`system:${CSR}:certificatesigningrequests:selfnodeclient`, [
    rule([CSR], ['certificatesigningrequests/selfnodeclient'], ['create']),
  ]),
  clusterRole('system:kube-controller-manager', CONTROLLER_MANAGER),
  clusterRole('system:kube-scheduler', SCHEDULER),
];

export const BOOTSTRAP_CLUSTER_ROLE_BINDINGS: readonly RoleBinding[] = [
  binding('cluster-admin', 'cluster-admin', [{ kind: 'Group', name: 'system:masters' }]),
  binding('system:basic-user', 'system:basic-user', [{ kind: 'Group', name: 'system:authenticated' }]),
  binding('system:discovery', 'system:discovery', [{ kind: 'Group', name: 'system:authenticated' }]),
  binding('system:public-info-viewer', 'system:public-info-viewer', [
    { kind: 'Group', name: 'system:authenticated' },
    { kind: 'Group', name: 'system:unauthenticated' },
  ]),
  binding('system:node-proxier', 'system:node-proxier', [{ kind: 'User', name: 'system:kube-proxy' }]),
  binding('system:kube-controller-manager', 'system:kube-controller-manager', [
    { kind: 'User', name: 'system:kube-controller-manager' },
  ]),
  binding('system:kube-scheduler', 'system:kube-scheduler', [{ kind: 'User', name: 'system:kube-scheduler' }]),
];

export const BOOTSTRAP_NAMESPACES: readonly Namespace[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map(
  (name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }),
);

/** The two priority classes of every cluster, for the control plane's own pods. */
export const BOOTSTRAP_PRIORITY_CLASSES = [
  { name: 'system-cluster-critical', value: 2_000_000_000 },
  { name: 'system-node-critical', value: 2_000_001_000 },
].map(({ name, value }) => ({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value }));
