import type { StackParts, PortItem } from '@windlass/openstack';
import type { ExtVirtualLinkData } from '@windlass/sol003';
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
  const internal = model.virtualLinks
    .filter(({ id }) => !managed.some((link) => link.vnfVirtualLinkDescId === id))
    .flatMap(({ id }) => {
      const resourceId = networkOf(inventory, model.cps, id);
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

function networkOf(inventory: StackParts, cps: readonly CpModel[], linkId: string): string | undefined {
  const made = inventory.networks.find((network) => network.name === linkId);
  if (made?.physicalId !== undefined) return made.physicalId;
  const onIt = new Set(cps.filter((cp) => cp.virtualLinkId === linkId).map((cp) => cp.id));
  return inventory.ports.find((port) => onIt.has(port.name) && port.networkId !== undefined)?.networkId;
}

/** All CPs: those of the VNFCs first, then those that belong to the VNF itself and have a port of their name. */
export function connectCps(input: VnfInfoInput, vnfcs: readonly Vnfc[], links: Links): ConnectedCp[] {
  const ofVnfcs = vnfcs.flatMap((vnfc) =>
    vnfc.cps.map(({ cp, port }) => connect(input, links, cp, port, [...vnfc.server.place.path, cp.id], vnfc)),
  );
  const own = input.model.cps
    .filter((cp) => cp.vduId === undefined)
    .flatMap((cp) =>
      input.inventory.ports
        .filter((port) => port.name === cp.id)
        .map((port) => connect(input, links, cp, port, port.place.path, undefined)),
    );
  return [...ofVnfcs, ...own];
}

function connect(
  input: VnfInfoInput,
  links: Links,
  cp: CpModel,
  port: PortItem | undefined,
  path: string[],
  vnfc: Vnfc | undefined,
): ConnectedCp {
  const external = cp.virtualLinkId === undefined;
  const idOf = (kind: 'vnfc-cp' | 'ext-cp' | 'link-port') => stableId(input.vnfInstanceId, kind, input.inventory.stack, { path });
  const link = external ? externalLinkOf(links, cp, port) : internalLinkOf(links, cp);
  const given = port === undefined ? givenPort(links, cp) : undefined;
  return {
    cp,
    vnfc,
    external,
    vnfcCpId: idOf('vnfc-cp'),
    extCpId: idOf('ext-cp'),
    linkPortId: given?.id ?? idOf('link-port'),
    port,
    portId: port?.physicalId ?? given?.resourceHandle.resourceId,
    link,
    fixedAddresses: fixedAddressesOf(links, cp.id),
  };
}

/** The link whose request entry names the CP; of several, the one whose network the port is on. A CP that no entry names is found by its network. */
function externalLinkOf(links: Links, cp: CpModel, port: PortItem | undefined): Links['external'][number] | undefined {
  const naming = links.external.filter(({ data }) => data.extCps.some(({ cpdId }) => cpdId === cp.id));
  const onNetwork = (link: Links['external'][number]) => port?.networkId !== undefined && link.resourceId === port.networkId;
  return naming.find(onNetwork) ?? naming[0] ?? links.external.find(onNetwork);
}

function internalLinkOf(links: Links, cp: CpModel) {
  return [...links.managed, ...links.internal].find((link) => link.vnfVirtualLinkDescId === cp.virtualLinkId);
}

/** The port that the request hands in for this CP. */
function givenPort(links: Links, cp: CpModel) {
  for (const { data, extLinkPorts } of links.external) {
    const configs = data.extCps.filter(({ cpdId }) => cpdId === cp.id).flatMap(({ cpConfig }) => cpConfig);
    const found = extLinkPorts.find((port) => configs.some(({ linkPortId }) => linkPortId === port.id));
    if (found !== undefined) return found;
  }
  return undefined;
}

function fixedAddressesOf(links: Links, cpdId: string): Set<string> {
  const asked = links.external
    .flatMap(({ data }) => data.extCps)
    .filter((cp) => cp.cpdId === cpdId)
    .flatMap(({ cpConfig }) => cpConfig)
    .flatMap(({ cpProtocolData }) => cpProtocolData ?? [])
    .flatMap(({ ipOverEthernet }) => ipOverEthernet?.ipAddresses ?? [])
    .flatMap(({ fixedAddresses }) => fixedAddresses ?? []);
  return new Set(asked);
}
