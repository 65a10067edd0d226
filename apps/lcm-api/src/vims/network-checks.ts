import {
  isJsonObject,
  RequestError,
  TerminalError,
  TransientError,
  type InvalidParam,
  type JsonObject,
} from '@windlass/foundation';
import {
  MOST_ADDRESSES,
  MOST_NETWORKS,
  MOST_PORTS,
  type AskedAddress,
  type GrantedBy,
  type TakenAddress,
  type VimClient,
  type VimNetwork,
  type VimNetworksReply,
  type VimNetworksRequest,
} from '@windlass/messaging';
import { isIPv6 } from 'node:net';
import type { AskedOfVim, VimAccess } from '@windlass/lifecycle';
import type { KeptRange } from '@windlass/mgmt-driver';
import { mayHave, rangesOverlap } from '@windlass/openstack/address-ranges';
import { OwnPorts } from './own-ports.js';
import { objectsIn, portFaults, preparedPortsIn } from './prepared-ports.js';
import { descriptionFault, namesAskedFor, serverFaults, type ServerFault } from './server-checks.js';

/** Neutron's longest name. */
const LONGEST_NAME = 255;

/** A network that a request names. */
interface NamedNetwork {
  /** JSON pointer of its name or id. */
  path: string;
  name: string;
  subnets: { path: string; id: string }[];
  /** Which address families are wanted on the network, and where the request says so. */
  families: AskedFamily[];
  /** Addresses that the request gives, with the subnet it gives them on. */
  fixed: { path: string; address: string; subnetId: string | undefined }[];
  /** Whether a connection point on the network names no subnet, and so may get an address of any. */
  any: boolean;
}

/** A connection point that wants an address of a family, and where the request says so. */
interface AskedFamily {
  path: string;
  family: 'IPv4' | 'IPv6';
  /** Who wants it: `the request`, a CP. */
  who: string;
}

/** Which request, and where it would be carried out. */
export interface NetworkQuestion {
  tenant: string;
  /** A registered OpenStack's id; of one that the request or the instance describes, the id of its connection, and how to get into it. */
  vim: { id: string; described?: VimAccess };
  /** What the templates of an instantiation name in the VIM. */
  asked?: AskedOfVim;
  request: JsonObject;
  /** Ranges that the VNF keeps for itself, as its drivers say. */
  ranges: readonly KeptRange[];
  /** CPs whose ports need an IPv4 address, as the drivers say. */
  ipv4Cps: readonly string[];
  /** Which ports in use are its own. */
  instance: ConstructorParameters<typeof OwnPorts>[0];
}

/** Checks before the 202 that the VIM has the networks that a request names. */
export class NetworkChecks {
  constructor(
    private readonly vims: Pick<VimClient, 'networks'>,
    /** Asks what grants; undefined where no coordinator says so. */
    private readonly grantedBy: () => Promise<GrantedBy['by'] | undefined>,
  ) {}

