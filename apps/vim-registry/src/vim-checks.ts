import { RequestError, seconds, Turns } from '@windlass/foundation';
import type { VimCheckRequest, VimFinding } from '@windlass/messaging';
import { checkVim } from '@windlass/openstack';
import type { AddressRules } from '@windlass/outbound';
import { registeredAccess, VimEntity, type Vault } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import { connectionOf } from './connection-of.js';

/** Checks at a time, in this replica: each keeps some dozens of requests to a VIM going. */
const MOST_AT_ONCE = 4;
/** The most checks of one project that wait for their turn. */
const MOST_WAITING = 4;
/** How long a check may take, with its waiting. The client waits a little longer. */
const WITHIN = seconds(45);

/** Checks of registered VIMs, by `vim check`, with their own credentials, which go nowhere else. Projects are served in turn. */
export class VimChecks {
  readonly #turns = new Turns({ places: MOST_AT_ONCE, waitingPerProject: MOST_WAITING });

  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
    private readonly rules: AddressRules | undefined,
  ) {}

  /**
   * @throws RequestError 404; 400 for a VIM that is no OpenStack; 429 where too many of the project wait; 503 where it takes too long
   */
  async check(tenant: string, id: string, needs: VimCheckRequest['needs']): Promise<VimFinding[]> {
    const vim = await this.database.manager.findOneBy(VimEntity, { id, tenant });
    if (vim === null) throw new RequestError(404, 'vim.unknown', `there is no VIM ${id} in this project`);
    if (vim.type !== 'openstack')
      throw new RequestError(400, 'vim.not-openstack', `VIM ${vim.name} is a ${vim.type}: only an OpenStack can be checked`);
    const ends = AbortSignal.timeout(WITHIN);
    const check = async (): Promise<VimFinding[]> => {
      const access = await registeredAccess(this.database.manager, this.vault, tenant, id, id);
      return checkVim(connectionOf(access), needs, { signal: ends, ...reach(this.rules) });
    };
    try {
      return await this.#turns.run(tenant, check, ends);
    } catch (error) {
      if (!ends.aborted) throw error;
      throw new RequestError(503, 'vim.slow', `VIM ${vim.name} did not answer all within ${WITHIN / 1_000} s: try again`);
    }
  }
}

const reach = (rules: AddressRules | undefined): { rules?: AddressRules } => (rules === undefined ? {} : { rules });
