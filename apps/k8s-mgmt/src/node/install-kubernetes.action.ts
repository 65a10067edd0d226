import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { KubernetesInput, NodeStepInput } from '../cluster/node-input.js';
import type { NodeContext } from './node-context.js';
import { INSTALL_KUBERNETES, REMOVE_KUBERNETES } from './scripts.js';

export interface InstallKubernetesInput extends NodeStepInput {
  kubernetes: KubernetesInput;
}

/** Installs kubelet, kubeadm and kubectl of the plan's version, and keeps apt from replacing them. */
export const installKubernetes = implementAction(declared<InstallKubernetesInput>('install-kubernetes'), {
  check: async ({ host, input }: NodeContext<InstallKubernetesInput>) => {
    const query = cmd`dpkg-query -W -f '\${db:Status-Status} \${Version}\\n' kubelet kubeadm kubectl`;
    const { stdout } = await host.run(query, { within: seconds(60), expect: 'any' });
    const lines = stdout.trim().split('\n');
    return lines.length === 3 && lines.every((line) => line.startsWith(`installed ${input.kubernetes.version}-`));
  },
  apply: async (context) => {
    const { version, aptUrl, fingerprint = '' } = context.input.kubernetes;
    await context.script('install-kubernetes', {
      text: INSTALL_KUBERNETES,
      within: minutes(20),
      arguments: () => [version, aptUrl ?? '', fingerprint],
    });
    return undefined;
  },
  undo: async (context) => {
    await context.script('remove-kubernetes', { text: REMOVE_KUBERNETES, within: minutes(10), arguments: () => [] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});