  /**
   * Checks that the VIM has the networks, subnets and prepared ports that a request names, that taken addresses are the VNF's own, and that flavors
   * and networks of floating IPs that templates name exist and fit. For a VIM that the request describes, also that its login works.
   * @returns warnings: what could not be seen, and what an NFVO may give in place of the request's
   * @throws RequestError 400 with the path of each fault: `vim.networks`, `vim.resources` where no network is, `vim.description`; 409 `vim.resources`
   *   where the fault is in the package
   */
  async check({ tenant, vim, asked = NOTHING, request, ranges, ipv4Cps, instance }: NetworkQuestion): Promise<string[]> {
    const named = networksNamedIn(request, ipv4Cps);
    const names = [...new Set(named.map(({ name }) => name))].slice(0, MOST_NETWORKS);
    const others = namesAskedFor(asked);
    if (names.length === 0 && Object.keys(others).length === 0 && vim.described === undefined) return [];
    const prepared = preparedPortsIn(request);
    const wanted = [...new Set(prepared.map(({ name }) => name))].filter((name) => name.length <= LONGEST_NAME);
    const ports = wanted.length === 0 ? {} : { ports: wanted.slice(0, MOST_PORTS) };
    const addresses = addressesAskedFor(named);
    const withSubnets = names.filter((name) => named.some((each) => each.name === name && needsSubnets(each, ranges)));
    const subnets = withSubnets.length === names.length ? {} : { subnetsOf: withSubnets };
    const question = { tenant, id: vim.id, names, ...ports, addresses, ...others, ...subnets };
    const reply = await this.#find(question, vim.described);
    const { networks, ports: found = [], taken = [], unanswered, refused, unseen } = reply;
    if (unanswered !== null)
      return [`whether the VIM has what the request names (networks, flavors) was not seen: it says nothing: ${unanswered}`];
    if (refused !== undefined) return this.#told('vim.description', [descriptionFault(refused, request, vim.id)]);
    const own = new OwnPorts(instance);
    const faults = [
      ...named.flatMap((each) => [...faultsOf(each, networks, ranges), ...takenFaults(each, taken, own)]),
      ...portFaults(prepared, found, networks, own),
    ];
    const warnings = unseen === undefined ? [] : [`whether the VIM has the flavors and images was not seen: ${unseen}`];
    const code = faults.length > 0 ? 'vim.networks' : 'vim.resources';
    return [...warnings, ...(await this.#told(code, [...faults, ...serverFaults(asked, reply, request)]))];
  }

  /** @returns warnings, where an NFVO may grant something else @throws RequestError where nothing else can be granted */
  async #told(code: string, faults: readonly ServerFault[]): Promise<string[]> {
    if (faults.length === 0) return [];
    const told = faults.map(({ path, reason }) => (path === undefined ? reason : `${path}: ${reason}`));
    // An NFVO's grant may name other networks, flavors and VIMs than the request.
    if ((await this.grantedBy()) !== 'coordinator')
      return told.map((each) => `${each}, unless the grant of an NFVO names another`);
    const invalidParams = faults.flatMap(({ path, reason }): InvalidParam[] => (path === undefined ? [] : [{ path, reason }]));
    if (invalidParams.length === 0) throw new RequestError(409, code, told.join('; '));
    throw new RequestError(400, code, told.length === invalidParams.length ? (told[0] ?? '') : told.join('; '), {
      invalidParams,
    });
  }

  /**
   * Asks the registry. One that does not answer, or is of an older release, counts like a VIM that does not answer; so does one that may not be asked
   * because NATS has the users of an older release.
   */
  async #find(asked: VimNetworksRequest, described: VimAccess | undefined): Promise<VimNetworksReply> {
    try {
      return await this.vims.networks(asked, described);
    } catch (error) {
      // Each older release of the registry knows less: first `subnetsOf` is missing, then described VIMs and
      // flavors, then addresses, then ports.
      const unread = error instanceof TerminalError && error.code === 'messaging.undecodable';
      if (unread && described !== undefined && asked.subnetsOf === undefined)
        return unansweredBy('a vim-registry of an older release looks at registered VIMs alone');
      const less = unread ? withoutNewest(asked) : undefined;
      if (less !== undefined) return less.names.length === 0 ? NOTHING_SEEN : await this.#find(less, described);
      const forbidden = error instanceof TerminalError && error.code === 'messaging.forbidden';
      if (!forbidden && !(error instanceof TransientError)) throw error;
      return unansweredBy(forbidden ? error.message : `vim-registry does not answer (${error.code})`);
    }
  }
}

const NOTHING: AskedOfVim = { servers: [], floating: [] };
const NOTHING_SEEN: VimNetworksReply = { networks: [], unanswered: null };

const unansweredBy = (why: string): VimNetworksReply => ({ networks: [], unanswered: why });

/** The question without the members that the newest release in it has added; undefined for the oldest question. */
function withoutNewest(asked: VimNetworksRequest): VimNetworksRequest | undefined {
  const { subnetsOf, ...fifth } = asked;
  if (subnetsOf !== undefined) return fifth;
  const { flavors, images, floating, ...fourth } = fifth;
  if ([flavors, images, floating].some((names) => names !== undefined)) return fourth;
  const { addresses, ...third } = fourth;
  if (addresses !== undefined) return third;
  const { ports, ...first } = third;
  return ports === undefined ? undefined : first;
}

