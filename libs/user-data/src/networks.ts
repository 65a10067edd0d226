import { pointerToken, RequestError, type InvalidParam, type Json } from '@windlass/foundation';
import { makesOwnPort, type ConnectionPoint } from '@windlass/vnf-package';
import type { CpConfig, ExtVirtualLink, IpAddresses, UserDataInput } from './instantiate-data.js';

/** A value, or which field of the request would have to give it. */
export type Found = { value: Json } | { missing: InvalidParam };

const missing = (path: string, reason: string): Found => ({ missing: { path, reason } });

interface ExternalCp {
  link: ExtVirtualLink;
  /** Where the connection point stands in the request; undefined if the grant gave it. */
  pointer: string | undefined;
  configs: [string, CpConfig][];
}

/** Network of a connection point: by the external link that lists it, or by the managed network of its internal link. */
export function networkOf(input: UserDataInput, cpdId: string): Found {
  const external = externalCp(input, cpdId);
  if (external !== undefined) return { value: external.link.resourceId };
  const cp = input.flavour.cps.find(({ id }) => id === cpdId);
  if (cp?.virtualLinkId !== undefined) {
    const managed = managedNetworks(input)[cp.virtualLinkId];
    if (managed !== undefined) return { value: managed };
  }
  return missing(...whereNetworkBelongs(cp, cpdId));
}

function whereNetworkBelongs(cp: ConnectionPoint | undefined, cpdId: string): [string, string] {
  if (cp === undefined || cp.external)
    return ['/extVirtualLinks', `should connect the connection point "${cpdId}": no extCps entry has this cpdId`];
  const reason = `should give a network for the virtual link "${cp.virtualLinkId ?? ''}", which the connection point "${cpdId}" hangs on`;
  return ['/extManagedVirtualLinks', reason];
}

/** Networks that stand in for internal virtual links, by the link's id. */
export function managedNetworks({ request, grant }: Pick<UserDataInput, 'request' | 'grant'>): Record<string, string> {
  const links = [...(request.extManagedVirtualLinks ?? []), ...(grant?.extManagedVirtualLinks ?? [])];
  return Object.fromEntries(links.map((link) => [link.vnfVirtualLinkDescId, link.resourceId]));
}

/** How many ports are made of a connection point, and how a template asks for the addresses of one. */
export interface AskedAddresses {
  /** Ports that get the same answer: members of a group, or resources that ask alike. */
  instances: number;
  /** The template asks for the addresses one by one, and so gives each port its own. */
  oneByOne: boolean;
}

/**
 * `fixed_ips` of a connection point, as a Heat port takes them: `{ip_address, subnet}`, or `{subnet}` for an address that the VIM
 * chooses. An empty list leaves all to the VIM. Asked for one by one, it has the addresses of all configurations, in their order.
 */
export function fixedIpsOf(input: UserDataInput, cpdId: string, { instances, oneByOne }: AskedAddresses): Found {
  const external = externalCp(input, cpdId);
  if (external === undefined) return { value: [] };
  const fixedIps: Json[] = [];
  for (const { addresses, pointer } of addressesOf(external, oneByOne ? external.configs : external.configs.slice(0, 1))) {
    if (addresses.addressRange !== undefined) {
      return missing(
        `${pointer}/addressRange`,
        'is not supported: a Heat port takes addresses or a subnet; give fixedAddresses or numDynamicAddresses',
      );
    }
    const given = addresses.fixedAddresses?.length ?? 0;
    if (given > 0 && instances > 1 && !oneByOne) {
      const what = given === 1 ? 'gives one address' : `gives ${given} addresses`;
      return missing(`${pointer}/fixedAddresses`, `${what} to "${cpdId}", of which ${instances} are made alike: ${ALIKE(cpdId)}`);
    }
    fixedIps.push(...heatAddresses(addresses));
  }
  return { value: fixedIps };
}

/** What to do where the ports of a connection point are made alike. */
export const ALIKE = (cpdId: string): string =>
  `leave the addresses to the VIM (numDynamicAddresses with a subnetId), or have the templates ask for each by its place ([nfv, CP, ${cpdId}, fixed_ips, 0, ip_address], 1, ...)`;

/** The MAC address of a connection point. @param instances how many ports are made of it: one address can't serve two */
export function macAddressOf(input: UserDataInput, cpdId: string, instances: number): Found {
  const external = externalCp(input, cpdId);
  const [key, config] = external?.configs[0] ?? ['0', {}];
  const at = `${external?.pointer ?? ''}/cpConfig/${pointerToken(key)}/cpProtocolData/0/ipOverEthernet/macAddress`;
  const found = config.cpProtocolData?.find(({ ipOverEthernet }) => ipOverEthernet?.macAddress !== undefined);
  const mac = found?.ipOverEthernet?.macAddress;
  if (external === undefined)
    return missing('/extVirtualLinks', `should give a MAC address to "${cpdId}": the templates ask for it`);
  if (mac === undefined) return missing(at, `is missing: the templates ask for the MAC address of "${cpdId}"`);
  if (instances > 1) return oneForSeveral(input, at, cpdId, instances, 'address');
  // Heat refuses hyphens.
  return { value: mac.replaceAll('-', ':').toLowerCase() };
}

