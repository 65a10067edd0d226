import { isJsonObject, RequestError, type InvalidParam, type Json, type JsonObject } from '@windlass/foundation';
import type { VimConnectionInfo } from '../types/common.js';
import type { LcmOperationTypeV2 } from '../operations/operations.js';

/** Seconds that a graceful termination takes in v2 where its request names none (lcm-api 1.3). */
export const V2_GRACEFUL_TIMEOUT = 10;

/** What of an instance a request of v2 is read against. */
export interface InstanceForV2 {
  /** Its VNFCs: ids of VnfcResourceInfo with their VDUs. */
  readonly vnfcs: readonly { readonly id: string; readonly vduId: string }[];
  /** All its VIM connections. */
  readonly connections: readonly VimConnectionInfo[];
}

/** The id by which v2 knows a VNFC (SOL003 3.3.1, 5.5.3.23): `<vduId>-<vnfcResourceInfoId>`. */
export const vnfcInfoId = ({ id, vduId }: { id: string; vduId: string }): string => `${vduId}-${id}`;

/**
 * The body of an operation as both versions share it, which is v1's form with what v1 lacks beside: connections and configurations of connection
 * points are lists (`cpConfigId` keeps a configuration's key), VNFCs are named by VnfcResourceInfo, and v2's defaults stand where v1's would be others.
 * @param body as it follows the operation's class in {@link V2_BODIES}
 * @throws RequestError 400 with the path of each field that is wrong: an unknown VnfcInfo, what no VIM here could do
 */
export function fromV2(operation: LcmOperationTypeV2, body: JsonObject, instance: InstanceForV2): JsonObject {
  const shared = { ...body, ...linksOf(body) };
  switch (operation) {
    case 'HEAL':
      return healOf(shared, instance);
    case 'OPERATE':
      return { ...shared, ...namedVnfcs(shared, instance.vnfcs, '/vnfcInstanceId') };
    case 'TERMINATE':
      return { ...gracefulDefault(shared), ...shared };
    case 'MODIFY_INFO':
      return modificationOf(shared, instance);
    default:
      return { ...shared, ...connectionsOf(body) };
  }
}

const invalid = (invalidParams: readonly InvalidParam[]): RequestError =>
  new RequestError(400, 'request.invalid', invalidParams.map(({ path, reason }) => `${path}: ${reason}`).join('; '), {
    invalidParams: [...invalidParams],
  });

const gracefulDefault = ({ terminationType }: JsonObject): JsonObject =>
  terminationType === 'GRACEFUL' ? { gracefulTerminationTimeout: V2_GRACEFUL_TIMEOUT } : {};

/** A text as it is; validation lets nothing else through where one is wanted. */
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Without `all` v2 heals the VMs alone. */
function healOf(body: JsonObject, { vnfcs }: InstanceForV2): JsonObject {
  const params = isJsonObject(body.additionalParams) ? body.additionalParams : {};
  return { ...body, ...namedVnfcs(body, vnfcs, '/vnfcInstanceId'), additionalParams: { all: false, ...params } };
}

function namedVnfcs(body: JsonObject, vnfcs: InstanceForV2['vnfcs'], at: string): JsonObject {
  if (!Array.isArray(body.vnfcInstanceId)) return {};
  return { vnfcInstanceId: vnfcIds(body.vnfcInstanceId.map(textOf), vnfcs, (index) => `${at}/${index}`) };
}

/**
 * From ids of VnfcInfo to those of VnfcResourceInfo.
 * @throws RequestError 400 with the path of each unknown one
 */
function vnfcIds(ids: readonly string[], vnfcs: InstanceForV2['vnfcs'], at: (index: number) => string): string[] {
  const known = new Map(vnfcs.map((vnfc) => [vnfcInfoId(vnfc), vnfc.id]));
  const wrong = ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: at(index), reason: `the VNF instance has no vnfcInfo ${id}` }],
  );
  if (wrong.length > 0) throw invalid(wrong);
  return ids.map((id) => known.get(id) ?? '');
}

