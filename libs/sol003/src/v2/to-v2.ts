import { isJsonObject, type Json, type JsonObject, type SecretPlaces } from '@windlass/foundation';
import type { TaskLimits } from '../operation-state/state-machine.js';
import type { InstanceTask } from '../operations/operations.js';
import type { ApiRoot } from '../rendering/links.js';
import { omit } from '../rendering/omit-empty.js';
import { renderOpOcc, renderVnfInstanceV2, type VnfInstanceRecord, type VnfLcmOpOccRecord } from '../rendering/render.js';
import type { KeyValuePairs } from '../types/common.js';
import type { ScaleInfo } from '../types/instantiated-vnf-info.js';
import type { VnfLcmOpOcc } from '../types/op-occ.js';
import type { VnfInstanceV2 } from '../types/vnf-instance.js';
import { vnfcInfoId } from './from-v2.js';

/** The members of accessInfo that v2 leaves out instead of masking them. */
const LEFT_OUT = ['password', 'bearer_token', 'client_secret'];

/** What v2 shows of an instance beyond what is kept for both versions. */
export interface MoreOfV2 {
  /** The highest level of each aspect of its flavour. */
  readonly maxScaleLevels?: readonly ScaleInfo[];
  /** Configurable properties of VNFCs, by ids of VnfcResourceInfo. */
  readonly vnfcProperties?: Readonly<Record<string, KeyValuePairs>>;
}

/** An instance as `/vnflcm/v2` answers it, with its VNFCs' zones, levels and configurable properties (SOL003 3.3.1, 5.5.2.2). */
export function renderInstanceV2(
  record: VnfInstanceRecord,
  root: ApiRoot,
  secrets: SecretPlaces | undefined,
  offered: readonly InstanceTask[],
  { maxScaleLevels = [], vnfcProperties = {} }: MoreOfV2,
): VnfInstanceV2 {
  const shown = renderVnfInstanceV2(record, root, secrets, offered);
  const { instantiatedVnfInfo: info } = shown;
  if (info === undefined) return shown;
  return {
    ...shown,
    instantiatedVnfInfo: {
      ...info,
      ...(maxScaleLevels.length === 0 ? {} : { maxScaleLevels: [...maxScaleLevels] }),
      ...(info.vnfcResourceInfo === undefined ? {} : { vnfcResourceInfo: info.vnfcResourceInfo.map(withZone) }),
      ...(info.vnfcInfo === undefined
        ? {}
        : {
            vnfcInfo: info.vnfcInfo.map((vnfc) => {
              const properties = vnfcProperties[vnfc.vnfcResourceInfoId ?? ''];
              return properties === undefined ? vnfc : { ...vnfc, vnfcConfigurableProperties: properties };
            }),
          }),
    },
  };
}

const withZone = <T extends { metadata?: KeyValuePairs }>(vnfc: T): T & { zoneId?: string } => {
  const zone = vnfc.metadata?.zone;
  return typeof zone === 'string' ? { ...vnfc, zoneId: zone } : vnfc;
};

/**
 * An operation occurrence as `/vnflcm/v2` answers it: what it was asked with and what it changed in v2's form, whichever version it was asked through.
 * @param vduOf the VDU of each VnfcResourceInfo that the request names
 */
export function renderOpOccV2(
  record: VnfLcmOpOccRecord,
  root: ApiRoot,
  limits: TaskLimits,
  secrets: SecretPlaces | undefined,
  vduOf: Readonly<Record<string, string>>,
): VnfLcmOpOcc {
  const shown = renderOpOcc(record, root, limits, secrets);
  const { operationParams, changedInfo } = shown;
  return {
    ...shown,
    ...(operationParams === undefined ? {} : { operationParams: toV2(operationParams, vduOf) }),
    ...(changedInfo === undefined ? {} : { changedInfo: toV2(changedInfo as JsonObject, vduOf) }),
  };
}

/** The inverse of `fromV2`, for a body that both versions share; secrets of connections are left out. */
export function toV2(shared: JsonObject, vduOf: Readonly<Record<string, string>> = {}): JsonObject {
  const { vimConnectionInfo: connections, extVirtualLinks: links, vnfcInstanceId, vnfcInfoModifications } = shared;
  const named = (id: Json | undefined): Json => {
    const vduId = typeof id === 'string' ? vduOf[id] : undefined;
    return typeof id === 'string' && vduId !== undefined ? vnfcInfoId({ id, vduId }) : (id ?? null);
  };
  return {
    ...omit(shared, ['vnfPkgId']),
    ...(Array.isArray(connections) ? { vimConnectionInfo: connectionMap(connections) } : {}),
    ...(Array.isArray(links) ? { extVirtualLinks: links.map(linkOf) } : {}),
    ...(Array.isArray(vnfcInstanceId) ? { vnfcInstanceId: vnfcInstanceId.map(named) } : {}),
    ...(Array.isArray(vnfcInfoModifications)
      ? { vnfcInfoModifications: vnfcInfoModifications.filter(isJsonObject).map((each) => ({ ...each, id: named(each.id) })) }
      : {}),
  };
}

const connectionMap = (connections: readonly Json[]): JsonObject =>
  Object.fromEntries(
    connections
      .filter(isJsonObject)
      .map(({ id, accessInfo, ...connection }) => [
        keyOf(id, 0),
        { ...connection, ...(isJsonObject(accessInfo) ? { accessInfo: omit(accessInfo, LEFT_OUT) } : {}) },
      ]),
  );

/** The key of an element in a map; by its place where it has none. */
const keyOf = (id: Json | undefined, index: number): string => (typeof id === 'string' ? id : String(index));

function linkOf(link: Json): Json {
  if (!isJsonObject(link) || !Array.isArray(link.extCps)) return link;
  return { ...link, extCps: link.extCps.map(cpOf) };
}

function cpOf(cp: Json): Json {
  if (!isJsonObject(cp) || !Array.isArray(cp.cpConfig)) return cp;
  const configs = cp.cpConfig
    .filter(isJsonObject)
    .map(({ cpConfigId, cpInstanceId, ...config }, index): [string, JsonObject] => [
      keyOf(cpConfigId ?? cpInstanceId, index),
      config,
    ]);
  return { ...cp, cpConfig: Object.fromEntries(configs) };
}

/** A body that both versions share as v1 shows it: without what only v2 has. */
export function toV1(shared: JsonObject): JsonObject {
  const { extVirtualLinks: links } = shared;
  if (!Array.isArray(links)) return shared;
  return {
    ...shared,
    extVirtualLinks: links.map((link) => {
      if (!isJsonObject(link) || !Array.isArray(link.extCps)) return link;
      return { ...link, extCps: link.extCps.map(withoutKeys) };
    }),
  };
}

function withoutKeys(cp: Json): Json {
  if (!isJsonObject(cp) || !Array.isArray(cp.cpConfig)) return cp;
  return { ...cp, cpConfig: cp.cpConfig.map((config) => (isJsonObject(config) ? omit(config, ['cpConfigId']) : config)) };
}
