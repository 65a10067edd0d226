import { isJsonObject, type JsonObject } from '@windlass/foundation';
import type { KeyValuePairs } from '../types/common.js';
import type { ScaleInfo } from '../types/instantiated-vnf-info.js';
import {
  CANCEL_MODES,
  OPERATIONAL_STATES,
  SCALE_TYPES,
  STOP_TYPES,
  TERMINATION_TYPES,
  type CancelModeType,
  type OperationalState,
  type ScaleType,
  type StopType,
  type TerminationType,
} from '../types/enumerations.js';
import { Check, mapOf, MergePatch, objects, Optional, Required, type Plain } from '../validation/attributes.js';
import {
  expectedGot,
  identifier,
  keyValuePairs,
  listOf,
  MAX_DESCRIPTION,
  oneOf,
  orSingle,
  text,
  uuid,
  whole,
  type Finding,
} from '../validation/rules.js';
import {
  ExtManagedVirtualLinkDataBody,
  ExtVirtualLinkDataBody,
  ExtVirtualLinkDataV2Body,
  VimConnectionInfoDataBody,
  VimConnectionInfoDataV2Body,
  type ExtManagedVirtualLinkData,
  type ExtVirtualLinkData,
  type ExtVirtualLinkDataV2,
  type VimConnectionInfoData,
  type VimConnectionInfoDataV2,
} from './connectivity.js';

/** `POST /vnf_instances` (SOL003 5.5.2.3). Any identifier names a VNFD: SOL001 asks for one that is unique, and not for a UUID. */
export type CreateVnfRequest = Plain<CreateVnfRequestBody>;
/** The rules of {@link CreateVnfRequest}. */
export class CreateVnfRequestBody {
  @Required(identifier) declare vnfdId: string;
  @Optional(text()) declare vnfInstanceName?: string;
  @Optional(text({ max: MAX_DESCRIPTION })) declare vnfInstanceDescription?: string;
  @Optional(keyValuePairs) declare metadata?: KeyValuePairs;
}

/** The same in v2. */
export type CreateVnfRequestV2 = Plain<CreateVnfRequestV2Body>;
/** The rules of {@link CreateVnfRequestV2}. */
export class CreateVnfRequestV2Body {
  @Required(identifier) declare vnfdId: string;
  @Optional(text()) declare vnfInstanceName?: string;
  @Optional(text({ max: MAX_DESCRIPTION })) declare vnfInstanceDescription?: string;
  @Optional(keyValuePairs) declare metadata?: KeyValuePairs;
}

abstract class InstantiateBase {
  @Required(identifier) declare flavourId: string;
  @Optional(identifier) declare instantiationLevelId?: string;
  @Optional(objects(() => ExtManagedVirtualLinkDataBody)) declare extManagedVirtualLinks?: ExtManagedVirtualLinkData[];
  @Optional(text()) declare localizationLanguage?: string;
  @Optional(keyValuePairs) declare additionalParams?: KeyValuePairs;
  @Optional(keyValuePairs) declare extensions?: KeyValuePairs;
  @Optional(keyValuePairs) declare vnfConfigurableProperties?: KeyValuePairs;
}

/** `POST .../instantiate` (SOL003 5.5.2.4). One VIM at most: a VNF's resources lie in one. */
export type InstantiateVnfRequest = Plain<InstantiateVnfRequestBody>;
/** The rules of {@link InstantiateVnfRequest}. */
export class InstantiateVnfRequestBody extends InstantiateBase {
  @Optional(objects(() => ExtVirtualLinkDataBody)) declare extVirtualLinks?: ExtVirtualLinkData[];
  @Optional(objects(() => VimConnectionInfoDataBody, { max: 1 })) declare vimConnectionInfo?: VimConnectionInfoData[];
}

/** In v2 connections are a map. */
export type InstantiateVnfRequestV2 = Plain<InstantiateVnfRequestV2Body>;
/** The rules of {@link InstantiateVnfRequestV2}. */
export class InstantiateVnfRequestV2Body extends InstantiateBase {
  @Optional(objects(() => ExtVirtualLinkDataV2Body)) declare extVirtualLinks?: ExtVirtualLinkDataV2[];
  @Optional(mapOf(() => VimConnectionInfoDataV2Body)) declare vimConnectionInfo?: Record<string, VimConnectionInfoDataV2>;
}

/** `POST .../terminate` (SOL003 5.5.2.8). */
export type TerminateVnfRequest = Plain<TerminateVnfRequestBody>;
/** The rules of {@link TerminateVnfRequest}. */
export class TerminateVnfRequestBody {
  @Required(oneOf(TERMINATION_TYPES)) declare terminationType: TerminationType;
  /** Seconds. */
  @Optional(whole({ min: 0 })) declare gracefulTerminationTimeout?: number;
  @Optional(keyValuePairs) declare additionalParams?: KeyValuePairs;
}

