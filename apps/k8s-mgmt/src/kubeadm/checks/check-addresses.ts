import { cidrContains, formatCidr, parseIpv4, type Cidr } from '@windlass/driver-kit';
import { isJsonObject, type InvalidParam, type Json, type JsonObject } from '@windlass/foundation';

/** Ranges that the cluster keeps for itself, by their fields; undefined where one is wrong by itself. */
export type ClusterRanges = Readonly<Record<'pod_cidr' | 'cluster_cidr', Cidr | undefined>>;

/** From `extVirtualLinks` down to the list of an address's `fixedAddresses` (SOL003 4.4.1.10c); each but the third is a list. */
const WAY = ['extVirtualLinks', 'extCps', 'cpConfig', 'cpProtocolData', 'ipOverEthernet', 'ipAddresses', 'fixedAddresses'];

/**
 * The request's addresses for connection points that lie in the pods' or services' range: the cluster's own routes would cut the machine off. Paths
 * are those of the request.
 */
export function addressesInRanges(request: JsonObject, ranges: ClusterRanges): InvalidParam[] {
  return valuesAlong(request, WAY, '').flatMap(({ path, value }) => {
    const address = typeof value === 'string' ? parseIpv4(value) : undefined;
    if (address === undefined) return [];
    for (const [field, range] of Object.entries(ranges)) {
      if (range === undefined || !cidrContains(range, address)) continue;
      const reason = `lies in ${field} ${formatCidr(range)}, whose addresses the cluster keeps for itself: give another address, or choose another ${field}`;
      return [{ path, reason }];
    }
    return [];
  });
}

/** The values at the end of a path of member names, through lists too, each with its pointer. */
function valuesAlong(value: Json, [name, ...further]: readonly string[], path: string): { path: string; value: Json }[] {
  if (Array.isArray(value))
    return value.flatMap((each, index) => valuesAlong(each, name === undefined ? [] : [name, ...further], `${path}/${index}`));
  if (name === undefined) return [{ path, value }];
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return [];
  return valuesAlong(value[name] ?? null, further, `${path}/${name}`);
}

/** Pointers of texts that still hold a placeholder such as `${VIM_ID}`. */
export function unfilledIn(value: Json, pointer = ''): string[] {
  if (typeof value === 'string') {
    const from = value.indexOf('${');
    return from >= 0 && value.includes('}', from) ? [pointer] : [];
  }
  if (Array.isArray(value)) return value.flatMap((each, index) => unfilledIn(each, `${pointer}/${index}`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    unfilledIn(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}
