import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import type { KeyValuePairs } from '../types/common.js';
import { IP_VERSIONS, LAYER_PROTOCOLS, type IpVersion, type LayerProtocol } from '../types/enumerations.js';
import { Check, mapOf, object, objects, Optional, Required, type Plain } from '../validation/attributes.js';
import {
  identifier,
  ipAddress,
  ipVersion,
  keyValuePairs,
  listOf,
  macAddress,
  oneOf,
  whole,
  type Finding,
} from '../validation/rules.js';

/** Where a virtualised resource lives (SOL003 4.4.1.7), as a request gives it. */
export type ResourceHandleData = Plain<ResourceHandleDataBody>;
/** The rules of {@link ResourceHandleData}. */
export class ResourceHandleDataBody {
  @Optional(identifier) declare vimConnectionId?: string;
  @Optional(identifier) declare resourceProviderId?: string;
  @Required(identifier) declare resourceId: string;
  @Optional(identifier) declare vimLevelResourceType?: string;
}

/** Both ends belong to the range (SOL003 4.4.1.10c). */
export type IpAddressRangeData = Plain<IpAddressRangeDataBody>;
/** The rules of {@link IpAddressRangeData}. */
export class IpAddressRangeDataBody {
  @Required(ipAddress) declare minAddress: string;
  @Required(ipAddress) declare maxAddress: string;
}

const present = (value: JsonObject, names: readonly string[]): string[] =>
  names.filter((name) => Object.hasOwn(value, name) && value[name] !== null);

function exactlyOneOf(value: JsonObject, names: readonly string[]): Finding[] {
  const given = present(value, names);
  if (given.length === 1) return [];
  const expected = `exactly one of ${names.join(', ')}`;
  if (given.length === 0) return [{ at: '', reason: `expected ${expected}, got none` }];
  return given.slice(1).map((name) => ({ at: `/${name}`, reason: `expected ${expected}, got ${given.join(' and ')}` }));
}

const addressesOf = (value: JsonObject): [string, Json][] => {
  const fixed = value.fixedAddresses;
  const listed = Array.isArray(fixed) ? fixed.map((address, index): [string, Json] => [`/fixedAddresses/${index}`, address]) : [];
  const range = value.addressRange;
  if (!isJsonObject(range)) return listed;
  return [...listed, ...Object.entries(range).map(([key, address]): [string, Json] => [`/addressRange/${key}`, address])];
};

/** Addresses are of the family that `type` names. */
function familyFindings(value: JsonObject): Finding[] {
  const { type } = value;
  if (type !== 'IPV4' && type !== 'IPV6') return [];
  return addressesOf(value).flatMap(([at, address]) => {
    const version = typeof address === 'string' ? ipVersion(address) : undefined;
    return version === undefined || version === type
      ? []
      : [{ at, reason: `expected an address of type ${type}, got one of ${version}` }];
  });
}

/** Addresses of one family, on one subnet (SOL003 4.4.1.10c). */
@Check(familyFindings)
abstract class IpAddressDataBase {
  @Required(oneOf(IP_VERSIONS)) declare type: IpVersion;
  @Optional(listOf(ipAddress, { min: 1 })) declare fixedAddresses?: string[];
  /** How many the VIM is to choose. */
  @Optional(whole({ min: 1 })) declare numDynamicAddresses?: number;
  /** The VIM's own subnet id. */
  @Optional(identifier) declare subnetId?: string;
}

/** In v1 a range is refused: nothing behind the API could keep to it. */
export type IpAddressData = Plain<IpAddressDataBody>;
/** The rules of {@link IpAddressData}. */
@Check((value) => exactlyOneOf(value, ['fixedAddresses', 'numDynamicAddresses']))
@Check((value) =>
  present(value, ['addressRange']).length === 0
    ? []
    : [{ at: '/addressRange', reason: 'expected no address range: it is not supported in v1' }],
)
export class IpAddressDataBody extends IpAddressDataBase {}

