import { RequestError, seconds, TerminalError, Turns, WindlassError, isUuid } from '@windlass/foundation';
import {
  MOST_SUBNETS,
  type AskedAddress,
  type DescriptionFault,
  type FloatingNetwork,
  type TakenAddress,
  type VimFlavor,
  type VimImage,
  type VimNetwork,
  type VimNetworksReply,
  type VimNetworksRequest,
  type VimPort,
} from '@windlass/messaging';
import { FLAVORS_AT_ONCE, KeptSessions, OpenStack, SurroundingsApi, type Flavor } from '@windlass/openstack';
import type { AddressRules } from '@windlass/outbound';
import { registeredAccess, type Vault } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import { absentRegion, connectionOf } from './connection-of.js';
import { SharedQuestions } from './shared-questions.js';

/** How long a look may take, with its waiting for a turn: a client waits for the answer. */
const WITHIN = seconds(5);
/** Looks at a time, in this replica. */
const MOST_AT_ONCE = 16;
/** The most looks of one project that wait for their turn. */
const MOST_WAITING = 32;
/** The most characters of a reason that are told. */
const MOST_TOLD = 1_000;

/** What is thrown of an id that is of no OpenStack of the project's: a cluster's, or nobody's. */
const NOT_REGISTERED = ['vim.unknown', 'vim.other-kind'];

/** What a VIM is asked: the same for whoever asks it with the same rights. */
type Question = Pick<VimNetworksRequest, 'names'> & {
  [Asked in 'ports' | 'addresses' | 'subnetsOf' | 'flavors' | 'images' | 'floating']: VimNetworksRequest[Asked] | undefined;
};

/** Nothing else of a request changes the answer. */
function questionOf(request: VimNetworksRequest): Question {
  const { names, ports, addresses, subnetsOf, flavors, images, floating } = request;
  return { names, ports, addresses, subnetsOf, flavors, images, floating };
}

/** How to get into an OpenStack that only a request describes. */
export type DescribedAccess = Awaited<ReturnType<typeof registeredAccess>>;

/**
 * Looks for networks, ports, flavors and images that requests name. Registered OpenStacks are asked with their own credentials, which go nowhere
 * else, and OpenStacks that a request describes with the request's. Projects are served in turn.
 */
export class VimNetworks {
  readonly #turns = new Turns({ places: MOST_AT_ONCE, waitingPerProject: MOST_WAITING });
  /** Of registered VIMs: Keystone is not asked for a token, which is its dearest answer, by each request for an instantiation. */
  readonly #kept = new KeptSessions();
  /** By session: instantiations of one package that come together ask the same. */
  readonly #questions = new WeakMap<OpenStack, SharedQuestions<VimNetworksReply>>();

  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
    private readonly rules: AddressRules | undefined,
  ) {}

  /**
   * `unanswered` for a VIM that does not answer within 5 s, or that is no registered OpenStack.
   * @param described the access of an OpenStack that is not registered
   */
  async find(asked: VimNetworksRequest, described?: DescribedAccess): Promise<VimNetworksReply> {
    const { tenant } = asked;
    const ends = AbortSignal.timeout(WITHIN);
    try {
      return await this.#turns.run(tenant, () => this.#seen(asked, described, ends), ends);
    } catch (error) {
      if (ends.aborted) return unanswered(`it did not answer all within ${WITHIN / 1_000} s`);
      if (error instanceof RequestError && NOT_REGISTERED.includes(error.code))
        return unanswered('it is not registered as an OpenStack');
      if (error instanceof WindlassError || error instanceof RequestError) return unanswered(error.message);
      throw error;
    }
  }

  async #seen(
    request: VimNetworksRequest,
    described: DescribedAccess | undefined,
    signal: AbortSignal,
  ): Promise<VimNetworksReply> {
    const { tenant, id } = request;
    const question = questionOf(request);
    const access = described ?? (await registeredAccess(this.database.manager, this.vault, tenant, id, id));
    const open = (): OpenStack => OpenStack.open(connectionOf(access), this.rules === undefined ? {} : { rules: this.rules });
    // Another password, or another address, is another session.
    if (described === undefined) return this.#together(this.#kept.of(access, open), question, signal);
    // What a request describes is kept by nobody.
    const opened = open();
    try {
      const refused = await faultOf(opened.with({ fence, signal }), described);
      return refused === undefined ? await seen(opened, question, signal) : { networks: [], refused, unanswered: null };
    } finally {
      opened.close();
    }
  }

  /**
   * What all who ask the same at the same time are told. Whoever came while others were asking, and is told that something is not there, or in use, asks again:
   * it may have been made just before he came.
   */
  async #together(openStack: OpenStack, question: Question, signal: AbortSignal): Promise<VimNetworksReply> {
    const questions = this.#questions.get(openStack) ?? new SharedQuestions<VimNetworksReply>();
    this.#questions.set(openStack, questions);
    const { answer, isJoined } = await questions.ask(JSON.stringify(question), signal, (ends) => seen(openStack, question, ends));
    return isJoined && !isAllThere(question, answer) ? seen(openStack, question, signal) : answer;
  }

  /** Ends the sessions that are kept. */
  close(): void {
    this.#kept.close();
  }
}

const fence = (): never => {
  throw new Error('a look must change nothing');
};

async function seen(opened: OpenStack, question: Question, signal: AbortSignal): Promise<VimNetworksReply> {
  const openStack = opened.with({ fence, signal });
  const [networks, others] = await Promise.all([networksSeen(openStack, question), othersSeen(openStack, question)]);
  return { ...networks, ...others, unanswered: null };
}