/** In v2 a graceful termination takes a second at least. */
export type TerminateVnfRequestV2 = Plain<TerminateVnfRequestV2Body>;
/** The rules of {@link TerminateVnfRequestV2}. */
export class TerminateVnfRequestV2Body extends TerminateVnfRequestBody {
  @Optional(whole({ min: 1 })) declare gracefulTerminationTimeout?: number;
}

/** `POST .../scale` (SOL003 5.5.2.5). */
export type ScaleVnfRequest = Plain<ScaleVnfRequestBody>;
/** The rules of {@link ScaleVnfRequest}. */
export class ScaleVnfRequestBody {
  @Required(oneOf(SCALE_TYPES)) declare type: ScaleType;
  @Required(identifier) declare aspectId: string;
  /** 1 where absent. The guides' samples write it as a string. */
  @Optional(whole({ min: 1 })) declare numberOfSteps?: number;
  @Optional(keyValuePairs) declare additionalParams?: KeyValuePairs;
}

/** A level of one aspect (SOL003 5.5.3.4). */
export class ScaleInfoBody {
  @Required(identifier) declare aspectId: string;
  @Required(whole({ min: 0 })) declare scaleLevel: number;
}

/** Its two ways of saying where to, of which a request takes one (SOL003 5.5.2.6, its note), and no aspect twice. */
function levelFindings(value: JsonObject): Finding[] {
  const { scaleInfo } = value;
  const [byId, byAspects] = ['instantiationLevelId', 'scaleInfo'].map((name) => Object.hasOwn(value, name));
  if (byId === byAspects) {
    const got = byId === true ? 'both' : 'neither';
    return [{ at: byId === true ? '/scaleInfo' : '', reason: `expected one of instantiationLevelId, scaleInfo, got ${got}` }];
  }
  const aspects = (Array.isArray(scaleInfo) ? scaleInfo : []).map((each) => (isJsonObject(each) ? each.aspectId : undefined));
  return aspects.flatMap((aspect, index) =>
    typeof aspect === 'string' && aspects.indexOf(aspect) < index
      ? [{ at: `/scaleInfo/${index}/aspectId`, reason: 'expected each aspect once, got it again' }]
      : [],
  );
}

/** `POST .../scale_to_level` (SOL003 5.5.2.6). Aspects that `scaleInfo` leaves out stay where they are. */
export type ScaleVnfToLevelRequest = Plain<ScaleVnfToLevelRequestBody>;
/** The rules of {@link ScaleVnfToLevelRequest}. */
@Check(levelFindings)
export class ScaleVnfToLevelRequestBody {
  @Optional(identifier) declare instantiationLevelId?: string;
  @Optional(objects(() => ScaleInfoBody, { min: 1 })) declare scaleInfo?: ScaleInfo[];
  @Optional(keyValuePairs) declare additionalParams?: KeyValuePairs;
}

/** The key of a v1 heal that keeps the volumes of the healed VNFCs when false. */
export const HEAL_BLOCK_STORAGE = 'tacker_extension_heal_include_block_storage';

const booleanParam =
  (name: string) =>
  ({ additionalParams }: JsonObject): Finding[] => {
    if (!isJsonObject(additionalParams) || !Object.hasOwn(additionalParams, name)) return [];
    const value = additionalParams[name];
    return typeof value === 'boolean' ? [] : [{ at: `/additionalParams/${name}`, reason: expectedGot('a boolean', value) }];
  };

/** An empty list must not be taken for none: that would be the whole VNF. */
const namesSomeVnfc = ({ vnfcInstanceId }: JsonObject): Finding[] =>
  Array.isArray(vnfcInstanceId) && vnfcInstanceId.length === 0
    ? [{ at: '/vnfcInstanceId', reason: 'expected at least one id, got an empty list; leave it out for the whole VNF' }]
    : [];

/** `POST .../heal` (SOL003 5.5.2.9, and SOL002's `vnfcInstanceId`). Without it the whole VNF is healed. `additionalParams.all` of v2 is taken too. */
export type HealVnfRequest = Plain<HealVnfRequestBody>;
/** The rules of {@link HealVnfRequest}. */
@Check(booleanParam(HEAL_BLOCK_STORAGE))
@Check(booleanParam('all'))
@Check(namesSomeVnfc)
export class HealVnfRequestBody {
  @Optional(text({ max: MAX_DESCRIPTION })) declare cause?: string;
  /** In v1 ids of VnfcResourceInfo. The guides' sample sends a single one without the list. */
  @Optional(orSingle(listOf(identifier))) declare vnfcInstanceId?: string[];
  @Optional(keyValuePairs) declare additionalParams?: KeyValuePairs;
}