/** Each by its path; one name may stand at several. */
function networksNamedIn(request: JsonObject, ipv4Cps: readonly string[]): NamedNetwork[] {
  const links = (member: string): [JsonObject, string][] =>
    objectsIn(request[member]).map(([link, index]) => [link, `/${member}/${index}`]);
  return [...links('extVirtualLinks'), ...links('extManagedVirtualLinks')].flatMap(([link, path]) => {
    const { resourceId: name } = link;
    if (typeof name !== 'string' || name === '' || name.length > LONGEST_NAME) return [];
    const subnets = subnetsNamedIn(link, path);
    const cps = objectsIn(link.extCps);
    const any = cps.length === 0 || cps.some(([cp]) => subnetsNamedIn({ extCps: [cp] }, '').length === 0);
    const families = familiesIn(link, path, ipv4Cps);
    return [{ path: `${path}/resourceId`, name, subnets, any, families, fixed: fixedIn(link, path) }];
  });
}

/** SOL003 4.4.1.10 to 4.4.1.10c: the subnets of a link's connection points. */
const subnetsNamedIn = (link: JsonObject, path: string): NamedNetwork['subnets'] =>
  addressesIn(link, path).flatMap(({ at, address: { subnetId } }) =>
    typeof subnetId === 'string' && subnetId !== '' ? [{ path: `${at}/subnetId`, id: subnetId }] : [],
  );

/** The fixed addresses. A prepared port has addresses of its own, so none are wanted for it. */
function fixedIn(link: JsonObject, path: string): NamedNetwork['fixed'] {
  return addressesIn(link, path).flatMap(({ at, prepared, address: { fixedAddresses, subnetId } }) =>
    (Array.isArray(fixedAddresses) && !prepared ? fixedAddresses : []).flatMap((address, index): NamedNetwork['fixed'] =>
      typeof address === 'string'
        ? [{ path: `${at}/fixedAddresses/${index}`, address, subnetId: typeof subnetId === 'string' ? subnetId : undefined }]
        : [],
    ),
  );
}

/** `IpOverEthernetAddressData.ipAddresses` of a link's connection points, each with its path. */
function addressesIn(link: JsonObject, path: string): { at: string; address: JsonObject; prepared: boolean }[] {
  return objectsIn(link.extCps).flatMap(([cp, c]) =>
    objectsIn(cp.cpConfig).flatMap(([config, g]) =>
      objectsIn(config.cpProtocolData).flatMap(([{ ipOverEthernet }, p]) =>
        objectsIn(isJsonObject(ipOverEthernet) ? ipOverEthernet.ipAddresses : undefined).map(([address, a]) => ({
          at: `${path}/extCps/${c}/cpConfig/${g}/cpProtocolData/${p}/ipOverEthernet/ipAddresses/${a}`,
          address,
          prepared: config.linkPortId !== undefined,
        })),
      ),
    ),
  );
}

/** What the request asks for by `type`, and what a driver needs of a connection point on this link. */
function familiesIn(link: JsonObject, path: string, ipv4Cps: readonly string[]): AskedFamily[] {
  const asked = addressesIn(link, path).flatMap(({ at, address: { type } }): AskedFamily[] =>
    type === 'IPV4' || type === 'IPV6'
      ? [{ path: `${at}/type`, family: type === 'IPV4' ? 'IPv4' : 'IPv6', who: 'the request asks for' }]
      : [],
  );
  const needed = objectsIn(link.extCps).flatMap(([{ cpdId }, index]): AskedFamily[] =>
    typeof cpdId === 'string' && ipv4Cps.includes(cpdId)
      ? [{ path: `${path}/extCps/${index}/cpdId`, family: 'IPv4', who: `the CP ${cpdId} needs` }]
      : [],
  );
  return [...asked, ...needed];
}

/** Whether anything about the network is said that its subnets decide. */
const needsSubnets = ({ subnets, families, fixed }: NamedNetwork, ranges: readonly KeptRange[]): boolean =>
  ranges.length > 0 || [subnets, families, fixed].some((said) => said.length > 0);

