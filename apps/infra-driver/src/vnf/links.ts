import type { StackParts, PortItem } from '@windlass/openstack';
import type { ExtVirtualLinkData, VnfExtCpConfig } from '@windlass/sol003';
import { groupedBy } from './parts-index.js';
import type { VnfInfoInput } from './vnf-info-input.js';
import { stableId } from './stable-id.js';
import type { Vnfc } from './vnfcs.js';
import type { CpModel } from './vnf-model.js';

/** The virtual links of a VNF, by who made them. */
export interface Links {
  /** Of the request: networks outside of the VNF. */
  external: {
    id: string;
    resourceId: string;
    vimConnectionId: string | undefined;
    extLinkPorts: NonNullable<ExtVirtualLinkData['extLinkPorts']>;
    data: ExtVirtualLinkData;
  }[];
  /** Of the request: internal links that the caller made. */
  managed: { id: string; vnfVirtualLinkDescId: string; resourceId: string; vimConnectionId: string | undefined }[];
  /** Made with the stack. */
  internal: { id: string; vnfVirtualLinkDescId: string; resourceId: string }[];
}

/** A CP of the VNF, with its port and the link it is on. */
export interface ConnectedCp {
  cp: CpModel;
  /** Absent for a CP of the VNF itself. */
  vnfc: Vnfc | undefined;
  external: boolean;
  vnfcCpId: string;
  extCpId: string;
  linkPortId: string;
  /** The port of the stack; absent where the caller made it. */
  port: PortItem | undefined;
  /** Id of the port at the VIM, whoever made it. */
  portId: string | undefined;
  link: Links['external'][number] | Links['managed'][number] | Links['internal'][number] | undefined;
  /** Addresses that the request asked for. */
  fixedAddresses: ReadonlySet<string>;
}

/** The links of the request, and those that the stack made: by its networks' names, or by the networks its ports are on. */
export function linksOf({ vnfInstanceId, model, inventory, ...input }: VnfInfoInput): Links {
  const managed = (input.extManagedVirtualLinks ?? []).map((data) => ({
    id: data.id,
    vnfVirtualLinkDescId: data.vnfVirtualLinkDescId,
    resourceId: data.resourceId,
    vimConnectionId: data.vimConnectionId ?? input.vimConnectionId,
  }));
  const ofCaller = new Set(managed.map(({ vnfVirtualLinkDescId }) => vnfVirtualLinkDescId));
  const networkOf = networksOf(inventory, model.cps);
  const internal = model.virtualLinks
    .filter(({ id }) => !ofCaller.has(id))
    .flatMap(({ id }) => {
      const resourceId = networkOf(id);
      if (resourceId === undefined) return [];
      const linkId = stableId(vnfInstanceId, 'virtual-link', inventory.stack, { path: [id] });
      return [{ id: linkId, vnfVirtualLinkDescId: id, resourceId }];
    });
  const external = (input.extVirtualLinks ?? []).map((data) => ({
    id: data.id,
    resourceId: data.resourceId,
    vimConnectionId: data.vimConnectionId ?? input.vimConnectionId,
    extLinkPorts: data.extLinkPorts ?? [],
    data,
  }));
  return { external, managed, internal };
}

/** The network of a link of the VNFD in a stack: one of its name, else the one that a port of the link's CPs is on. */
function networksOf({ networks, ports }: StackParts, cps: readonly CpModel[]): (linkId: string) => string | undefined {
  const made = firstBy(networks, ({ name }) => name);
  const onNetworks = firstBy(
    ports.filter(({ networkId }) => networkId !== undefined),
    ({ name }) => name,
  );
  const cpsOf = groupedBy(cps, ({ virtualLinkId }) => (virtualLinkId === undefined ? [] : [virtualLinkId]));
  return (linkId) => {
    const port = (cpsOf.get(linkId) ?? []).map(({ id }) => onNetworks.get(id)).find((found) => found !== undefined);
    return made.get(linkId)?.physicalId ?? port?.networkId;
  };
}

/** All CPs: those of the VNFCs first, then those that belong to the VNF itself and have a port of their name. */
export function connectCps(input: VnfInfoInput, vnfcs: readonly Vnfc[], links: Links): ConnectedCp[] {
  const finder = new LinkFinder(links);
  const ofVnfcs = vnfcs.flatMap((vnfc) =>
    vnfc.cps.map(({ cp, port }) => connect(input, finder, cp, port, [...vnfc.server.place.path, cp.id], vnfc)),
  );
  const named = groupedBy(input.inventory.ports, ({ name }) => [name]);
  const own = input.model.cps
    .filter((cp) => cp.vduId === undefined)
    .flatMap((cp) => (named.get(cp.id) ?? []).map((port) => connect(input, finder, cp, port, port.place.path, undefined)));
  return [...ofVnfcs, ...own];
}