/** Whether all that was asked for is there, once, and free: nothing in it speaks against a request. */
function isAllThere(asked: Question, told: VimNetworksReply): boolean {
  const { networks, ports = [], taken = [], flavors = [], images = [], floating = [], unseen } = told;
  return (
    unseen === undefined &&
    [...networks, ...ports, ...floating].every(({ found }) => found === 1) &&
    ports.every(({ used }) => used !== true) &&
    taken.length === 0 &&
    flavors.length === (asked.flavors ?? []).length &&
    flavors.every(({ has }) => has !== undefined) &&
    images.length === (asked.images ?? []).length
  );
}

/** Tries the login and the region as the operation would use them. @throws TransientError where nobody answers */
async function faultOf({ session }: OpenStack, { region }: DescribedAccess): Promise<DescriptionFault | undefined> {
  try {
    const { catalog } = await session.token();
    const reason = absentRegion(region, catalog);
    return reason === undefined ? undefined : { member: 'accessInfo/region', reason };
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    const member = error.code === 'openstack.unauthorized' ? 'accessInfo' : 'interfaceInfo/endpoint';
    return { member, reason: error.message.slice(0, MOST_TOLD) };
  }
}

/** One after the other, with one token: a request names few. */
async function networksSeen(
  { session }: OpenStack,
  { names, ports: asked = [], addresses, subnetsOf = names }: Question,
): Promise<Pick<VimNetworksReply, 'networks' | 'ports' | 'taken'>> {
  const api = new SurroundingsApi(session);
  const networks: VimNetwork[] = [];
  const ids = new Map<string, string>();
  for (const name of names) {
    const { network, id: found } = await networkNamed(api, name, { id: asked.length > 0, subnets: subnetsOf.includes(name) });
    networks.push(network);
    if (found !== undefined) ids.set(name, found);
  }
  const ports: VimPort[] = [];
  for (const name of asked) ports.push(await portNamed(api, name, addresses !== undefined));
  const taken = await takenOf(api, ids, addresses ?? []);
  return { networks, ...(asked.length === 0 ? {} : { ports }), ...(taken.length === 0 ? {} : { taken }) };
}

/**
 * The other things that are asked for, or why they are not known. Where one of these services does not answer, the networks are answered all the
 * same.
 */
async function othersSeen(
  { nova, glance, session }: OpenStack,
  { flavors, images, floating }: Question,
): Promise<Pick<VimNetworksReply, 'flavors' | 'images' | 'floating' | 'unseen'>> {
  try {
    const api = new SurroundingsApi(session);
    const networks: FloatingNetwork[] = [];
    for (const name of floating ?? []) networks.push(await floatingNamed(api, name));
    const known = flavors === undefined ? [] : await nova.listFlavors();
    const found: VimImage[] = [];
    for (const name of images ?? []) found.push(...(await imageNamed(glance, name)));
    return {
      ...(floating === undefined ? {} : { floating: networks }),
      ...(flavors === undefined ? {} : { flavors: flavors.flatMap((name) => flavorNamed(known, name)) }),
      ...(images === undefined ? {} : { images: found }),
    };
  } catch (error) {
    if (error instanceof WindlassError) return { unseen: error.message.slice(0, MOST_TOLD) };
    throw error;
  }
}

async function floatingNamed(api: SurroundingsApi, name: string): Promise<FloatingNetwork> {
  const found = await api.networks(name);
  const [network] = found;
  return { name, found: found.length, ...(found.length === 1 && network !== undefined ? { external: network.external } : {}) };
}

/** The flavor by name, else by id, as Heat looks. Where the page of flavors is full, nothing is known of a flavor that is not on it. */
function flavorNamed(known: readonly Flavor[], name: string): VimFlavor[] {
  const found = known.find((flavor) => flavor.name === name) ?? known.find((flavor) => flavor.id === name);
  if (found === undefined) return known.length < FLAVORS_AT_ONCE ? [{ name }] : [];
  return [{ name, has: { diskGiB: found.diskGiB, ramMiB: found.ramMiB } }];
}

/** The image; none where it is absent or ambiguous: `find-images` reports that. */
async function imageNamed(glance: OpenStack['glance'], name: string): Promise<VimImage[]> {
  const byId = isUuid(name) ? await glance.getImage(name) : undefined;
  const [image, ...others] = byId === undefined ? await glance.findImages({ name }) : [byId];
  if (image === undefined || others.length > 0) return [];
  return [{ name, minDiskGiB: image.minDiskGiB, minRamMiB: image.minRamMiB }];
}

/** @param wanted the id not by a client of an older release, which asks for no ports and does not take one */
async function networkNamed(
  api: SurroundingsApi,
  name: string,
  wanted: { id: boolean; subnets: boolean },
): Promise<{ network: VimNetwork; id?: string }> {
  const found = await api.networks(name);
  const [network] = found;
  if (network === undefined || found.length > 1) return { network: { name, found: found.length, subnets: [] } };
  const { id } = network;
  const subnets = wanted.subnets ? (await api.subnets(id)).slice(0, MOST_SUBNETS) : [];
  const told = subnets.map(({ id: subnet, name: called, cidr }) => ({ id: subnet, name: called, cidr }));
  return { network: { name, found: 1, ...(wanted.id ? { id } : {}), subnets: told }, id };
}

/** @param withOwner false for a client of an older release, which asks for no addresses and takes neither id nor device */
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
