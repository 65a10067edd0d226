import { InvariantError, RequestError, seconds, TerminalError, TransientError } from '@windlass/foundation';
import type { VimRegistry } from '@windlass/driver-kit';
import { implementAction, present, type StepRun } from '@windlass/saga';
import {
  checkVimUnused,
  deregisterVim,
  registerVim,
  type RegisterVimInput,
  type RegisterVimOutput,
  type VimIdInput,
} from '../contracts.js';

/** Whose operation it is that keeps a cluster from being terminated. */
const inUse = (vnfInstanceId: string): string => `VNF instance ${vnfInstanceId} uses this cluster as its VIM: terminate it first`;

/** What an action on the registry works with, on behalf of one claim. */
export interface VimContext<Input = unknown> {
  run: StepRun<Input>;
  vims: VimRegistry;
}

/** Registers the cluster as a VIM, under an id that its instance decides, and enters it in the instance's `vimConnectionInfo`. */
export const registerVimWork = implementAction(registerVim, {
  check: async ({ run, vims }: VimContext<RegisterVimInput>) => {
    const { input } = run;
    const { vim } = await vims.show(run);
    return vim?.auth_url === input.authUrl && vim.name === input.name ? present(contributionOf(input)) : false;
  },
  apply: async (context) => {
    const { run, vims } = context;
    const { input } = run;
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

const contributionOf = ({ connectionId, vimId, authUrl }: RegisterVimInput): RegisterVimOutput => ({
  instance: {
    vimConnectionInfo: { add: [{ id: connectionId, vimId, vimType: 'kubernetes', accessInfo: { authUrl }, extra: {} }] },
  },
});

/** The last look before the VMs go. */
export const checkVimUnusedWork = implementAction(checkVimUnused, {
  apply: async ({ run, vims }: VimContext) => {
    const [user] = (await translated(() => vims.show(run))).vnfInstanceIds;
    if (user !== undefined) throw new TerminalError('vim.in-use', inUse(user), { status: 409 });
    return undefined;
  },
  retry: { attempts: 10, backoff: seconds(1), growth: 2 },
});

/** Takes the cluster out of the registry and of the instance. One that is not there is gone. */
export const deregisterVimWork = implementAction(deregisterVim, {
  apply: async (context: VimContext<VimIdInput>) => {
    await remove(context);
    return { instance: { vimConnectionInfo: { removeVimIds: [context.run.input.vimId] } } };
  },
  retry: { attempts: 10, backoff: seconds(1), growth: 2 },
});

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
