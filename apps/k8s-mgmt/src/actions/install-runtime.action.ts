import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { NodeContext } from '../node/node-context.js';
import type { NodeStepInput } from '../node/node-input.js';
import { proxyEnvironmentFile } from '../node/proxy-files.js';
import { INSTALL_RUNTIME, REMOVE_RUNTIME, RUNTIME_IS_SET_UP } from '../node/scripts.js';
import { installRuntime } from './contracts.js';

/** What kubeadm 1.34 names; the runtime and kubeadm must mean the same image. */
export const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10.1';

const PROXIES = '/etc/containerd/windlass-proxy.env';

const proxies = ({ proxy, cluster }: NodeStepInput) => proxyEnvironmentFile(proxy ?? {}, cluster.noProxy);

/** Installs containerd of the distribution, with systemd's cgroups, our sandbox image and the proxies. */
export const installRuntimeWork = implementAction(installRuntime, {
  check: async (context: NodeContext<NodeStepInput>) => {
    const runs = await context.sees(cmd`/bin/bash -s ${PAUSE_IMAGE}`, RUNTIME_IS_SET_UP);
    if (!runs) return false;
    const wanted = proxies(context.input);
    return wanted.reveal() === '' ? context.sees(cmd`test ! -e ${PROXIES}`) : context.sees(cmd`cmp -s - ${PROXIES}`, wanted);
  },
  apply: async (context) => {
    await context.script('install-runtime', {
      text: INSTALL_RUNTIME,
      within: minutes(20),
      arguments: async (files) => {
        await files.put('proxies', proxies(context.input));
        return [PAUSE_IMAGE, files.path('proxies')];
      },
    });
    return undefined;
  },
  undo: async (context) => {
    await context.script('remove-runtime', { text: REMOVE_RUNTIME, within: minutes(10), arguments: () => [] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});
