import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { NodeStepInput, RuntimeInput } from '../cluster/node-input.js';
import { INTERNET, PAUSE_TAGS } from '../settings/internet-defaults.js';
import type { NodeContext } from './node-context.js';
import { proxyEnvironmentFile } from './proxy-files.js';
import { INSTALL_RUNTIME, REMOVE_RUNTIME, RUNTIME_IS_SET_UP } from './scripts.js';

export interface InstallRuntimeInput extends NodeStepInput {
  /** Plans of earlier releases have none: the distribution's containerd, for Kubernetes 1.34. */
  runtime?: RuntimeInput;
}

/** Of a plan that says nothing of it. */
const BEFORE: RuntimeInput = {
  pauseImage: `${INTERNET.imageRepository.value}/pause:${PAUSE_TAGS['1.34'].value}`,
  package: 'containerd',
  source: null,
  leastContainerd: 1,
};

const PROXIES = '/etc/containerd/windlass-proxy.env';

const proxies = ({ proxy, cluster }: NodeStepInput) => proxyEnvironmentFile(proxy ?? {}, cluster.noProxy);

/** Installs containerd, set up for kubeadm: with systemd's cgroups, our sandbox image and the proxies. */
export const installRuntime = implementAction(declared<InstallRuntimeInput>('install-runtime'), {
  check: async (context: NodeContext<InstallRuntimeInput>) => {
    const runs = await context.sees(cmd`/bin/bash -s ${(context.input.runtime ?? BEFORE).pauseImage}`, RUNTIME_IS_SET_UP);
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
        const { pauseImage, package: name, source, leastContainerd } = context.input.runtime ?? BEFORE;
        const { line = '', keyUrl = '', fingerprint = '' } = source ?? {};
        return [pauseImage, files.path('proxies'), name, String(leastContainerd), line, keyUrl, fingerprint];
      },
    });
    return undefined;
  },
  undo: async (context) => {
    await context.script('remove-runtime', {
      text: REMOVE_RUNTIME,
      within: minutes(10),
      arguments: () => [(context.input.runtime ?? BEFORE).package],
    });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});
