import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { InstallKubernetesInput } from '../../node/install-kubernetes.action.js';
import type { NodeContext } from '../../node/node-context.js';
import { INIT_CONTROL_PLANE, RESET_NODE } from '../../node/scripts.js';
import { declared } from '../action.js';
import { newToken } from '../bootstrap-token.js';
import { initConfiguration } from '../kubeadm-config.js';

export interface InitControlPlaneInput extends InstallKubernetesInput {
  /** The registry and path of kubeadm's images; kubeadm's default unless given. */
  imageRepository?: string;
}

/** Long enough for `kubeadm init`, which is the only user of the token. */
const TOKEN_LIVES = minutes(10);

/** Makes the first control plane, and a kubeconfig for the user. */
export const initControlPlane = implementAction(declared<InitControlPlaneInput>('init-control-plane'), {
  /** Present where the last results of `kubeadm init` are there: the add-ons, the information for nodes that join, the user's kubeconfig. */
  check: async (context: NodeContext<InitControlPlaneInput>) => {
    const { cluster, node } = context;
    const [nodes, proxy, dns, information] = [
      await cluster.lists(node.name),
      await cluster.ask(cmd`-n kube-system get daemonset kube-proxy -o json`),
      await cluster.ask(cmd`-n kube-system get deployment coredns -o json`),
      await cluster.ask(cmd`-n kube-public get configmap cluster-info -o json`),
    ];
    if (!nodes || proxy === undefined || dns === undefined || information === undefined) return false;
    return context.sees(cmd`cmp -s /etc/kubernetes/admin.conf "$(getent passwd ${node.username} | cut -d: -f6)/.kube/config"`);
  },
  apply: async (context) => {
    const { node, input } = context;
    await context.script('init-control-plane', {
      text: INIT_CONTROL_PLANE,
      within: minutes(30),
      env: context.kubeadmEnvironment,
      arguments: async (files) => {
        const token = newToken();
        const { cluster, kubernetes, imageRepository } = input;
        await files.put(
          'init.yaml',
          initConfiguration({
            node,
            cluster,
            version: kubernetes.version,
            imageRepository,
            token,
            tokenLives: TOKEN_LIVES,
          }),
          { mode: 0o600 },
        );
        return [files.path('init.yaml'), node.username];
      },
    });
    return undefined;
  },
  undo: async (context) => {
    await context.script('reset-node', { text: RESET_NODE, within: minutes(5), arguments: () => [context.node.username] });
  },
  stop: (context) => context.stop(),
  /** For failures that may pass. What kubeadm refuses ends the step at once. */
  retry: { attempts: 3, backoff: seconds(10), growth: 3 },
});
