import { RequestError, seconds, Turns, WindlassError } from '@windlass/foundation';
import { MOST_SUBNETS, type VimNetwork, type VimNetworksReply, type VimNetworksRequest, type VimPort } from '@windlass/messaging';
import { OpenStack, SurroundingsApi } from '@windlass/openstack';
import type { AddressRules } from '@windlass/outbound';
import { registeredAccess, VimEntity, type Vault } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import { connectionOf } from './connection-of.js';

/** Somebody waits for the answer to a request: the time of a look, its waiting for a turn included. */
const WITHIN = seconds(5);
/** Looks at a time, in this replica. */
const MOST_AT_ONCE = 16;
/** Of one project that wait for their turn. */
const MOST_WAITING = 32;
/** Characters of a reason. */
const MOST_TOLD = 1_000;

/** Looks for networks and ports that requests name, in registered OpenStacks, with their own credentials, which go nowhere else. Projects are served in turn. */
export class VimNetworks {
  readonly #turns = new Turns({ places: MOST_AT_ONCE, waitingPerProject: MOST_WAITING });

  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
    private readonly rules: AddressRules | undefined,
  ) {}

  /** A VIM that says nothing within 5 s, or that is no registered OpenStack, is `unanswered`. */
  async find(asked: VimNetworksRequest): Promise<VimNetworksReply> {
    const { tenant, id } = asked;
    const vim = await this.database.manager.findOneBy(VimEntity, { id, tenant });
    if (vim?.type !== 'openstack') return unanswered('it is not registered as an OpenStack');
    const ends = AbortSignal.timeout(WITHIN);
    try {
      return await this.#turns.run(tenant, () => this.#seen(asked, ends), ends);
    } catch (error) {
      if (ends.aborted) return unanswered(`it did not answer all within ${WITHIN / 1_000} s`);
      if (error instanceof WindlassError || error instanceof RequestError) return unanswered(error.message);
      throw error;
    }
  }

  async #seen({ tenant, id, names, ports: asked = [] }: VimNetworksRequest, signal: AbortSignal): Promise<VimNetworksReply> {
    const access = await registeredAccess(this.database.manager, this.vault, tenant, id, id);
    const opened = OpenStack.open(connectionOf(access), this.rules === undefined ? {} : { rules: this.rules });
    const fence = (): never => {
      throw new Error('a look must change nothing');
    };
    try {
      const { session } = opened.with({ fence, signal });
      const api = new SurroundingsApi(session);
      const networks: VimNetwork[] = [];
      // One after the other, with one token: a request names few.
      for (const name of names) networks.push(await networkNamed(api, name, asked.length > 0));
      const ports: VimPort[] = [];
      for (const name of asked) ports.push(await portNamed(api, name));
      return { networks, ...(asked.length === 0 ? {} : { ports }), unanswered: null };
    } finally {
      opened.close();
    }
  }
}

/** @param withId an asker of an older release, which asks for no ports, takes none */
async function networkNamed(api: SurroundingsApi, name: string, withId: boolean): Promise<VimNetwork> {
  const found = await api.networks(name);
  const [network] = found;
  if (network === undefined || found.length > 1) return { name, found: found.length, subnets: [] };
  const subnets = (await api.subnets(network.id)).slice(0, MOST_SUBNETS);
  return {
    name,
    found: 1,
    ...(withId ? { id: network.id } : {}),
    subnets: subnets.map(({ id, name: called, cidr }) => ({ id, name: called, cidr })),
  };
}

async function portNamed(api: SurroundingsApi, name: string): Promise<VimPort> {
  const found = await api.ports(name);
  const [port] = found;
  if (port === undefined || found.length > 1) return { name, found: found.length };
  return { name, found: 1, networkId: port.networkId, used: port.used };
}

const unanswered = (why: string): VimNetworksReply => ({ networks: [], unanswered: why.slice(0, MOST_TOLD) });