function connect(
  input: VnfInfoInput,
  finder: LinkFinder,
  cp: CpModel,
  port: PortItem | undefined,
  path: string[],
  vnfc: Vnfc | undefined,
): ConnectedCp {
  const external = cp.virtualLinkId === undefined;
  const idOf = (kind: 'vnfc-cp' | 'ext-cp' | 'link-port') => stableId(input.vnfInstanceId, kind, input.inventory.stack, { path });
  const asked = finder.asked(cp.id);
  const given = port === undefined ? asked?.given : undefined;
  return {
    cp,
    vnfc,
    external,
    vnfcCpId: idOf('vnfc-cp'),
    extCpId: idOf('ext-cp'),
    linkPortId: given?.id ?? idOf('link-port'),
    port,
    portId: port?.physicalId ?? given?.resourceHandle.resourceId,
    link: cp.virtualLinkId === undefined ? finder.external(asked, port?.networkId) : finder.internal(cp.virtualLinkId),
    fixedAddresses: asked?.fixedAddresses ?? NO_ADDRESSES,
  };
}

type ExternalLink = Links['external'][number];
type InternalLink = Links['managed'][number] | Links['internal'][number];

const NO_ADDRESSES: ReadonlySet<string> = new Set();

/** What the request says of one CP of the VNFD. */
interface AskedCp {
  /** The first link whose entry names it. */
  first: ExternalLink;
  /** Those that name it, by their networks. */
  byNetwork: Map<string, ExternalLink>;
  fixedAddresses: Set<string>;
  /** The port that the request hands in for it. */
  given: ExternalLink['extLinkPorts'][number] | undefined;
}

/** Finds the link of a CP, however many links and CPs there are. Of several that fit the first counts. */
class LinkFinder {
  readonly #asked = new Map<string, AskedCp>();
  readonly #external: ReadonlyMap<string, ExternalLink>;
  readonly #internal: ReadonlyMap<string, InternalLink>;

  constructor({ external, managed, internal }: Links) {
    this.#external = firstBy(external, ({ resourceId }) => resourceId);
    this.#internal = firstBy([...managed, ...internal], ({ vnfVirtualLinkDescId }) => vnfVirtualLinkDescId);
    for (const link of external) this.#take(link);
  }

  asked(cpdId: string): AskedCp | undefined {
    return this.#asked.get(cpdId);
  }

  internal(vnfVirtualLinkDescId: string): InternalLink | undefined {
    return this.#internal.get(vnfVirtualLinkDescId);
  }

  /** The link whose request entry names the CP; of several, the one whose network the port is on. A CP that no entry names is found by its network. */
  external(asked: AskedCp | undefined, networkId: string | undefined): ExternalLink | undefined {
    if (asked === undefined) return networkId === undefined ? undefined : this.#external.get(networkId);
    return (networkId === undefined ? undefined : asked.byNetwork.get(networkId)) ?? asked.first;
  }

  #take(link: ExternalLink): void {
    for (const [cpdId, entries] of groupedBy(link.data.extCps, (entry) => [entry.cpdId])) {
      const asked = this.#asked.get(cpdId) ?? { first: link, byNetwork: new Map(), fixedAddresses: new Set(), given: undefined };
      this.#asked.set(cpdId, asked);
      if (!asked.byNetwork.has(link.resourceId)) asked.byNetwork.set(link.resourceId, link);
      const configs = entries.flatMap(({ cpConfig }) => cpConfig);
      const linkPortIds = new Set(configs.map(({ linkPortId }) => linkPortId));
      if (linkPortIds.size > 0) asked.given ??= link.extLinkPorts.find(({ id }) => linkPortIds.has(id));
      for (const address of configs.flatMap(addressesOf)) asked.fixedAddresses.add(address);
    }
  }
}

const addressesOf = ({ cpProtocolData = [] }: VnfExtCpConfig): string[] =>
  cpProtocolData
    .flatMap(({ ipOverEthernet }) => ipOverEthernet?.ipAddresses ?? [])
    .flatMap(({ fixedAddresses }) => fixedAddresses ?? []);

/** The first of each key. */
const firstBy = <T>(things: readonly T[], keyOf: (thing: T) => string): Map<string, T> =>
  new Map([...things].reverse().map((thing) => [keyOf(thing), thing]));
