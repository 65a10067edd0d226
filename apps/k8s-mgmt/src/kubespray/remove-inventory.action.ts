import { ofThisMachine } from '@windlass/driver-kit';
import { minutes, seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import type { AnsibleContext } from './ansible-context.js';
import type { AnsibleStepInput } from './ansible-input.js';
import { REMOVE_FOLDER } from './server-scripts.js';

export type RemoveInventoryInput = AnsibleStepInput;

/** Errors of an Ansible server that can't be reached or refuses the login. The VNF's VMs are deleted by now, and the folder holds no password, so TERMINATE goes on. */
const AWAY = ['remote.unreachable', 'remote.connection-lost', 'remote.auth-failed', 'remote.host-key-changed'];

/** Removes the VNF instance's folder on the Ansible server. */
export const removeInventory = implementAction(declared<RemoveInventoryInput, Noted | undefined>('remove-inventory'), {
  apply: async (context: AnsibleContext): Promise<Noted | undefined> => {
    const { folder, instance } = context.input;
    try {
      await context.script('remove-inventory', { text: REMOVE_FOLDER, within: minutes(2), arguments: () => [folder, instance] });
      return undefined;
    } catch (error) {
      if (!ofThisMachine(error) || !AWAY.includes(error.code)) throw error;
      return { notes: [`the folder ${folder} is left on ${context.serverName}, remove it there: ${error.message}`] };
    }
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});