/** In v2 a range is a third way to say it. */
export type IpAddressDataV2 = Plain<IpAddressDataV2Body>;
/** The rules of {@link IpAddressDataV2}. */
@Check((value) => exactlyOneOf(value, ['fixedAddresses', 'numDynamicAddresses', 'addressRange']))
export class IpAddressDataV2Body extends IpAddressDataBase {
  @Optional(object(() => IpAddressRangeDataBody)) declare addressRange?: IpAddressRangeData;
}

const macOrIps = (value: JsonObject): Finding[] =>
  present(value, ['macAddress', 'ipAddresses']).length > 0
    ? []
    : [{ at: '', reason: 'expected at least one of macAddress, ipAddresses, got none' }];

/** SOL003 4.4.1.10c: at least one of the two. */
export type IpOverEthernetAddressData = Plain<IpOverEthernetAddressDataBody>;
/** The rules of {@link IpOverEthernetAddressData}. */
@Check(macOrIps)
export class IpOverEthernetAddressDataBody {
  @Optional(macAddress) declare macAddress?: string;
  @Optional(objects(() => IpAddressDataBody)) declare ipAddresses?: IpAddressData[];
}

/** The same with v2's addresses. */
export type IpOverEthernetAddressDataV2 = Plain<IpOverEthernetAddressDataV2Body>;
/** The rules of {@link IpOverEthernetAddressDataV2}. */
@Check(macOrIps)
export class IpOverEthernetAddressDataV2Body {
  @Optional(macAddress) declare macAddress?: string;
  @Optional(objects(() => IpAddressDataV2Body)) declare ipAddresses?: IpAddressDataV2[];
}

/** SOL003 4.4.1.10b. Without `ipOverEthernet` the VIM chooses all, as in the guides' samples. */
export type CpProtocolData = Plain<CpProtocolDataBody>;
/** The rules of {@link CpProtocolData}. */
export class CpProtocolDataBody {
  @Required(oneOf(LAYER_PROTOCOLS)) declare layerProtocol: LayerProtocol;
  @Optional(object(() => IpOverEthernetAddressDataBody)) declare ipOverEthernet?: IpOverEthernetAddressData;
}

/** The same with v2's addresses. */
export type CpProtocolDataV2 = Plain<CpProtocolDataV2Body>;
/** The rules of {@link CpProtocolDataV2}. */
export class CpProtocolDataV2Body {
  @Required(oneOf(LAYER_PROTOCOLS)) declare layerProtocol: LayerProtocol;
  @Optional(object(() => IpOverEthernetAddressDataV2Body)) declare ipOverEthernet?: IpOverEthernetAddressDataV2;
}

/** One instance of an external connection point (SOL003 4.4.1.10a). */
export type VnfExtCpConfig = Plain<VnfExtCpConfigBody>;
/** The rules of {@link VnfExtCpConfig}. */
export class VnfExtCpConfigBody {
  /** The VnfExtCpInfo to change; absent for one that is to be made. */
  @Optional(identifier) declare cpInstanceId?: string;
  /** An ExtLinkPortData of the same link. */
  @Optional(identifier) declare linkPortId?: string;
  @Optional(objects(() => CpProtocolDataBody)) declare cpProtocolData?: CpProtocolData[];
}

/** In v2 the instance is the key in a map, and sub-ports name their trunk. */
export type VnfExtCpConfigV2 = Plain<VnfExtCpConfigV2Body>;
/** The rules of {@link VnfExtCpConfigV2}. */
export class VnfExtCpConfigV2Body {
  @Optional(identifier) declare parentCpConfigId?: string;
  @Optional(identifier) declare linkPortId?: string;
  @Optional(objects(() => CpProtocolDataV2Body)) declare cpProtocolData?: CpProtocolDataV2[];
}

/** External connection points made from one CPD (SOL003 4.4.1.10). v1 has exactly one configuration, as the reference system. */
export type VnfExtCpData = Plain<VnfExtCpDataBody>;
/** The rules of {@link VnfExtCpData}. */
export class VnfExtCpDataBody {
  @Required(identifier) declare cpdId: string;
  @Required(objects(() => VnfExtCpConfigBody, { min: 1, max: 1 })) declare cpConfig: VnfExtCpConfig[];
}

