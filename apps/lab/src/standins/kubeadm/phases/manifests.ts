import { join } from 'node:path';
import type { Json, JsonObject } from '@windlass/foundation';
import { writeWhole } from '../../host/files.js';
import { componentImage, etcdImage } from '../images.js';
import { line } from '../output.js';
import { proxyVariables, type EnvVar } from '../proxy-variables.js';
import { KUBERNETES, localEndpoint, MANIFESTS, type Argument, type ClusterSettings, type Endpoint } from '../settings.js';
import type { Io } from '../../cli/program.js';

export interface ManifestSetting {
  cluster: ClusterSettings;
  nodeName: string;
  local: Endpoint;
  io: Io;
}

/** Flags in order, the user's over ours where they have the same name. */
const merged = (own: Record<string, string>, extra: readonly Argument[]): string[] => {
  const given = new Set(extra.map(({ name }) => name));
  const kept = Object.entries(own).filter(([name]) => !given.has(name));
  return [...kept.map(([name, value]) => `--${name}=${value}`), ...extra.map(({ name, value }) => `--${name}=${value}`)].sort();
};

interface StaticPod {
  component: string;
  image: string;
  command: string[];
  annotations: Record<string, string>;
  paths: readonly string[];
  env?: EnvVar[];
}

function staticPod({ component, image, command, annotations, paths, env = [] }: StaticPod): JsonObject {
  const volumes = paths.map((path, index) => ({ name: `host-path-${index}`, hostPath: { path, type: 'DirectoryOrCreate' } }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      labels: { component, tier: 'control-plane' },
      name: component,
      namespace: 'kube-system',
    },
    spec: {
      containers: [
        {
          command,
          ...(env.length === 0 ? {} : { env: env as unknown as Json }),
          image,
          imagePullPolicy: 'IfNotPresent',
          name: component,
          volumeMounts: paths.map((path, index) => ({ mountPath: path, name: `host-path-${index}` })),
        },
      ],
      hostNetwork: true,
      priority: 2_000_001_000,
      priorityClassName: 'system-node-critical',
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      volumes,
    },
  };
}

async function write(component: string, pod: JsonObject): Promise<void> {
  const { stringify } = await import('yaml');
  await writeWhole(join(MANIFESTS, `${component}.yaml`), stringify(pod));
}

function apiServerFlags(cluster: ClusterSettings, local: Endpoint): Record<string, string> {
  const pki = cluster.certificatesDir;
  const issuer = `https://kubernetes.default.svc.${cluster.dnsDomain}`;
  return {
    'advertise-address': local.advertiseAddress,
    'allow-privileged': 'true',
    'authorization-mode': 'Node,RBAC',
    'client-ca-file': `${pki}/ca.crt`,
    'enable-admission-plugins': 'NodeRestriction',
    'enable-bootstrap-token-auth': 'true',
    'etcd-cafile': `${pki}/etcd/ca.crt`,
    'etcd-certfile': `${pki}/apiserver-etcd-client.crt`,
    'etcd-keyfile': `${pki}/apiserver-etcd-client.key`,
    'etcd-servers': 'https://127.0.0.1:2379',
    'kubelet-client-certificate': `${pki}/apiserver-kubelet-client.crt`,
    'kubelet-client-key': `${pki}/apiserver-kubelet-client.key`,
    'kubelet-preferred-address-types': 'InternalIP,ExternalIP,Hostname',
    'proxy-client-cert-file': `${pki}/front-proxy-client.crt`,
    'proxy-client-key-file': `${pki}/front-proxy-client.key`,
    'requestheader-allowed-names': 'front-proxy-client',
    'requestheader-client-ca-file': `${pki}/front-proxy-ca.crt`,
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-username-headers': 'X-Remote-User',
    'secure-port': String(local.bindPort),
    'service-account-issuer': issuer,
    'service-account-key-file': `${pki}/sa.pub`,
    'service-account-signing-key-file': `${pki}/sa.key`,
    'service-cluster-ip-range': cluster.serviceSubnet,
    'tls-cert-file': `${pki}/apiserver.crt`,
    'tls-private-key-file': `${pki}/apiserver.key`,
  };
}

