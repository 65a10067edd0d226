/**
 * instantiatedVnfInfo of SOL003 v2.6.1 (5.5.2.2), as far as it comes from the VIM. Member names are the standard's, but for
 * `vnfVirtualLinkResourceInfo`, which the user guide and all its clients call so (the 2.6.1 schema: `virtualLinkResourceInfo`),
 * and for `vnfcInfo` and `metadata`, which they show too.
 */
export interface InstantiatedVnfInfo {
  flavourId: string;
  vnfState: 'STARTED' | 'STOPPED';
  scaleStatus: ScaleInfo[];
  /** SOL003 wants at least one or none at all. */
  extCpInfo?: ExtCpInfo[];
  extVirtualLinkInfo: ExtVirtualLinkInfo[];
  extManagedVirtualLinkInfo: ExtManagedVirtualLinkInfo[];
  vnfcResourceInfo: VnfcResourceInfo[];
  vnfVirtualLinkResourceInfo: VirtualLinkResourceInfo[];
  virtualStorageResourceInfo: VirtualStorageResourceInfo[];
  vnfcInfo: VnfcInfo[];
  metadata: { stack_id: string };
}

export interface ScaleInfo {
  aspectId: string;
  scaleLevel: number;
}

export interface ResourceHandle {
  vimConnectionId?: string;
  /** Empty where the resource is missing at the VIM. */
  resourceId: string;
  vimLevelResourceType?: string;
}

export interface IpAddressInfo {
  type: 'IPV4' | 'IPV6';
  addresses: string[];
  /** False where the request fixed the address. */
  isDynamic: boolean;
  subnetId: string;
}

export interface CpProtocolInfo {
  layerProtocol: 'IP_OVER_ETHERNET';
  ipOverEthernet?: { macAddress: string; ipAddresses: IpAddressInfo[] };
}

export interface ExtCpInfo {
  id: string;
  cpdId: string;
  cpProtocolInfo: CpProtocolInfo[];
  extLinkPortId?: string;
  associatedVnfcCpId?: string;
}

export interface LinkPort {
  id: string;
  resourceHandle: ResourceHandle;
  cpInstanceId?: string;
}

export interface VnfLinkPort extends LinkPort {
  cpInstanceType?: 'VNFC_CP' | 'EXT_CP';
}

export interface ExtVirtualLinkInfo {
  id: string;
  resourceHandle: ResourceHandle;
  extLinkPorts: LinkPort[];
}

export interface ExtManagedVirtualLinkInfo {
  id: string;
  vnfVirtualLinkDescId: string;
  networkResource: ResourceHandle;
  vnfLinkPorts: VnfLinkPort[];
}

export interface VnfcCpInfo {
  id: string;
  cpdId: string;
  vnfExtCpId?: string;
  cpProtocolInfo: CpProtocolInfo[];
  vnfLinkPortId?: string;
}

export interface VnfcResourceInfo {
  /** Kept when the VNFC is healed; `computeResource.resourceId` is what changes. */
  id: string;
  vduId: string;
  computeResource: ResourceHandle;
  storageResourceIds: string[];
  vnfcCpInfo: VnfcCpInfo[];
  metadata: Record<string, string>;
}

export interface VirtualLinkResourceInfo {
  id: string;
  vnfVirtualLinkDescId: string;
  networkResource: ResourceHandle;
  vnfLinkPorts: VnfLinkPort[];
}

export interface VirtualStorageResourceInfo {
  id: string;
  virtualStorageDescId: string;
  storageResource: ResourceHandle;
}

export interface VnfcInfo {
  /** `<vduId>-<vnfcResourceInfoId>` */
  id: string;
  vduId: string;
  vnfcResourceInfoId: string;
  vnfcState: 'STARTED' | 'STOPPED';
}
