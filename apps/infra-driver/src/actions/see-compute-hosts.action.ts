import { maskUrlUser, seconds, TerminalError } from '@windlass/foundation';
import { seeComputeHostsAction } from '@windlass/lifecycle';
import { infraAction, projectOf } from './infra-context.js';

/** The rule of Nova's policy that shows `OS-EXT-SRV-ATTR:host`: by default to administrators alone. */
const POLICY = 'os_compute_api:os-extended-server-attributes';
const ADMIN = 'admin';

/**
 * Checks that Nova shows us compute hosts, before anything is made. Policies can't be read, so the check looks at a server of the project, or at one
 * that it had. Without any server, the role that the default policy wants decides.
 */
export const seeComputeHosts = infraAction(seeComputeHostsAction, {
  apply: async ({ openStack, input: { vim } }) => {
    const shown = await openStack.nova.showsHosts();
    if (shown === true) return undefined;
    const { roles, userName } = await openStack.session.token();
    if (shown === undefined && roles.includes(ADMIN)) return undefined;
    const where = `VIM ${vim.connectionId} (${maskUrlUser(vim.authUrl)}, project ${projectOf(vim)})`;
    const what =
      shown === false
        ? `does not show user ${userName} (roles: ${roles.join(', ') || 'none'}) on which compute hosts servers run`
        : `has no server yet by which it could be seen whether user ${userName} (roles: ${roles.join(', ') || 'none'}) is shown on which compute hosts servers run`;
    const policy = `allow the rule ${POLICY} of Nova's policy to one of its roles`;
    const advice =
      shown === false
        ? `register the VIM with a user who has the role ${ADMIN}, or ${policy}`
        : `register the VIM with a user who has the role ${ADMIN}; or ${policy}, and make any server in the project once (it may be deleted again)`;
    throw new TerminalError(
      'vim.compute-host-hidden',
      `${where} ${what}, and the VNF's driver needs that: ${advice}. Nothing was made`,
      {
        status: 409,
      },
    );
  },
  retry: { attempts: 5, backoff: seconds(2), growth: 2 },
});
