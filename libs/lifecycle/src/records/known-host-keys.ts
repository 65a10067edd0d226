import { isJsonObject, type InvalidParam, type JsonObject } from '@windlass/foundation';
import type { Vnfc } from '@windlass/mgmt-driver';
import { isIP } from 'node:net';

/**
 * In `additionalParams` of a request that makes VMs: SSH host keys that these are known by before they are first seen, by VDU or by address:
 * `{"masterNode": ["ssh-ed25519 AAAA..."]}`.
 */
export const HOST_KEYS_PARAM = 'windlass_host_keys';

/** Of one VDU or address; a group has no more members. */
const MAX_KEYS = 64;
/** What SSH connections of ours can prove. */
const TYPES = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'ssh-rsa'];

/** Type and base64, without the comment that a public key's file ends with. */
const keyOf = (line: string): string => line.trim().split(/\s+/).slice(0, 2).join(' ');

/** What is wrong with the keys of a request, each by its pointer. */
export function wrongHostKeys(params: JsonObject | undefined, vduIds: readonly string[]): InvalidParam[] {
  const given = params?.[HOST_KEYS_PARAM];
  if (given === undefined) return [];
  const root = `/additionalParams/${HOST_KEYS_PARAM}`;
  if (!isJsonObject(given)) return [{ path: root, reason: 'expected an object: lists of keys by VDU or address' }];
  return Object.entries(given).flatMap(([name, keys]) => {
    const path = `${root}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!vduIds.includes(name) && isIP(name) === 0)
      return [{ path, reason: `is neither a VDU of the flavour (${vduIds.join(', ')}) nor an IP address` }];
    if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_KEYS)
      return [{ path, reason: `expected a list of 1 to ${MAX_KEYS} keys` }];
    return keys.flatMap((key, index) =>
      typeof key === 'string' && isPublicKey(key)
        ? []
        : [{ path: `${path}/${index}`, reason: `expected a public key such as "ssh-ed25519 AAAA...": ${TYPES.join(', ')}` }],
    );
  });
}

/** The type stands in the key itself as well (RFC 4253 6.6). */
function isPublicKey(line: string): boolean {
  const [type = '', base64 = ''] = keyOf(line).split(' ');
  if (!TYPES.includes(type) || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return false;
  const blob = Buffer.from(base64, 'base64');
  return (
    blob.length > 4 + type.length && blob.readUInt32BE(0) === type.length && blob.subarray(4, 4 + type.length).toString() === type
  );
}

/**
 * The VNFCs with their known host keys. An existing machine keeps the keys that were known of it. A new machine has the keys that the request gives
 * for its addresses, else for its VDU, else those in its server's metadata.
 */
export function withKnownHostKeys(
  vnfcs: readonly Vnfc[],
  { before, request = {} }: { before: readonly Vnfc[] | undefined; request?: JsonObject },
): Vnfc[] {
  const known = new Map((before ?? []).map((vnfc) => [vnfc.resourceId, vnfc]));
  const { additionalParams } = request;
  const given = isJsonObject(additionalParams) ? additionalParams[HOST_KEYS_PARAM] : undefined;
  return vnfcs.map((vnfc) => {
    const { hostKeys: ofMetadata, ...rest } = vnfc;
    const there = known.get(vnfc.resourceId);
    const hostKeys = there === undefined ? (givenFor(vnfc, given) ?? ofMetadata) : there.hostKeys;
    return hostKeys === undefined ? rest : { ...rest, hostKeys };
  });
}

function givenFor({ vduId, cps }: Vnfc, given: unknown): string[] | undefined {
  if (!isJsonObject(given)) return undefined;
  const addresses = cps.flatMap((cp) => [...cp.addresses, ...(cp.floatingIp === null ? [] : [cp.floatingIp])]);
  const named = addresses.find((address) => Object.hasOwn(given, address)) ?? vduId;
  const keys = Object.hasOwn(given, named) ? given[named] : undefined;
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string').map(keyOf) : undefined;
}

/** What an operation knows of host keys: those of the machines that the instance had, and its own request. */
export const hostKeysKnownBy = ({
  instance,
  opOcc,
}: {
  instance: { instantiated: { vnfcs: readonly Vnfc[] } | null };
  opOcc: { request: JsonObject };
}): { before: readonly Vnfc[] | undefined; request: JsonObject } => ({
  before: instance.instantiated?.vnfcs,
  request: opOcc.request,
});
