import { InvariantError, seconds } from '@windlass/foundation';
import { implementAction, present } from '@windlass/saga';
import { declared } from '../action.js';
import type { AdminAccount } from './create-admin-account.action.js';
import { removeVim, translated, type VimContext } from './vim-context.js';

export interface RegisterVimInput {
  vimId: string;
  connectionId: string;
  name: string;
  description: string;
  authUrl: string;
  account: AdminAccount;
}

/** What the instance is to have of it, by the trait `contributes`. */
export interface RegisterVimOutput {
  instance: {
    vimConnectionInfo: {
      add: {
        id: string;
        vimId: string;
        vimType: 'kubernetes';
        accessInfo: { authUrl: string };
        extra: Record<string, never>;
      }[];
    };
  };
}

/** Registers the cluster as a VIM, under an id that its instance decides, and enters it in the instance's `vimConnectionInfo`. */
export const registerVim = implementAction(declared<RegisterVimInput, RegisterVimOutput>('register-vim'), {
  check: async ({ run, vims }: VimContext<RegisterVimInput>) => {
    const { input } = run;
    const { vim } = await vims.show(run);
    return vim?.auth_url === input.authUrl && vim.name === input.name ? present(contributionOf(input)) : false;
  },
  apply: async (context) => {
    const { run, vims } = context;
    const { input } = run;
    // A VIM with our id and a different address or name was left by an earlier cluster of the same instance.
    if ((await vims.show(run)).vim !== undefined) await removeVim(context);
    run.assertLease();
    const { id } = await translated(() =>
      vims.register(run, {
        name: input.name,
        description: input.description,
        auth_url: input.authUrl,
        auth_cred: { bearer_token: input.account.bearerToken, ssl_ca_cert: input.account.caCertificate },
      }),
    );
    if (id !== input.vimId) throw new InvariantError(`the cluster was registered as VIM ${id}; its plan says ${input.vimId}`);
    return contributionOf(input);
  },
  undo: removeVim,
  retry: { attempts: 6, backoff: seconds(3), growth: 2 },
});

const contributionOf = ({ connectionId, vimId, authUrl }: RegisterVimInput): RegisterVimOutput => ({
  instance: {
    vimConnectionInfo: { add: [{ id: connectionId, vimId, vimType: 'kubernetes', accessInfo: { authUrl }, extra: {} }] },
  },
});
