import { millis, minutes, seconds, waitUntil } from '@windlass/foundation';
import { kubeconfigOf } from '../../client/kubeconfig.js';
import type { KubeClient } from '../../client/kube-client.js';
import type { ConfigMap, KubeNode, Role, RoleBinding, Subject, Taint } from '../../kube/kinds.js';
import { R } from '../../kube/resources.js';
import { StatusError } from '../../kube/status-error.js';
import { DEFAULT_GROUP } from '../settings.js';
import { grant, RBAC_GROUP } from './upload.js';

const CSR = 'certificates.k8s.io';

const clusterBinding = (name: string, role: string, subject: Subject): RoleBinding => ({
  apiVersion: `${RBAC_GROUP}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: role },
  subjects: [{ ...subject, apiGroup: RBAC_GROUP }],
});

/** Binds `kubeadm:cluster-admins`, the group of admin.conf, to cluster-admin. Done with super-admin.conf, which needs no RBAC. */
export const bindClusterAdmins = (client: KubeClient): Promise<unknown> =>
  client.apply(
    R.clusterrolebindings,
    clusterBinding('kubeadm:cluster-admins', 'cluster-admin', { kind: 'Group', name: 'kubeadm:cluster-admins' }),
  );

const ROLE_LABEL = 'node-role.kubernetes.io/control-plane';
export const CONTROL_PLANE_TAINT: Taint = { key: ROLE_LABEL, effect: 'NoSchedule' };
const LABELS = { [ROLE_LABEL]: '', 'node.kubernetes.io/exclude-from-external-load-balancers': '' };

/** Labels a node as control plane, and taints it. */
export async function markControlPlane(client: KubeClient, name: string, taints: readonly Taint[]): Promise<void> {
  // Its kubelet registers it as soon as the API server answers.
  await waitUntil(async () => client.find(R.nodes, { name }), {
    for: `the node ${name} to register`,
    within: minutes(2),
    every: millis(100),
    growth: 1.2,
    atMost: seconds(1),
  });
  for (let attempt = 1; ; attempt++) {
    const node = await client.get<KubeNode>(R.nodes, { name });
    const others = (node.spec?.taints ?? []).filter(
      (taint) => !taints.some((own) => own.key === taint.key && own.effect === taint.effect),
    );
    const next: KubeNode = { ...node, spec: { ...node.spec, taints: [...others, ...taints] } };
    next.metadata.labels = { ...node.metadata.labels, ...LABELS };
    try {
      await client.update(R.nodes, next);
      return;
    } catch (error) {
      // Its kubelet or a controller wrote in between.
      if (!(error instanceof StatusError) || error.code !== 409 || attempt >= 10) throw error;
    }
  }
}

/** The RBAC by which joining nodes may read nodes, ask for a certificate, and get it without anybody's approval. */
export async function allowBootstrap(client: KubeClient): Promise<void> {
  const bootstrappers: Subject = { kind: 'Group', name: DEFAULT_GROUP };
  const getNodes: Role = {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'kubeadm:get-nodes' },
    rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
  };
  await client.apply(R.clusterroles, getNodes);
  const requests = `system:${CSR}:certificatesigningrequests`;
  const bindings = [
    clusterBinding('kubeadm:get-nodes', 'kubeadm:get-nodes', bootstrappers),
    clusterBinding('kubeadm:kubelet-bootstrap', 'system:node-bootstrapper', bootstrappers),
    clusterBinding('kubeadm:node-autoapprove-bootstrap', `${requests}:nodeclient`, bootstrappers),
    clusterBinding('kubeadm:node-autoapprove-certificate-rotation', `${requests}:selfnodeclient`, {
      kind: 'Group',
      name: 'system:nodes',
    }),
  ];
  await Promise.all(bindings.map((binding) => client.apply(R.clusterrolebindings, binding)));
}

/** `kube-public/cluster-info`: where the API server is and which CA it has, readable by anybody; the bootstrap signer vouches for it. */
export async function publishClusterInfo(client: KubeClient, server: string, ca: string): Promise<void> {
  const { stringify } = await import('yaml');
  const config = kubeconfigOf({ server, ca }, { cluster: '', user: '' });
  const kubeconfig = stringify({ ...config, contexts: null, 'current-context': '', users: null });
  const map: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cluster-info', namespace: 'kube-public' },
    data: { kubeconfig },
  };
  await client.apply(R.configmaps, map);
  const anybody: Subject = { kind: 'User', name: 'system:anonymous', apiGroup: RBAC_GROUP };
  await grant(
    client,
    'kubeadm:bootstrap-signer-clusterinfo',
    'kube-public',
    [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['cluster-info'], verbs: ['get'] }],
    [anybody],
  );
}