function managerFlags(cluster: ClusterSettings): Record<string, string> {
  const pki = cluster.certificatesDir;
  const config = `${KUBERNETES}/controller-manager.conf`;
  return {
    'authentication-kubeconfig': config,
    'authorization-kubeconfig': config,
    'bind-address': '127.0.0.1',
    'client-ca-file': `${pki}/ca.crt`,
    'cluster-name': cluster.clusterName,
    'cluster-signing-cert-file': `${pki}/ca.crt`,
    'cluster-signing-key-file': `${pki}/ca.key`,
    controllers: '*,bootstrapsigner,tokencleaner',
    kubeconfig: config,
    'leader-elect': 'true',
    'requestheader-client-ca-file': `${pki}/front-proxy-ca.crt`,
    'root-ca-file': `${pki}/ca.crt`,
    'service-account-private-key-file': `${pki}/sa.key`,
    'use-service-account-credentials': 'true',
    ...(cluster.podSubnet === ''
      ? {}
      : { 'allocate-node-cidrs': 'true', 'cluster-cidr': cluster.podSubnet, 'service-cluster-ip-range': cluster.serviceSubnet }),
  };
}

const schedulerFlags = (): Record<string, string> => {
  const config = `${KUBERNETES}/scheduler.conf`;
  return {
    'authentication-kubeconfig': config,
    'authorization-kubeconfig': config,
    'bind-address': '127.0.0.1',
    kubeconfig: config,
    'leader-elect': 'true',
  };
};

/** The manifests of API server, controller manager and scheduler. */
export async function writeControlPlaneManifests({ cluster, local, io }: ManifestSetting): Promise<void> {
  line(io, `[control-plane] Using manifest folder "${MANIFESTS}"`);
  const pki = [cluster.certificatesDir];
  const endpoint = { 'kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint': localEndpoint(local) };
  const components = [
    {
      name: 'kube-apiserver',
      flags: merged(apiServerFlags(cluster, local), cluster.apiServer.extraArgs),
      annotations: endpoint,
      paths: pki,
    },
    {
      name: 'kube-controller-manager',
      flags: merged(managerFlags(cluster), cluster.controllerManager.extraArgs),
      annotations: {},
      paths: [...pki, KUBERNETES],
    },
    {
      name: 'kube-scheduler',
      flags: merged(schedulerFlags(), cluster.scheduler.extraArgs),
      annotations: {},
      paths: [KUBERNETES],
    },
  ] as const;
  for (const { name, flags, annotations, paths } of components) {
    line(io, `[control-plane] Creating static Pod manifest for "${name}"`);
    const command = [name, ...flags];
    const env = proxyVariables();
    await write(name, staticPod({ component: name, image: componentImage(cluster, name), command, annotations, paths, env }));
  }
}

/** Members of the etcd cluster that a new member is told about: name and peer address. */
export interface EtcdPeer {
  name: string;
  peerUrl: string;
}

/** The manifest of the local etcd. `existing` are the other members when it joins a cluster. The flags are those of Debian's etcd 3.4. */
export async function writeEtcdManifest(
  { cluster, nodeName, local, io }: ManifestSetting,
  existing?: readonly EtcdPeer[],
): Promise<void> {
  const pki = `${cluster.certificatesDir}/etcd`;
  const address = local.advertiseAddress;
  const own: EtcdPeer = { name: nodeName, peerUrl: `https://${address}:2380` };
  const flags = {
    name: nodeName,
    'advertise-client-urls': `https://${address}:2379`,
    'cert-file': `${pki}/server.crt`,
    'client-cert-auth': 'true',
    'data-dir': cluster.etcd.dataDir,
    'experimental-initial-corrupt-check': 'true',
    'experimental-watch-progress-notify-interval': '5s',
    'initial-advertise-peer-urls': own.peerUrl,
    'initial-cluster': [...(existing ?? []), own].map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(','),
    ...(existing === undefined ? {} : { 'initial-cluster-state': 'existing' }),
    'key-file': `${pki}/server.key`,
    'listen-client-urls': `https://127.0.0.1:2379,https://${address}:2379`,
    'listen-metrics-urls': 'http://127.0.0.1:2381',
    'listen-peer-urls': own.peerUrl,
    'peer-cert-file': `${pki}/peer.crt`,
    'peer-client-cert-auth': 'true',
    'peer-key-file': `${pki}/peer.key`,
    'peer-trusted-ca-file': `${pki}/ca.crt`,
    'snapshot-count': '10000',
    'trusted-ca-file': `${pki}/ca.crt`,
  };
  const annotations = { 'kubeadm.kubernetes.io/etcd.advertise-client-urls': `https://${address}:2379` };
  const command = ['etcd', ...merged(flags, cluster.etcd.extraArgs)];
  if (existing === undefined) line(io, `[etcd] Creating static Pod manifest for local etcd in "${MANIFESTS}"`);
  else line(io, '[etcd] Creating static Pod manifest for "etcd"');
  const paths = [pki, cluster.etcd.dataDir];
  await write('etcd', staticPod({ component: 'etcd', image: etcdImage(cluster), command, annotations, paths }));
}
