import { RequestError, seconds, Turns, WindlassError } from '@windlass/foundation';
import {
  MOST_SUBNETS,
  type AskedAddress,
  type TakenAddress,
  type VimNetwork,
  type VimNetworksReply,
  type VimNetworksRequest,
  type VimPort,
} from '@windlass/messaging';
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

  async #seen(request: VimNetworksRequest, signal: AbortSignal): Promise<VimNetworksReply> {
    const { tenant, id, names, ports: asked = [], addresses } = request;
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
      const ids = new Map<string, string>();
      for (const name of names) {
        const { network, id: found } = await networkNamed(api, name, asked.length > 0);
        networks.push(network);
        if (found !== undefined) ids.set(name, found);
      }
      const ports: VimPort[] = [];
      for (const name of asked) ports.push(await portNamed(api, name, addresses !== undefined));
      const taken = await takenOf(api, ids, addresses ?? []);
      return {
        networks,
        ...(asked.length === 0 ? {} : { ports }),
        ...(taken.length === 0 ? {} : { taken }),
        unanswered: null,
      };
    } finally {
      opened.close();
    }
  }
}

/** @param withId an asker of an older release, which asks for no ports, takes none */
async function networkNamed(api: SurroundingsApi, name: string, withId: boolean): Promise<{ network: VimNetwork; id?: string }> {
  const found = await api.networks(name);
  const [network] = found;
  if (network === undefined || found.length > 1) return { network: { name, found: found.length, subnets: [] } };
  const { id } = network;
  const subnets = (await api.subnets(id)).slice(0, MOST_SUBNETS);
  const told = subnets.map(({ id: subnet, name: called, cidr }) => ({ id: subnet, name: called, cidr }));
  return { network: { name, found: 1, ...(withId ? { id } : {}), subnets: told }, id };
}

/** @param withOwner an asker of an older release, which asks for no addresses, takes neither id nor device */
async function portNamed(api: SurroundingsApi, name: string, withOwner: boolean): Promise<VimPort> {
  const found = await api.ports(name);
  const [port] = found;
  if (port === undefined || found.length > 1) return { name, found: found.length };
  const { id, networkId, deviceId } = port;
  const owner = withOwner ? { id, ...deviceOf(deviceId) } : {};
  return { name, found: 1, networkId, used: deviceId !== '', ...owner };
}

async function takenOf(
  api: SurroundingsApi,
  ids: ReadonlyMap<string, string>,
  addresses: readonly AskedAddress[],
): Promise<TakenAddress[]> {
  const taken: TakenAddress[] = [];
  for (const { network, address } of addresses) {
    const id = ids.get(network);
    const [port] = id === undefined ? [] : await api.portsWith(id, address);
    if (port !== undefined) taken.push({ network, address, port: port.id, ...deviceOf(port.deviceId) });
  }
  return taken;
}

const deviceOf = (id: string): { device?: string } => (id === '' ? {} : { device: id });

const unanswered = (why: string): VimNetworksReply => ({ networks: [], unanswered: why.slice(0, MOST_TOLD) });
