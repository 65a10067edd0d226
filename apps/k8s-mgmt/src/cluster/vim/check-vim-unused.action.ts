import { seconds, TerminalError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../action.js';
import { translated, type VimContext, type VimIdInput } from './vim-context.js';

/** Names the VNF instance whose use of the cluster prevents its termination. */
const inUse = (vnfInstanceId: string): string => `VNF instance ${vnfInstanceId} uses this cluster as its VIM: terminate it first`;

/** Fails while something uses the cluster as its VIM: the last look before the VMs go. */
export const checkVimUnused = implementAction(declared<VimIdInput>('check-vim-unused'), {
  apply: async ({ run, vims }: VimContext) => {
    const [user] = (await translated(() => vims.show(run))).vnfInstanceIds;
    if (user !== undefined) throw new TerminalError('vim.in-use', inUse(user), { status: 409 });
    return undefined;
  },
  retry: { attempts: 10, backoff: seconds(1), growth: 2 },
});
