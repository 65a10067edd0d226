import { InvariantError, RequestError, seconds, TerminalError, TransientError, type Json } from '@windlass/foundation';
import type { VimRegistry } from '@windlass/driver-kit';
import { defineAction, present, type Action, type StepRun } from '@windlass/saga';
import type { AdminAccount } from '../actions/create-admin-account.action.js';

/** Whose operation it is that keeps a cluster from being terminated. */
const inUse = (vnfInstanceId: string): string => `VNF instance ${vnfInstanceId} uses this cluster as its VIM: terminate it first`;

export interface VimContext {
  run: StepRun;
  vims: VimRegistry;
}

export interface RegisterVimInput {
  vimId: string;
  connectionId: string;
  name: string;
  description: string;
  authUrl: string;
  account: AdminAccount;
}

const registrationIn = ({ run }: VimContext): RegisterVimInput => run.input as unknown as RegisterVimInput;
const vimIdIn = ({ run }: VimContext): string => (run.input as unknown as Pick<RegisterVimInput, 'vimId'>).vimId;

/** Registers the cluster as a VIM, under an id that its instance decides, and enters it in the instance's `vimConnectionInfo`. */
export const registerVim = defineAction<VimContext>({
  name: 'register-vim',
  version: 1,
  check: async (context) => {
    const input = registrationIn(context);
    const { vim } = await context.vims.show(context.run);
    return vim?.auth_url === input.authUrl && vim.name === input.name ? present(contributionOf(input)) : false;
  },
  apply: async (context) => {
    const { run, vims } = context;
    const input = registrationIn(context);
    // One of our id that is not ours by address or name is what an earlier life of the instance left.
    if ((await vims.show(run)).vim !== undefined) await remove(context);
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
  undo: remove,
  retry: { attempts: 6, backoff: seconds(3), growth: 2 },
});

const contributionOf = ({ connectionId, vimId, authUrl }: RegisterVimInput): Json => ({
  instance: {
    vimConnectionInfo: { add: [{ id: connectionId, vimId, vimType: 'kubernetes', accessInfo: { authUrl }, extra: {} }] },
  },
});

/** The last look before the VMs go. */
export const checkVimUnused = defineAction<VimContext>({
  name: 'check-vim-unused',
  version: 1,
  apply: async (context) => {
    const [user] = (await translated(() => context.vims.show(context.run))).vnfInstanceIds;
    if (user !== undefined) throw new TerminalError('vim.in-use', inUse(user), { status: 409 });
    return undefined;
  },
  retry: { attempts: 10, backoff: seconds(1), growth: 2 },
});

/** Takes the cluster out of the registry and of the instance. One that is not there is gone. */
export const deregisterVim = defineAction<VimContext>({
  name: 'deregister-vim',
  version: 1,
  apply: async (context) => {
    const vimId = vimIdIn(context);
    await remove(context);
    return { instance: { vimConnectionInfo: { removeVimIds: [vimId] } } };
  },
  retry: { attempts: 10, backoff: seconds(1), growth: 2 },
});

export const vimActions: readonly Action<VimContext>[] = [registerVim, checkVimUnused, deregisterVim];

async function remove({ run, vims }: VimContext): Promise<void> {
  run.assertLease();
  await translated(() => vims.remove(run));
}

/** What the registry refuses is no fault of a request here: a cluster that it can't reach yet may be reached later. */
async function translated<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.code === 'vim.unreachable') throw new TransientError(error.code, error.message, { cause: error });
    throw new TerminalError(error.code, error.message, { status: error.status, cause: error });
  }
}