/** In v2 `vnfcInstanceId` names VnfcInfo, and `additionalParams.all` heals the storages too. */
export type HealVnfRequestV2 = Plain<HealVnfRequestV2Body>;
/** The rules of {@link HealVnfRequestV2}. */
@Check(booleanParam('all'))
export class HealVnfRequestV2Body {
  @Optional(text({ max: MAX_DESCRIPTION })) declare cause?: string;
  @Optional(orSingle(listOf(identifier))) declare vnfcInstanceId?: string[];
  @Optional(keyValuePairs) declare additionalParams?: KeyValuePairs;
}

/** How to stop is said for a stop alone; its time where it is graceful, and there always (SOL003 5.5.2.10, its notes). */
function stopFindings(value: JsonObject): Finding[] {
  const given = (name: string): boolean => Object.hasOwn(value, name);
  const only = (name: string, where: string): Finding[] =>
    given(name) ? [{ at: `/${name}`, reason: `expected it with ${where} only; leave it out` }] : [];
  if (value.changeStateTo !== 'STOPPED')
    return ['stopType', 'gracefulStopTimeout'].flatMap((name) => only(name, 'changeStateTo STOPPED'));
  if (value.stopType !== 'GRACEFUL') return only('gracefulStopTimeout', 'stopType GRACEFUL');
  return given('gracefulStopTimeout')
    ? []
    : [{ at: '/gracefulStopTimeout', reason: 'expected the seconds that a graceful stop may take, got none' }];
}

/** `POST .../operate` (SOL003 5.5.2.10, and SOL002's `vnfcInstanceId`). Without it the whole VNF is started or stopped. */
export type OperateVnfRequest = Plain<OperateVnfRequestBody>;
/** The rules of {@link OperateVnfRequest}. */
@Check(stopFindings)
@Check(namesSomeVnfc)
export class OperateVnfRequestBody {
  @Required(oneOf(OPERATIONAL_STATES)) declare changeStateTo: OperationalState;
  /** FORCEFUL where absent. */
  @Optional(oneOf(STOP_TYPES)) declare stopType?: StopType;
  /** Seconds. */
  @Optional(whole({ min: 0 })) declare gracefulStopTimeout?: number;
  /** In v1 ids of VnfcResourceInfo, as a heal takes them. */
  @Optional(orSingle(listOf(identifier))) declare vnfcInstanceId?: string[];
  @Optional(keyValuePairs) declare additionalParams?: KeyValuePairs;
}

/** `POST .../change_ext_conn` (SOL003 5.5.2.11). */
export type ChangeExtVnfConnectivityRequest = Plain<ChangeExtVnfConnectivityRequestBody>;
/** The rules of {@link ChangeExtVnfConnectivityRequest}. */
export class ChangeExtVnfConnectivityRequestBody {
  @Required(objects(() => ExtVirtualLinkDataBody, { min: 1 })) declare extVirtualLinks: ExtVirtualLinkData[];
  @Optional(objects(() => VimConnectionInfoDataBody, { max: 1 })) declare vimConnectionInfo?: VimConnectionInfoData[];
  @Optional(keyValuePairs) declare additionalParams?: KeyValuePairs;
}

/** The same with v2's links and connections. */
export type ChangeExtVnfConnectivityRequestV2 = Plain<ChangeExtVnfConnectivityRequestV2Body>;
/** The rules of {@link ChangeExtVnfConnectivityRequestV2}. */
export class ChangeExtVnfConnectivityRequestV2Body {
  @Required(objects(() => ExtVirtualLinkDataV2Body, { min: 1 })) declare extVirtualLinks: ExtVirtualLinkDataV2[];
  @Optional(mapOf(() => VimConnectionInfoDataV2Body)) declare vimConnectionInfo?: Record<string, VimConnectionInfoDataV2>;
  @Optional(keyValuePairs) declare additionalParams?: KeyValuePairs;
}

/** `POST .../cancel` (SOL003 5.5.2.14). */
export type CancelMode = Plain<CancelModeBody>;
/** The rules of {@link CancelMode}. */
export class CancelModeBody {
  @Required(oneOf(CANCEL_MODES)) declare cancelMode: CancelModeType;
}