function faultsOf(named: NamedNetwork, networks: readonly VimNetwork[], ranges: readonly KeptRange[]): InvalidParam[] {
  const { path, name } = named;
  const network = networks.find((each) => each.name === name);
  if (network === undefined) return [];
  const { found, subnets } = network;
  if (found === 0) {
    const reason = `the VIM has no network ${name} that its user sees: make it, share it with the VIM's project, or name another`;
    return [{ path, reason }];
  }
  if (found > 1)
    return [
      { path, reason: `${found} networks of the VIM are called ${name}, and Heat takes no name that several have: give the id` },
    ];
  const isOf = (id: string) => (subnet: VimNetwork['subnets'][number]) => subnet.id === id || subnet.name === id;
  const missing = named.subnets.filter(({ id }) => !subnets.some(isOf(id)));
  const its = subnets.map(({ id, name: called, cidr }) => `${id} (${called === '' ? cidr : `${called}, ${cidr}`})`).join(', ');
  const used = named.any ? subnets : subnets.filter((subnet) => named.subnets.some(({ id }) => isOf(id)(subnet)));
  return [
    ...missing.map(({ path: at, id }) => ({
      path: at,
      reason: `network ${name} has no subnet ${id} that the VIM's user sees; it has ${its === '' ? 'none' : its}`,
    })),
    ...familyFaults(named, subnets, its),
    ...addressFaults(named, subnets, its),
    ...ranges.flatMap((range) => {
      const subnet = used.find(({ cidr }) => rangesOverlap(cidr, range.cidr));
      if (subnet === undefined) return [];
      const where = `subnet ${subnet.name === '' ? subnet.id : subnet.name} (${subnet.cidr}) of network ${name}`;
      const reason = `${range.name} ${range.cidr}, whose addresses the VNF keeps for itself, overlaps ${where}, named at ${path}: choose another ${range.name}, or another network`;
      return [{ path: range.path ?? path, reason }];
    }),
  ];
}

/** Faults of address families. Nothing is known of a network whose subnets are hidden, such as another project's external one. */
function familyFaults({ name, families }: NamedNetwork, subnets: VimNetwork['subnets'], its: string): InvalidParam[] {
  const has = { IPv4: subnets.some(({ cidr }) => !cidr.includes(':')), IPv6: subnets.some(({ cidr }) => cidr.includes(':')) };
  return families.flatMap(({ path, family, who }) =>
    subnets.length === 0 || has[family]
      ? []
      : [
          {
            path,
            reason: `${who} an ${family} address, and network ${name} has no ${family} subnet, only ${its}: make one there, or name another network`,
          },
        ],
  );
}

/** Each address once, as Neutron writes it. */
const addressesAskedFor = (named: readonly NamedNetwork[]): AskedAddress[] => {
  const asked = named.flatMap(({ name, fixed }) => fixed.map(({ address }) => ({ network: name, address: written(address) })));
  return [...new Map(asked.map((each) => [`${each.network} ${each.address}`, each])).values()].slice(0, MOST_ADDRESSES);
};

/** An address of IPv6 in its shortest form (RFC 5952), as Neutron keeps it; another text as it is. */
const written = (address: string): string =>
  isIPv6(address) && !address.includes('%')
    ? new URL(`http://[${address}]`).hostname.slice(1, -1)
    : address.slice(0, LONGEST_NAME);

/** Addresses that a port of somebody else has. */
const takenFaults = ({ name, fixed }: NamedNetwork, taken: readonly TakenAddress[], own: OwnPorts): InvalidParam[] =>
  fixed.flatMap(({ path, address }) => {
    const found = taken.find((each) => each.network === name && each.address === written(address));
    if (found === undefined || own.mayBe(found)) return [];
    const whose = found.device === undefined ? '' : ` of ${found.device}`;
    const reason = `port ${found.port}${whose} has the address ${address} of network ${name} already: give a free one, free it, or leave it to the VIM (numDynamicAddresses)`;
    return [{ path, reason }];
  });

/** Addresses that lie in no subnet: in the one that the request names, else in any of the network's. */
function addressFaults({ name, fixed }: NamedNetwork, subnets: VimNetwork['subnets'], its: string): InvalidParam[] {
  return fixed.flatMap(({ path, address, subnetId }, index) => {
    const on =
      subnetId === undefined ? subnets : subnets.filter(({ id, name: called }) => id === subnetId || called === subnetId);
    // An unknown subnet is reported by itself.
    if (on.length > 0 && !on.some(({ cidr }) => mayHave(cidr, address))) {
      const where =
        subnetId === undefined
          ? `no subnet of network ${name} has the address ${address} for a port; it has ${its}`
          : `subnet ${subnetId} (${on[0]?.cidr ?? ''}) of network ${name} has no address ${address} for a port`;
      return [{ path, reason: `${where}: give an address of it, or leave it to the VIM (numDynamicAddresses)` }];
    }
    return fixed.slice(0, index).some((before) => before.address === address)
      ? [{ path, reason: `the address ${address} is given before this: network ${name} has it once` }]
      : [];
  });
}
