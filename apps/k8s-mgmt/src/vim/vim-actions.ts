import { RequestError, seconds, TerminalError, TransientError, type Json } from '@windlass/foundation';
import { defineAction, present, type Action, type StepRun } from '@windlass/saga';
import { inUse } from '../driver/kubernetes.driver.js';
import type { AdminAccount } from '../actions/create-admin-account.action.js';

/** The VIM registry, as these actions need it. VimClient of libs/messaging fulfils it. */
export interface VimRegistry {
  register(
    tenant: string,
    vim: {
      id: string;
      name: string;
      description: string;
      type: 'kubernetes';
      auth_url: string;
      auth_cred: { bearer_token: string; ssl_ca_cert: string };
    },
  ): Promise<unknown>;
  show(tenant: string, id: string): Promise<{ id: string; name: string; auth_url: string }>;
  delete(tenant: string, id: string): Promise<void>;
  users(tenant: string, id: string): Promise<string[]>;
}

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
    const there = await find(context, input.vimId);
    return there?.auth_url === input.authUrl && there.name === input.name ? present(contributionOf(input)) : false;
  },
  apply: async (context) => {
    const { run, vims } = context;
    const input = registrationIn(context);
    // One of our id that is not ours by address or name is what an earlier life of the instance left.
    if ((await find(context, input.vimId)) !== undefined) await remove(context, input.vimId);
    run.assertLease();
    await translated(() =>
      vims.register(run.tenant, {
        id: input.vimId,
        name: input.name,
        description: input.description,
        type: 'kubernetes',
        auth_url: input.authUrl,
        auth_cred: { bearer_token: input.account.bearerToken, ssl_ca_cert: input.account.caCertificate },
      }),
    );
    return contributionOf(input);
  },
  undo: async (context) => remove(context, registrationIn(context).vimId),
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
    const vimId = vimIdIn(context);
    const [user] = await translated(() => context.vims.users(context.run.tenant, vimId));
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
    await remove(context, vimId);
    return { instance: { vimConnectionInfo: { removeVimIds: [vimId] } } };
  },
  retry: { attempts: 10, backoff: seconds(1), growth: 2 },
});

export const vimActions: readonly Action<VimContext>[] = [registerVim, checkVimUnused, deregisterVim];

async function find({ run, vims }: VimContext, id: string): Promise<{ name: string; auth_url: string } | undefined> {
  try {
    return await vims.show(run.tenant, id);
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return undefined;
    throw error;
  }
}

async function remove({ run, vims }: VimContext, id: string): Promise<void> {
  try {
    run.assertLease();
    await translated(() => vims.delete(run.tenant, id));
  } catch (error) {
    if (!(error instanceof TerminalError) || error.status !== 404) throw error;
  }
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
