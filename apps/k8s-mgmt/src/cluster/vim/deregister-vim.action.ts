import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../action.js';
import { removeVim, type VimContext, type VimIdInput } from './vim-context.js';

/** Takes the cluster out of the registry and of the instance. One that is not there is gone. */
export const deregisterVim = implementAction(
  declared<VimIdInput, { instance: { vimConnectionInfo: { removeVimIds: string[] } } }>('deregister-vim'),
  {
    apply: async (context: VimContext<VimIdInput>) => {
      await removeVim(context);
      return { instance: { vimConnectionInfo: { removeVimIds: [context.run.input.vimId] } } };
    },
    retry: { attempts: 10, backoff: seconds(1), growth: 2 },
  },
);
