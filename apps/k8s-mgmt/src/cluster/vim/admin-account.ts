import type { JsonObject } from '@windlass/foundation';

/** As the reference system names them, for those who look for them there. */
export const ADMIN_NAMESPACE = 'kube-system';
export const ADMIN_SECRET = 'admin-token';
const ADMIN = 'admin';

const labels = { 'app.kubernetes.io/managed-by': 'windlass' };

/**
 * An account that may do everything, and a token for it that does not expire: a Secret of type `kubernetes.io/service-account-token`, which
 * Kubernetes has not made by itself since 1.24.
 */
export const adminAccount: JsonObject = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ADMIN, namespace: ADMIN_NAMESPACE, labels } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'windlass-admin', labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: ADMIN, namespace: ADMIN_NAMESPACE }],
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: ADMIN_SECRET,
        namespace: ADMIN_NAMESPACE,
        labels,
        annotations: { 'kubernetes.io/service-account.name': ADMIN },
      },
      type: 'kubernetes.io/service-account-token',
    },
  ],
};
