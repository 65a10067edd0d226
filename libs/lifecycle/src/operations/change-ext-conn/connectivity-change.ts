import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '@windlass/foundation';
import type { ConnectivityChange } from '@windlass/mgmt-driver';
import type { ChangeExtVnfConnectivityRequest, ExtVirtualLinkData } from '@windlass/sol003';
import type { DesiredState } from '../../records/desired-state.js';
import type { InstantiatedState } from '../../records/records.js';
import { namesOf } from './connectivity-request.js';
import { portGivenTo } from './prepared-ports.js';

type Links = readonly ExtVirtualLinkData[];

/** What drivers are told of a request for another connectivity. Pure. @param now how the VNF is connected */
export function connectivityChange(
  before: Pick<DesiredState, 'extVirtualLinks' | 'additionalParams'>,
  { extVirtualLinks, additionalParams }: ChangeExtVnfConnectivityRequest,
  now: Pick<InstantiatedState, 'vnfcs' | 'sharedCps'>,
): ConnectivityChange {
  const earlier = before.extVirtualLinks ?? [];
  const names = namesOf(extVirtualLinks);
  const moves = (cpdId: string): boolean => {
    if (isDeepStrictEqual(askedOf(earlier, cpdId), askedOf(extVirtualLinks, cpdId)))
      return ofParams(additionalParams, cpdId) !== undefined || ofParams(before.additionalParams, cpdId) !== undefined;
    const { network, port, addresses } = askedOf(extVirtualLinks, cpdId);
    const fixed = addresses.flatMap(({ fixedAddresses = [] }) => fixedAddresses);
    const isThere = fixed.length > 0 && isDeepStrictEqual(fixed, addressesOf(now, cpdId));
    const had = askedOf(earlier, cpdId);
    return network !== had.network || port !== had.port || !isThere;
  };
  return {
    cps: [...names].map((cpdId) => ({ cpdId, moves: moves(cpdId) })),
    networks: Object.fromEntries([...networksOf(earlier), ...networksOf(extVirtualLinks)]),
    earlierCps: Object.fromEntries(now.vnfcs.map(({ id, cps }) => [id, cps])),
    earlierSharedCps: now.sharedCps,
  };
}

const networksOf = (links: Links): [string, string][] =>
  links.flatMap(({ resourceId, extCps }) => extCps.map(({ cpdId }): [string, string] => [cpdId, resourceId]));

/** What links ask for a connection point: where, by which prepared port, and which addresses. */
function askedOf(links: Links, cpdId: string) {
  const link = links.find(({ extCps }) => extCps.some((cp) => cp.cpdId === cpdId));
  const config = link?.extCps.find((cp) => cp.cpdId === cpdId)?.cpConfig ?? [];
  const data = config.flatMap(({ cpProtocolData = [] }) => cpProtocolData);
  return {
    network: link?.resourceId,
    port: portGivenTo(links, cpdId),
    addresses: data.flatMap(({ ipOverEthernet }) => ipOverEthernet?.ipAddresses ?? []),
  };
}

/** What `nfv.CP` of the parameters says of it, which goes before what links say. */
function ofParams(params: object | undefined, cpdId: string): unknown {
  const nfv = (params as JsonObject | undefined)?.nfv;
  return isJsonObject(nfv) && isJsonObject(nfv.CP) ? nfv.CP[cpdId] : undefined;
}

const addressesOf = ({ vnfcs, sharedCps }: Pick<InstantiatedState, 'vnfcs' | 'sharedCps'>, cpdId: string): string[] => [
  ...vnfcs.flatMap(({ cps }) => cps.filter((cp) => cp.cpdId === cpdId).flatMap(({ addresses }) => addresses)),
  ...sharedCps.filter(({ name }) => name === cpdId).flatMap(({ addresses }) => addresses),
];
