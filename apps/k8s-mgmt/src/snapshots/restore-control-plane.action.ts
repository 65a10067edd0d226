import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import { machineConfiguration } from '../cluster/kubeadm-config.js';
import type { NodeStepInput } from '../cluster/node-input.js';
import type { NodeContext } from '../node/node-context.js';
import { ARCHIVE, RESTORED, RESTORE_CONTROL_PLANE } from './scripts.js';

export interface RestoreControlPlaneInput extends NodeStepInput {
  /** Of the archive that lies on the machine. */
  sha256: string;
}

/**
 * Restores the cluster's control plane from its snapshot, on a prepared machine with the previous master's address. A second attempt begins again
 * with the archive, which stays until the control plane runs.
 */
export const restoreControlPlane = implementAction(
  declared<RestoreControlPlaneInput, Noted | undefined>('restore-control-plane'),
  {
    check: async (context: NodeContext<RestoreControlPlaneInput>) =>
      (await context.sees(cmd`test "$(cat ${RESTORED})" = ${context.input.sha256}`)) && context.cluster.lists(context.node.name),
    apply: async (context) => {
      const { node, input } = context;
      const { stdoutTail } = await context.script('restore-control-plane', {
        text: RESTORE_CONTROL_PLANE,
        within: minutes(40),
        env: context.kubeadmEnvironment,
        arguments: async (files) => {
          await files.put('machine.yaml', machineConfiguration(node), { mode: 0o600 });
          return [ARCHIVE, input.sha256, files.path('machine.yaml'), node.address, node.username];
        },
      });
      const notes = [...stdoutTail.matchAll(/^note (.{1,300})$/gm)].slice(0, 5).map(([, note = '']) => note);
      return notes.length === 0 ? undefined : { notes };
    },
    stop: (context) => context.stop(),
    retry: { attempts: 3, backoff: seconds(10), growth: 3 },
  },
);
