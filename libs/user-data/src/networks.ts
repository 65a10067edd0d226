import type { InvalidParam, Json } from '@windlass/foundation';
import type { ConnectionPoint } from '@windlass/vnf-package';
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

/**
 * `fixed_ips` of a connection point, as a Heat port takes them: `{ip_address, subnet}`, or `{subnet}` for an address that the VIM
 * chooses. An empty list leaves all to the VIM.
 * @param instances how many ports are made from it: one address can't serve two.
 */
export function fixedIpsOf(input: UserDataInput, cpdId: string, instances: number): Found {
  const external = externalCp(input, cpdId);
  if (external === undefined) return { value: [] };
  const fixedIps: Json[] = [];
  for (const { addresses, pointer } of addressesOf(external)) {
    if (addresses.addressRange !== undefined) {
      return missing(
        `${pointer}/addressRange`,
        'is not supported: a Heat port takes addresses or a subnet; give fixedAddresses or numDynamicAddresses',
      );
    }
    if ((addresses.fixedAddresses?.length ?? 0) > 0 && instances > 1) {
      const reason = `gives one address to "${cpdId}", of which ${instances} are made; give numDynamicAddresses and a subnetId`;
      return missing(`${pointer}/fixedAddresses`, reason);
    }
    fixedIps.push(...heatAddresses(addresses));
  }
  return { value: fixedIps };
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

/** Address entries of the first configuration: all instances that one resource makes are configured alike. */
function addressesOf({ pointer, configs }: ExternalCp): { addresses: IpAddresses; pointer: string }[] {
  const [first] = configs;
  if (first === undefined) return [];
  const [key, config] = first;
  return (config.cpProtocolData ?? []).flatMap(({ ipOverEthernet }, protocol) =>
    (ipOverEthernet?.ipAddresses ?? []).map((addresses, index) => ({
      addresses,
      pointer: `${pointer ?? ''}/cpConfig/${key}/cpProtocolData/${protocol}/ipOverEthernet/ipAddresses/${index}`,
    })),
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