/** In v2 (SOL003 3.3.1) configurations are a map, keyed by an id of the caller's. */
export type VnfExtCpDataV2 = Plain<VnfExtCpDataV2Body>;
/** The rules of {@link VnfExtCpDataV2}. */
export class VnfExtCpDataV2Body {
  @Required(identifier) declare cpdId: string;
  @Required(mapOf(() => VnfExtCpConfigV2Body, { min: 1 })) declare cpConfig: Record<string, VnfExtCpConfigV2>;
}

/** A port that the caller has made for us (SOL003 4.4.1.14). */
export type ExtLinkPortData = Plain<ExtLinkPortDataBody>;
/** The rules of {@link ExtLinkPortData}. */
export class ExtLinkPortDataBody {
  @Required(identifier) declare id: string;
  @Required(object(() => ResourceHandleDataBody)) declare resourceHandle: ResourceHandleData;
}

abstract class ExtVirtualLinkDataBase {
  @Required(identifier) declare id: string;
  @Optional(identifier) declare vimConnectionId?: string;
  @Optional(identifier) declare resourceProviderId?: string;
  /** The VIM's own network id. */
  @Required(identifier) declare resourceId: string;
  @Optional(objects(() => ExtLinkPortDataBody)) declare extLinkPorts?: ExtLinkPortData[];
}

/** A network that the VNF is connected to (SOL003 4.4.1.11). */
export type ExtVirtualLinkData = Plain<ExtVirtualLinkDataBody>;
/** The rules of {@link ExtVirtualLinkData}. */
export class ExtVirtualLinkDataBody extends ExtVirtualLinkDataBase {
  @Required(objects(() => VnfExtCpDataBody)) declare extCps: VnfExtCpData[];
}

/** The same with v2's connection points. */
export type ExtVirtualLinkDataV2 = Plain<ExtVirtualLinkDataV2Body>;
/** The rules of {@link ExtVirtualLinkDataV2}. */
export class ExtVirtualLinkDataV2Body extends ExtVirtualLinkDataBase {
  @Required(objects(() => VnfExtCpDataV2Body)) declare extCps: VnfExtCpDataV2[];
}

/** A network that takes the place of one the VNF would make itself (SOL003 4.4.1.12). */
export type ExtManagedVirtualLinkData = Plain<ExtManagedVirtualLinkDataBody>;
/** The rules of {@link ExtManagedVirtualLinkData}. */
export class ExtManagedVirtualLinkDataBody {
  @Required(identifier) declare id: string;
  @Required(identifier) declare vnfVirtualLinkDescId: string;
  @Optional(identifier) declare vimConnectionId?: string;
  @Optional(identifier) declare resourceProviderId?: string;
  @Required(identifier) declare resourceId: string;
}

/** A VIM connection as v1 takes it: an element of an array (SOL003 4.4.1.6). */
export type VimConnectionInfoData = Plain<VimConnectionInfoDataBody>;
/** The rules of {@link VimConnectionInfoData}. */
export class VimConnectionInfoDataBody {
  @Required(identifier) declare id: string;
  @Optional(identifier) declare vimId?: string;
  @Required(identifier) declare vimType: string;
  @Optional(keyValuePairs) declare interfaceInfo?: KeyValuePairs;
  @Optional(keyValuePairs) declare accessInfo?: KeyValuePairs;
  @Optional(keyValuePairs) declare extra?: KeyValuePairs;
}

/** A VIM connection as v2 takes it: its id is the key in the map. */
export type VimConnectionInfoDataV2 = Plain<VimConnectionInfoDataV2Body>;
/** The rules of {@link VimConnectionInfoDataV2}. */
export class VimConnectionInfoDataV2Body {
  @Optional(identifier) declare vimId?: string;
  @Required(identifier) declare vimType: string;
  @Optional(keyValuePairs) declare interfaceInfo?: KeyValuePairs;
  @Optional(keyValuePairs) declare accessInfo?: KeyValuePairs;
  @Optional(keyValuePairs) declare extra?: KeyValuePairs;
}