/** v1's list drops what it does not name; a merge patch of v2's map drops what it names with null. */
function modificationOf(body: JsonObject, { vnfcs, connections }: InstanceForV2): JsonObject {
  const { vimConnectionInfo: patch, vnfcInfoModifications: modifications, ...others } = body;
  return {
    ...others,
    ...(patch === undefined ? {} : { vimConnectionInfo: patchedConnections(patch, connections) }),
    ...(Array.isArray(modifications) ? { vnfcInfoModifications: modificationsOf(modifications, vnfcs) } : {}),
  };
}

function modificationsOf(modifications: readonly Json[], vnfcs: InstanceForV2['vnfcs']): Json[] {
  const entries = modifications.filter(isJsonObject);
  const ids = vnfcIds(
    entries.map(({ id }) => textOf(id)),
    vnfcs,
    (index) => `/vnfcInfoModifications/${index}/id`,
  );
  return entries.map((entry, index) => ({ ...entry, id: ids[index] ?? '' }));
}

function patchedConnections(patch: Json, connections: readonly VimConnectionInfo[]): Json[] {
  if (!isJsonObject(patch)) return [];
  const wrong = Object.entries(patch).flatMap(([id, entry]) =>
    entry === null || isJsonObject(entry) ? [] : [{ path: `/vimConnectionInfo/${id}`, reason: 'expected an object or null' }],
  );
  if (wrong.length > 0) throw invalid(wrong);
  const kept = connections.filter(({ id }) => patch[id] !== null).map(({ id }) => id);
  const added = Object.keys(patch).filter((id) => patch[id] !== null && !kept.includes(id));
  return [...kept, ...added].map((id) => ({ ...(isJsonObject(patch[id]) ? patch[id] : {}), id }));
}

/** One that is described in full is taken as described, though it names a VIM, too (lcm-api 1.3). */
function connectionsOf({ vimConnectionInfo: map }: JsonObject): JsonObject {
  if (!isJsonObject(map)) return {};
  const list = Object.entries(map).flatMap(([id, connection]): JsonObject[] => {
    if (!isJsonObject(connection)) return [];
    const { vimId, ...described } = connection;
    const whole = connection.interfaceInfo !== undefined && connection.accessInfo !== undefined;
    return [{ id, ...(whole || vimId === undefined ? described : connection) }];
  });
  return { vimConnectionInfo: list };
}

function linksOf({ extVirtualLinks: links }: JsonObject): JsonObject {
  if (!Array.isArray(links)) return {};
  const wrong: InvalidParam[] = [];
  const shared = links.filter(isJsonObject).map((link, l) => {
    const cps = Array.isArray(link.extCps) ? link.extCps.filter(isJsonObject) : [];
    return {
      ...link,
      extCps: cps.map((cp, c) => {
        const configs = Object.entries(isJsonObject(cp.cpConfig) ? cp.cpConfig : {});
        for (const [key, config] of configs)
          wrong.push(...beyondReach(config, `/extVirtualLinks/${l}/extCps/${c}/cpConfig/${key}`));
        return {
          ...cp,
          cpConfig: configs.map(([cpConfigId, config]) => ({ ...(isJsonObject(config) ? config : {}), cpConfigId })),
        };
      }),
    };
  });
  if (wrong.length > 0) throw invalid(wrong);
  return { extVirtualLinks: shared };
}

/** What v2 has and nothing behind the API could keep to: it is refused rather than passed over. */
function beyondReach(config: Json, at: string): InvalidParam[] {
  if (!isJsonObject(config)) return [];
  const trunk =
    config.parentCpConfigId === undefined
      ? []
      : [{ path: `${at}/parentCpConfigId`, reason: 'ports of trunks are not supported' }];
  const protocols = Array.isArray(config.cpProtocolData) ? config.cpProtocolData : [];
  const ranges = protocols.flatMap((protocol, p) => {
    const ethernet = isJsonObject(protocol) && isJsonObject(protocol.ipOverEthernet) ? protocol.ipOverEthernet : {};
    const addresses = Array.isArray(ethernet.ipAddresses) ? ethernet.ipAddresses : [];
    return addresses.flatMap((address, a) =>
      isJsonObject(address) && address.addressRange !== undefined
        ? [
            {
              path: `${at}/cpProtocolData/${p}/ipOverEthernet/ipAddresses/${a}/addressRange`,
              reason: 'address ranges are not supported: give fixedAddresses or numDynamicAddresses',
            },
          ]
        : [],
    );
  });
  return [...trunk, ...ranges];
}
