import type { Duration, JsonObject, Secret } from '@windlass/foundation';
import { stringify } from 'yaml';
import { DEFAULT_NODE_PREFIX, mostPods } from './pod-addresses.js';
import type { ClusterInput } from '../node/node-input.js';

// kubeadm.k8s.io/v1beta4: https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/

export const API_PORT = 6443;

const kubeadm = (kind: string, fields: JsonObject): JsonObject => ({ apiVersion: 'kubeadm.k8s.io/v1beta4', kind, ...fields });

const documents = (...of: JsonObject[]): string => of.map((document) => stringify(document)).join('---\n');

/** Of every kubelet in the cluster: kubeadm keeps it for those that join. */
const kubelets = (fields: JsonObject): JsonObject => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  ...fields,
});

const maskSize = (nodePrefix: number): JsonObject => ({ name: 'node-cidr-mask-size', value: String(nodePrefix) });

/** As Go reads durations. */
const goDuration = (duration: Duration): string => `${Math.ceil(duration / 1_000)}s`;

const registration = (node: { name: string; address: string }): JsonObject => ({
  name: node.name,
  kubeletExtraArgs: [{ name: 'node-ip', value: node.address }],
});

interface InitInput {
  node: { name: string; address: string };
  cluster: ClusterInput;
  version: string;
  /** kubeadm would make one that lives for a day. */
  token: Secret;
  tokenLives: Duration;
}

/** For `kubeadm init`. */
export function initConfiguration({ node, cluster, version, token, tokenLives }: InitInput): string {
  const names = [cluster.address, node.address, cluster.publicAddress].filter((name): name is string => name !== null);
  const { nodePrefix = DEFAULT_NODE_PREFIX } = cluster;
  const most = mostPods(nodePrefix);
  return documents(
    kubeadm('InitConfiguration', {
      bootstrapTokens: [
        { token: token.reveal(), ttl: goDuration(tokenLives), description: 'of the installation; joins get their own' },
      ],
      nodeRegistration: registration(node),
      localAPIEndpoint: { advertiseAddress: node.address, bindPort: API_PORT },
    }),
    kubeadm('ClusterConfiguration', {
      kubernetesVersion: `v${version}`,
      controlPlaneEndpoint: `${cluster.address}:${API_PORT}`,
      networking: { podSubnet: cluster.podCidr, serviceSubnet: cluster.serviceCidr },
      apiServer: { certSANs: [...new Set(names)] },
      ...(nodePrefix === DEFAULT_NODE_PREFIX ? {} : { controllerManager: { extraArgs: [maskSize(nodePrefix)] } }),
    }),
    ...(most === undefined ? [] : [kubelets({ maxPods: most })]),
  );
}

interface JoinInput {
  node: { name: string; address: string };
  cluster: ClusterInput;
  token: Secret;
  caHash: string;
}

/** For `kubeadm join` of a worker. */
export const joinConfiguration = ({ node, cluster, token, caHash }: JoinInput): string =>
  documents(
    kubeadm('JoinConfiguration', {
      discovery: {
        bootstrapToken: { token: token.reveal(), apiServerEndpoint: `${cluster.address}:${API_PORT}`, caCertHashes: [caHash] },
      },
      nodeRegistration: registration(node),
    }),
  );
