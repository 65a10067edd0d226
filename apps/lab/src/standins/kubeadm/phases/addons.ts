import type { JsonObject } from '@windlass/foundation';
import type { KubeClient } from '../../client/kube-client.js';
import { addressAt, parseCidr } from '../../kube/ip-range.js';
import type { ConfigMap, DaemonSet, Deployment, Role, RoleBinding, Service, ServiceAccount } from '../../kube/kinds.js';
import { R } from '../../kube/resources.js';
import { componentImage, corednsImage } from '../images.js';
import { proxyVariables } from '../proxy-variables.js';
import type { ClusterSettings } from '../settings.js';
import { RBAC_GROUP } from './upload.js';

const NAMESPACE = 'kube-system';

async function account(client: KubeClient, name: string, clusterRole: string, binding: string): Promise<void> {
  const object: ServiceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: NAMESPACE } };
  await client.apply(R.serviceaccounts, object);
  const bound: RoleBinding = {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: binding },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: clusterRole },
    subjects: [{ kind: 'ServiceAccount', name, namespace: NAMESPACE }],
  };
  await client.apply(R.clusterrolebindings, bound);
}

/** kube-proxy as a DaemonSet. */
export async function installKubeProxy(
  client: KubeClient,
  cluster: ClusterSettings,
  server: string,
  given: JsonObject,
): Promise<void> {
  const { stringify } = await import('yaml');
  await account(client, 'kube-proxy', 'system:node-proxier', 'kubeadm:node-proxier');
  const labels = { 'k8s-app': 'kube-proxy' };
  const configuration = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clusterCIDR: cluster.podSubnet,
    clientConnection: { kubeconfig: '/var/lib/kube-proxy/kubeconfig.conf' },
    ...given,
  };
  const map: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-proxy', namespace: NAMESPACE, labels: { app: 'kube-proxy' } },
    data: {
      'config.conf': stringify(configuration),
      'kubeconfig.conf': stringify({ apiVersion: 'v1', kind: 'Config', clusters: [{ name: 'default', cluster: { server } }] }),
    },
  };
  await client.apply(R.configmaps, map);
  const daemon: DaemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'kube-proxy', namespace: NAMESPACE, labels },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate' },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'kube-proxy',
              image: componentImage(cluster, 'kube-proxy'),
              imagePullPolicy: 'IfNotPresent',
              command: ['/usr/local/bin/kube-proxy', '--config=/var/lib/kube-proxy/config.conf'],
              env: proxyVariables(),
            },
          ],
          hostNetwork: true,
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          priorityClassName: 'system-node-critical',
          serviceAccountName: 'kube-proxy',
          tolerations: [{ operator: 'Exists' }],
          volumes: [{ name: 'kube-proxy', configMap: { name: 'kube-proxy' } }],
        },
      },
    },
  };
  await client.apply(R.daemonsets, daemon);
}

const COREFILE = (domain: string): string => `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes ${domain} in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30
    loop
    reload
    loadbalance
}
`;

/** CoreDNS as a Deployment behind the service `kube-dns`, at the tenth address of the service network. */
export async function installCoreDns(client: KubeClient, cluster: ClusterSettings): Promise<void> {
  const role: Role = {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'system:coredns' },
    rules: [{ apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs: ['list', 'watch'] }],
  };
  await client.apply(R.clusterroles, role);
  await account(client, 'coredns', 'system:coredns', 'system:coredns');
  const map: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'coredns', namespace: NAMESPACE },
    data: { Corefile: COREFILE(cluster.dnsDomain) },
  };
  await client.apply(R.configmaps, map);
  await client.apply(R.deployments, coreDnsDeployment(cluster));
  const services = parseCidr(cluster.serviceSubnet);
  if (services === undefined || (await client.find(R.services, { namespace: NAMESPACE, name: 'kube-dns' })) !== undefined) return;
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kube-dns',
      namespace: NAMESPACE,
      labels: { 'k8s-app': 'kube-dns', 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' },
    },
    spec: {
      clusterIP: addressAt(services, 10),
      selector: { 'k8s-app': 'kube-dns' },
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
        { name: 'metrics', port: 9153, protocol: 'TCP' },
      ],
    },
  };
  await client.create(R.services, service);
}

function coreDnsDeployment(cluster: ClusterSettings): Deployment {
  const labels = { 'k8s-app': 'kube-dns' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'coredns', namespace: NAMESPACE, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'coredns',
              image: corednsImage(cluster),
              imagePullPolicy: 'IfNotPresent',
              args: ['-conf', '/etc/coredns/Corefile'],
            },
          ],
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          priorityClassName: 'system-cluster-critical',
          serviceAccountName: 'coredns',
          tolerations: [
            { key: 'CriticalAddonsOnly', operator: 'Exists' },
            { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
          ],
          volumes: [{ name: 'config-volume', configMap: { name: 'coredns' } }],
        },
      },
    },
  };
}