/** What one connection point alone can have. A scaling did not say it: it is told what led to so many, and the way out. */
function oneForSeveral(
  { sizeField }: UserDataInput,
  at: string,
  cpdId: string,
  instances: number,
  what: 'port' | 'address',
): Found {
  if (sizeField === undefined)
    return missing(at, `gives one ${what} to "${cpdId}", of which ${instances} are made alike: leave it out`);
  const reason = `would make ${instances} of the connection point "${cpdId}", which has one ${what} of the request that connected it: connect it without that by change_ext_conn, then scale`;
  return missing(sizeField, reason);
}

/** The VIM's id of the port that was prepared for a connection point. @param instances as for {@link macAddressOf} */
export function portOf(input: UserDataInput, cpdId: string, instances: number): Found {
  const external = externalCp(input, cpdId);
  if (external === undefined)
    return missing('/extVirtualLinks', `should give a prepared port to "${cpdId}": the templates ask for one`);
  const [key, config] = external.configs[0] ?? ['0', {}];
  const at = `${external.pointer ?? ''}/cpConfig/${pointerToken(key)}/linkPortId`;
  if (config.linkPortId === undefined) return missing(at, `is missing: the templates ask for a prepared port of "${cpdId}"`);
  const port = external.link.extLinkPorts?.find(({ id }) => id === config.linkPortId);
  if (port === undefined) return missing(at, `names no port of the link's extLinkPorts: "${config.linkPortId}"`);
  if (instances > 1) return oneForSeveral(input, at, cpdId, instances, 'port');
  return { value: port.resourceHandle.resourceId };
}

/**
 * Ids of ports that were prepared for connection points whose ports templates made from the VNFD would make themselves, by connection point.
 * @param counts instances by VDU
 * @throws RequestError 400 with the pointer of each that can't have its port
 */
export function portsStandingIn(input: UserDataInput, counts: Readonly<Record<string, number>>): Record<string, string> {
  const found = input.flavour.cps.flatMap(({ id, vduId = '' }) => {
    const external = makesOwnPort(input.flavour, id) ? externalCp(input, id) : undefined;
    if (external?.configs[0]?.[1].linkPortId === undefined) return [];
    return [[id, portOf(input, id, counts[vduId] ?? 1)] as const];
  });
  const invalidParams = found.flatMap(([, port]) => ('missing' in port ? [port.missing] : []));
  const detail = invalidParams.map(({ path, reason }) => `${path} ${reason}`).join('; ');
  if (invalidParams.length > 0) throw new RequestError(400, 'user-data.missing-parameters', detail, { invalidParams });
  return Object.fromEntries(
    found.flatMap(([id, port]) => ('value' in port && typeof port.value === 'string' ? [[id, port.value]] : [])),
  );
}

/** The field that would give a connection point's addresses. */
export function addressPointer(input: UserDataInput, cpdId: string): string {
  const external = externalCp(input, cpdId);
  if (external?.pointer === undefined) return '/extVirtualLinks';
  return `${external.pointer}/cpConfig/${external.configs[0]?.[0] ?? 0}/cpProtocolData/0/ipOverEthernet/ipAddresses`;
}

function heatAddresses({ fixedAddresses, numDynamicAddresses, subnetId }: IpAddresses): Json[] {
  const subnet = subnetId === undefined ? {} : { subnet: subnetId };
  const fixed = (fixedAddresses ?? []).map((address) => ({ ip_address: address, ...subnet }));
  const dynamic = subnetId === undefined ? 0 : (numDynamicAddresses ?? 0);
  return [...fixed, ...Array.from({ length: dynamic }, () => ({ ...subnet }))];
}

/** Address entries of these configurations. */
function addressesOf(
  { pointer }: ExternalCp,
  configs: readonly [string, CpConfig][],
): { addresses: IpAddresses; pointer: string }[] {
  return configs.flatMap(([key, config]) =>
    (config.cpProtocolData ?? []).flatMap(({ ipOverEthernet }, protocol) =>
      (ipOverEthernet?.ipAddresses ?? []).map((addresses, index) => ({
        addresses,
        pointer: `${pointer ?? ''}/cpConfig/${pointerToken(key)}/cpProtocolData/${protocol}/ipOverEthernet/ipAddresses/${index}`,
      })),
    ),
  );
}

function externalCp({ request, grant }: UserDataInput, cpdId: string): ExternalCp | undefined {
  return findCp(grant?.extVirtualLinks, cpdId, false) ?? findCp(request.extVirtualLinks, cpdId, true);
}

function findCp(links: readonly ExtVirtualLink[] | undefined, cpdId: string, ofRequest: boolean): ExternalCp | undefined {
  for (const [l, link] of (links ?? []).entries()) {
    const c = link.extCps.findIndex((cp) => cp.cpdId === cpdId);
    if (c < 0) continue;
    const configs = Object.entries(link.extCps[c]?.cpConfig ?? []);
    return { link, configs, pointer: ofRequest ? `/extVirtualLinks/${l}/extCps/${c}` : undefined };
  }
  return undefined;
}
