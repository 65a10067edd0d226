import { API_PORT } from '@windlass/driver-kit';
import { hostInUrl, type Duration, type JsonObject, type Secret } from '@windlass/foundation';
import { stringify } from 'yaml';
import { MADE_BY_WINDLASS } from './bootstrap-token.js';
import { DEFAULT_NODE_PREFIX, mostPods } from './pod-addresses.js';
import type { ClusterInput } from './node-input.js';

// kubeadm.k8s.io/v1beta4: https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/

const kubeadm = (kind: string, fields: JsonObject): JsonObject => ({ apiVersion: 'kubeadm.k8s.io/v1beta4', kind, ...fields });

const documents = (...of: JsonObject[]): string => of.map((document) => stringify(document)).join('---\n');

/** The configuration of all kubelets in the cluster: kubeadm keeps it for nodes that join. */
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

const apiEndpoint = ({ address }: { address: string }): JsonObject => ({ advertiseAddress: address, bindPort: API_PORT });

/** Where the API is reached: at the only master, or at the load balancer in front of several. */
const endpointOf = ({ address, port = API_PORT }: ClusterInput): string => `${hostInUrl(address)}:${port}`;

interface InitInput {
  node: { name: string; address: string };
  cluster: ClusterInput;
  version: string;
  /** kubeadm's own default, unless given. */
  imageRepository?: string | undefined;
  /** The first bootstrap token. Without it, kubeadm would make a token that lives for a day. */
  token: Secret;
  tokenLives: Duration;
}

/** For `kubeadm init`. */
export function initConfiguration({ node, cluster, version, imageRepository, token, tokenLives }: InitInput): string {
  const names = [cluster.address, node.address, cluster.publicAddress].filter((name): name is string => name !== null);
  const { nodePrefix = DEFAULT_NODE_PREFIX } = cluster;
  const most = mostPods(nodePrefix);
  return documents(
    kubeadm('InitConfiguration', {
      bootstrapTokens: [
        {
          token: token.reveal(),
          ttl: goDuration(tokenLives),
          description: `${MADE_BY_WINDLASS}of the installation; joins get their own`,
        },
      ],
      nodeRegistration: registration(node),
      localAPIEndpoint: apiEndpoint(node),
    }),
    kubeadm('ClusterConfiguration', {
      kubernetesVersion: `v${version}`,
      ...(imageRepository === undefined ? {} : { imageRepository }),
      controlPlaneEndpoint: endpointOf(cluster),
      networking: { podSubnet: cluster.podCidr, serviceSubnet: cluster.serviceCidr },
      apiServer: { certSANs: [...new Set(names)] },
      ...(nodePrefix === DEFAULT_NODE_PREFIX ? {} : { controllerManager: { extraArgs: [maskSize(nodePrefix)] } }),
    }),
    ...(most === undefined ? [] : [kubelets({ maxPods: most })]),
  );
}

/** For the phases of `kubeadm init` that concern one machine alone. The cluster's own configuration is a document beside this one. */
export const machineConfiguration = (node: { name: string; address: string }): string =>
  documents(kubeadm('InitConfiguration', { nodeRegistration: registration(node), localAPIEndpoint: apiEndpoint(node) }));

interface JoinInput {
  node: { name: string; address: string };
  cluster: ClusterInput;
  token: Secret;
  caHash: string;
  /** For a control plane: the key that opens the certificates which another control plane has uploaded. */
  certificateKey?: Secret;
}

/** For `kubeadm join` of a worker, or of a further control plane. */
export const joinConfiguration = ({ node, cluster, token, caHash, certificateKey }: JoinInput): string =>
  documents(
    kubeadm('JoinConfiguration', {
      discovery: {
        bootstrapToken: { token: token.reveal(), apiServerEndpoint: endpointOf(cluster), caCertHashes: [caHash] },
      },
      nodeRegistration: registration(node),
      ...(certificateKey === undefined
        ? {}
        : { controlPlane: { certificateKey: certificateKey.reveal(), localAPIEndpoint: apiEndpoint(node) } }),
    }),
  );

/**
 * For the phase `upload-certs`. A file is the only way to hand over the key unseen. With it kubeadm does not read the cluster's configuration, and
 * would look up the newest Kubernetes on the internet: so the configuration that the cluster keeps is a document beside this one.
 */
export const uploadConfiguration = (
  node: { address: string },
  { cluster, certificateKey }: { cluster: string; certificateKey: Secret },
): string =>
  `${documents(kubeadm('InitConfiguration', { certificateKey: certificateKey.reveal(), localAPIEndpoint: apiEndpoint(node) }))}---\n${cluster}`;
