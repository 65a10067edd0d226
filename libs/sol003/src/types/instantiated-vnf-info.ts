import type { KeyValuePairs, ResourceHandle } from './common.js';
import type { IpVersion, LayerProtocol } from './enumerations.js';

/** State and resources of a VNF that is instantiated (SOL003 5.5.2.2, attribute `instantiatedVnfInfo`). */
export interface InstantiatedVnfInfo {
  flavourId: string;
  vnfState: 'STARTED' | 'STOPPED';
  scaleStatus?: ScaleInfo[];
  /** At least one by the standard; left out by Windlass rather than sent empty. */
  extCpInfo?: VnfExtCpInfo[];
  extVirtualLinkInfo?: ExtVirtualLinkInfo[];
  extManagedVirtualLinkInfo?: ExtManagedVirtualLinkInfo[];
  monitoringParameters?: MonitoringParameter[];
  localizationLanguage?: string;
  vnfcResourceInfo?: VnfcResourceInfo[];
  /**
   * The guides and the standard's table spell it so; ETSI's JSON Schema of the same release says
   * `virtualLinkResourceInfo`, which is optional there. Windlass sends this one and filters by either.
   */
  vnfVirtualLinkResourceInfo?: VnfVirtualLinkResourceInfo[];
  virtualStorageResourceInfo?: VirtualStorageResourceInfo[];
  /** One per VNFC, as the reference system adds to SOL003 2.6.1. */
  vnfcInfo?: VnfcInfo[];
  /** The level last asked for; an addition of the reference system. */
  instantiationLevelId?: string;
  /** What the operation was given; an addition of the reference system. Holds secrets: see masking. */
  additionalParams?: KeyValuePairs;
  /** `stack_id`; an addition of the reference system. */
  metadata?: KeyValuePairs;
}

/** Scale level of one aspect (SOL003 5.5.3.10). `maxScaleLevel` is given in v2 only. */
export interface ScaleInfo {
  aspectId: string;
  scaleLevel: number;
}

/** An external connection point instance (SOL003 5.5.3.2). */
export interface VnfExtCpInfo {
  id: string;
  cpdId: string;
  cpProtocolInfo: CpProtocolInfo[];
  /** The ExtLinkPortInfo it is bound to. */
  extLinkPortId?: string;
  metadata?: KeyValuePairs;
  /** The VnfcCpInfo that it exposes. */
  associatedVnfcCpId?: string;
  associatedVnfVirtualLinkId?: string;
}

/** Addresses of a connection point, by protocol layer (SOL003 5.5.3.9b). */
export interface CpProtocolInfo {
  layerProtocol: LayerProtocol;
  ipOverEthernet?: IpOverEthernetAddressInfo;
}

/** MAC and IP addresses in use (SOL003 5.5.3.10a). */
export interface IpOverEthernetAddressInfo {
  macAddress?: string;
  ipAddresses?: {
    type: IpVersion;
    addresses?: string[];
    /** True where the VIM chose the address. */
    isDynamic?: boolean;
    addressRange?: IpAddressRange;
    /** The VIM's subnet id. */
    subnetId?: string;
  }[];
}

/** Both ends belong to the range. */
export interface IpAddressRange {
  minAddress: string;
  maxAddress: string;
}

/** A virtual link that the VNF is given (SOL003 5.5.3.2a). */
export interface ExtVirtualLinkInfo {
  id: string;
  resourceHandle: ResourceHandle;
  extLinkPorts?: ExtLinkPortInfo[];
}

/** A port of an external virtual link (SOL003 5.5.3.3). */
export interface ExtLinkPortInfo {
  id: string;
  resourceHandle: ResourceHandle;
  /** The VnfExtCpInfo bound to it. */
  cpInstanceId?: string;
}

/** A virtual link of the VNF that somebody else manages (SOL003 5.5.3.3a). */
export interface ExtManagedVirtualLinkInfo {
  id: string;
  vnfVirtualLinkDescId: string;
  networkResource?: ResourceHandle;
  vnfLinkPorts?: VnfLinkPortInfo[];
}

/** A value that is watched (SOL003 5.5.3.4). */
export interface MonitoringParameter {
  id: string;
  name?: string;
  performanceMetric: string;
}

/** A VNFC with its server, storages and connection points (SOL003 5.5.3.5). */
export interface VnfcResourceInfo {
  /** In v1 an id of Windlass's own that survives healing; it is what `vnfcInstanceId` of a heal names. */
  id: string;
  vduId: string;
  computeResource: ResourceHandle;
  /** The VnfcResourceInfo's storages: ids of VirtualStorageResourceInfo. */
  storageResourceIds?: string[];
  reservationId?: string;
  vnfcCpInfo?: VnfcCpInfo[];
  metadata?: KeyValuePairs;
}

/** A connection point of a VNFC (SOL003 5.5.3.5, `vnfcCpInfo`). */
export interface VnfcCpInfo {
  id: string;
  cpdId: string;
  /** The external connection point that exposes this one. */
  vnfExtCpId?: string;
  cpProtocolInfo?: CpProtocolInfo[];
  /** The VnfLinkPortInfo it is bound to. */
  vnfLinkPortId?: string;
  metadata?: KeyValuePairs;
}

/** An internal network (SOL003 5.5.3.6). */
export interface VnfVirtualLinkResourceInfo {
  id: string;
  vnfVirtualLinkDescId: string;
  networkResource: ResourceHandle;
  reservationId?: string;
  vnfLinkPorts?: VnfLinkPortInfo[];
  metadata?: KeyValuePairs;
}

/** A port of an internal network (SOL003 5.5.3.8). */
export interface VnfLinkPortInfo {
  id: string;
  resourceHandle: ResourceHandle;
  cpInstanceId?: string;
  cpInstanceType?: 'VNFC_CP' | 'EXT_CP';
}

/** A volume (SOL003 5.5.3.7). */
export interface VirtualStorageResourceInfo {
  id: string;
  virtualStorageDescId: string;
  storageResource: ResourceHandle;
  reservationId?: string;
  metadata?: KeyValuePairs;
}

/** A VNFC as SOL002 shows it. In v1 `id` has nothing to do with VnfcResourceInfo; in v2 `vnfcResourceInfoId` ties them. */
export interface VnfcInfo {
  id: string;
  vduId: string;
  vnfcResourceInfoId?: string;
  vnfcState: 'STARTED' | 'STOPPED';
  vnfcConfigurableProperties?: KeyValuePairs;
}
