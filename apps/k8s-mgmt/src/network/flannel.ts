import { createHash } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { clusterImages, type NetworkImages } from '../settings/images.js';

// The network add-on: flannel, VXLAN. Written from its documentation (github.com/flannel-io/flannel, Documentation/), so that nothing
// is downloaded but images; their versions are pinned in ../internet-defaults.ts.

const FLANNEL_NAMESPACE = 'kube-flannel';

/** The workload that runs flannel's pods. */
export const FLANNEL = { kind: 'DaemonSet', namespace: FLANNEL_NAMESPACE, name: 'kube-flannel-ds' } as const;

const labels = { 'app.kubernetes.io/name': 'flannel', 'app.kubernetes.io/managed-by': 'windlass' };
/** The annotation with the digest of the manifest that was applied. */
export const DIGEST_ANNOTATION = 'windlass.dev/manifest-sha256';

const object = (apiVersion: string, kind: string, name: string, fields: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name, labels, ...metadata },
  ...fields,
});

const inNamespace = { namespace: FLANNEL_NAMESPACE };

const cniConfiguration = {
  name: 'cbr0',
  cniVersion: '0.3.1',
  plugins: [
    { type: 'flannel', delegate: { hairpinMode: true, isDefaultGateway: true } },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
};

const hostPath = (name: string, path: string, type?: string): JsonObject => ({
  name,
  hostPath: { path, ...(type === undefined ? {} : { type }) },
});

const mount = (name: string, mountPath: string): JsonObject => ({ name, mountPath });

const fromField = (name: string, fieldPath: string): JsonObject => ({ name, valueFrom: { fieldRef: { fieldPath } } });

const podSpecOf = ({ flannel, plugin }: NetworkImages): JsonObject => ({
  hostNetwork: true,
  priorityClassName: 'system-node-critical',
  serviceAccountName: 'flannel',
  // A node has no network before flannel runs, so flannel has to run on nodes that are not ready.
  tolerations: [{ operator: 'Exists' }],
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  initContainers: [
    {
      name: 'install-cni-plugin',
      image: plugin,
      command: ['cp'],
      args: ['-f', '/flannel', '/opt/cni/bin/flannel'],
      volumeMounts: [mount('cni-plugin', '/opt/cni/bin')],
    },
    {
      name: 'install-cni',
      image: flannel,
      command: ['cp'],
      args: ['-f', '/etc/kube-flannel/cni-conf.json', '/etc/cni/net.d/10-flannel.conflist'],
      volumeMounts: [mount('cni', '/etc/cni/net.d'), mount('configuration', '/etc/kube-flannel/')],
    },
  ],
  containers: [
    {
      name: 'kube-flannel',
      image: flannel,
      command: ['/opt/bin/flanneld'],
      // The node's address in the cluster's network, which need not be that of the default route.
      args: ['--ip-masq', '--kube-subnet-mgr', '--iface=$(NODE_ADDRESS)'],
      env: [
        fromField('POD_NAME', 'metadata.name'),
        fromField('POD_NAMESPACE', 'metadata.namespace'),
        fromField('NODE_ADDRESS', 'status.hostIP'),
      ],
      resources: { requests: { cpu: '100m', memory: '50Mi' } },
      securityContext: { privileged: false, capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } },
      volumeMounts: [
        mount('run', '/run/flannel'),
        mount('configuration', '/etc/kube-flannel/'),
        mount('xtables-lock', '/run/xtables.lock'),
      ],
    },
  ],
  volumes: [
    hostPath('run', '/run/flannel'),
    hostPath('cni-plugin', '/opt/cni/bin'),
    hostPath('cni', '/etc/cni/net.d'),
    { name: 'configuration', configMap: { name: 'kube-flannel-cfg' } },
    hostPath('xtables-lock', '/run/xtables.lock', 'FileOrCreate'),
  ],
});

const accessRules: JsonObject[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
  { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] },
];

/** All objects of the add-on for these pod addresses, and their digest, which the DaemonSet carries. */
export function flannelManifest(
  podCidr: string,
  images: NetworkImages = clusterImages({}).network,
): { objects: JsonObject; digest: string } {
  const podSpec = podSpecOf(images);
  const network = { Network: podCidr, EnableNFTables: false, Backend: { Type: 'vxlan' } };
  const data = { 'cni-conf.json': JSON.stringify(cniConfiguration, null, 2), 'net-conf.json': JSON.stringify(network, null, 2) };
  const digest = createHash('sha256').update(JSON.stringify({ podSpec, accessRules, data })).digest('hex');
  const items = [
    object(
      'v1',
      'Namespace',
      FLANNEL_NAMESPACE,
      {},
      { labels: { ...labels, 'pod-security.kubernetes.io/enforce': 'privileged' } },
    ),
    object('v1', 'ServiceAccount', 'flannel', {}, inNamespace),
    object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'flannel', { rules: accessRules }),
    object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'flannel', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'flannel' },
      subjects: [{ kind: 'ServiceAccount', name: 'flannel', namespace: FLANNEL_NAMESPACE }],
    }),
    object('v1', 'ConfigMap', 'kube-flannel-cfg', { data }, inNamespace),
    object(
      'apps/v1',
      FLANNEL.kind,
      FLANNEL.name,
      {
        spec: {
          selector: { matchLabels: { app: 'flannel' } },
          template: { metadata: { labels: { ...labels, app: 'flannel' } }, spec: podSpec },
        },
      },
      { ...inNamespace, annotations: { [DIGEST_ANNOTATION]: digest } },
    ),
  ];
  return { objects: { apiVersion: 'v1', kind: 'List', items }, digest };
}