/** An entry of a v1 PATCH, merged into the one of the same `id`: only that is needed. */
export type VimConnectionInfoPatch = Plain<VimConnectionInfoPatchBody>;
/** The rules of {@link VimConnectionInfoPatch}: null takes a member away. */
@MergePatch()
export class VimConnectionInfoPatchBody {
  @Required(identifier) declare id: string;
  @Optional(identifier) declare vimId?: string | null;
  @Optional(identifier) declare vimType?: string;
  @Optional(keyValuePairs) declare interfaceInfo?: KeyValuePairs | null;
  @Optional(keyValuePairs) declare accessInfo?: KeyValuePairs | null;
  @Optional(keyValuePairs) declare extra?: KeyValuePairs | null;
}

/** One entry of v2's `vnfcInfoModifications`. */
export type VnfcInfoModification = Plain<VnfcInfoModificationBody>;
/** The rules of {@link VnfcInfoModification}. */
export class VnfcInfoModificationBody {
  @Required(identifier) declare id: string;
  @Required(keyValuePairs) declare vnfcConfigurableProperties: KeyValuePairs;
}

abstract class ModificationBase {
  @Optional(text()) declare vnfInstanceName?: string | null;
  @Optional(text({ max: MAX_DESCRIPTION })) declare vnfInstanceDescription?: string | null;
  @Optional(keyValuePairs) declare vnfConfigurableProperties?: KeyValuePairs | null;
  @Optional(keyValuePairs) declare metadata?: KeyValuePairs | null;
  @Optional(keyValuePairs) declare extensions?: KeyValuePairs | null;
}

const notNull = (value: JsonObject, names: readonly string[]): Finding[] =>
  names
    .filter((name) => Object.hasOwn(value, name) && value[name] === null)
    .map((name) => ({ at: `/${name}`, reason: 'expected a value, got null: this attribute cannot be deleted' }));

const onePackage = (value: JsonObject): Finding[] =>
  Object.hasOwn(value, 'vnfdId') && Object.hasOwn(value, 'vnfPkgId')
    ? [{ at: '/vnfPkgId', reason: 'expected at most one of vnfdId, vnfPkgId, got both' }]
    : [];

/** `PATCH /vnf_instances/{id}` (SOL003 5.5.2.12): a merge patch, null deletes. */
export type VnfInfoModificationRequest = Plain<VnfInfoModificationRequestBody>;
/** The rules of {@link VnfInfoModificationRequest}. */
@MergePatch()
@Check((value) => notNull(value, ['vnfdId', 'vnfPkgId']))
@Check(onePackage)
export class VnfInfoModificationRequestBody extends ModificationBase {
  @Optional(identifier) declare vnfdId?: string;
  @Optional(uuid) declare vnfPkgId?: string;
  /** Entries that are not named here are dropped. */
  @Optional(objects(() => VimConnectionInfoPatchBody)) declare vimConnectionInfo?: VimConnectionInfoPatch[] | null;
  /** Of SOL003 3.3.1, taken here too, where VNFCs are named by VnfcResourceInfo. */
  @Optional(objects(() => VnfcInfoModificationBody)) declare vnfcInfoModifications?: VnfcInfoModification[];
}

/** In v2 connections are a map, merged key by key; a null entry deletes one, so that its entries are tested by the service. */
export type VnfInfoModificationRequestV2 = Plain<VnfInfoModificationRequestV2Body>;
/** The rules of {@link VnfInfoModificationRequestV2}. */
@MergePatch()
@Check((value) => notNull(value, ['vnfdId']))
export class VnfInfoModificationRequestV2Body extends ModificationBase {
  @Optional(identifier) declare vnfdId?: string;
  @Optional(keyValuePairs) declare vimConnectionInfo?: KeyValuePairs | null;
  @Optional(objects(() => VnfcInfoModificationBody)) declare vnfcInfoModifications?: VnfcInfoModification[];
}

/** `POST .../change_vnfpkg` (v2). What `additionalParams` must hold is the operation's own business. */
export type ChangeCurrentVnfPkgRequest = Plain<ChangeCurrentVnfPkgRequestBody>;
/** The rules of {@link ChangeCurrentVnfPkgRequest}. */
export class ChangeCurrentVnfPkgRequestBody {
  @Required(identifier) declare vnfdId: string;
  @Optional(objects(() => ExtVirtualLinkDataV2Body)) declare extVirtualLinks?: ExtVirtualLinkDataV2[];
  @Optional(objects(() => ExtManagedVirtualLinkDataBody)) declare extManagedVirtualLinks?: ExtManagedVirtualLinkData[];
  @Optional(mapOf(() => VimConnectionInfoDataV2Body)) declare vimConnectionInfo?: Record<string, VimConnectionInfoDataV2>;
  @Optional(keyValuePairs) declare additionalParams?: KeyValuePairs;
}
