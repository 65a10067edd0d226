/** What SOL003 tells of an instance's resources, as far as it is read here (5.5.3.5 to 5.5.3.12). Answers of older releases may lack any of it. */
export interface ResourcesInfo {
  vnfcResourceInfo?: {
    id: string;
    vduId: string;
    computeResource: { resourceId: string };
    storageResourceIds?: string[];
    vnfcCpInfo?: { id: string; cpdId: string; vnfExtCpId?: string; vnfLinkPortId?: string; cpProtocolInfo?: ProtocolInfo[] }[];
  }[];
  vnfcInfo?: { vnfcResourceInfoId?: string; vnfcState?: string }[];
  extVirtualLinkInfo?: {
    id: string;
    resourceHandle: { resourceId: string };
    extLinkPorts?: { id: string; cpInstanceId?: string }[];
  }[];
  vnfVirtualLinkResourceInfo?: InternalLink[];
  extManagedVirtualLinkInfo?: (Omit<InternalLink, 'networkResource'> & { networkResource?: { resourceId: string } })[];
  virtualStorageResourceInfo?: { id: string; virtualStorageDescId: string; storageResource: { resourceId: string } }[];
}

interface InternalLink {
  id: string;
  vnfVirtualLinkDescId: string;
  networkResource: { resourceId: string };
  vnfLinkPorts?: { id: string; cpInstanceId?: string }[];
}

interface ProtocolInfo {
  ipOverEthernet?: { macAddress?: string; ipAddresses?: { addresses?: string[] }[] };
}

export interface ShownPort {
  id: string;
  cpd: string;
  network: string;
  addresses: string[];
}

export interface ShownVnfc {
  id: string;
  vdu: string;
  state: string | undefined;
  resource: string;
  ports: ShownPort[];
  volumes: { id: string; name: string; resource: string }[];
}

export interface ShownNetwork {
  id: string;
  name: string;
  kind: 'external' | 'internal' | 'managed by others';
  resource: string;
  ports: number;
}

export interface Topology {
  vnfcs: ShownVnfc[];
  networks: ShownNetwork[];
}

/** VMs with their ports and volumes, and the networks that they are on, as tables show them. */
export function topologyOf(info: ResourcesInfo): Topology {
  const networks = networksOf(info);
  const networkOfCp = new Map<string, string>();
  const { extVirtualLinkInfo = [], vnfVirtualLinkResourceInfo = [], extManagedVirtualLinkInfo = [] } = info;
  for (const { id, extLinkPorts = [] } of extVirtualLinkInfo)
    for (const port of extLinkPorts) if (port.cpInstanceId !== undefined) networkOfCp.set(port.cpInstanceId, id);
  for (const link of [...vnfVirtualLinkResourceInfo, ...extManagedVirtualLinkInfo])
    for (const port of link.vnfLinkPorts ?? [])
      if (port.cpInstanceId !== undefined) networkOfCp.set(port.cpInstanceId, link.vnfVirtualLinkDescId);
  const volumes = new Map((info.virtualStorageResourceInfo ?? []).map((volume) => [volume.id, volume]));
  const states = new Map((info.vnfcInfo ?? []).map(({ vnfcResourceInfoId = '', vnfcState }) => [vnfcResourceInfoId, vnfcState]));
  const vnfcs = (info.vnfcResourceInfo ?? []).map((vnfc): ShownVnfc => ({
    id: vnfc.id,
    vdu: vnfc.vduId,
    state: states.get(vnfc.id),
    resource: vnfc.computeResource.resourceId,
    ports: (vnfc.vnfcCpInfo ?? []).map(({ id, cpdId, vnfExtCpId = '', cpProtocolInfo = [] }) => ({
      id,
      cpd: cpdId,
      network: networkOfCp.get(vnfExtCpId) ?? networkOfCp.get(id) ?? 'a network that is not told',
      addresses: cpProtocolInfo.flatMap(addressesIn),
    })),
    volumes: (vnfc.storageResourceIds ?? []).flatMap((id) => {
      const volume = volumes.get(id);
      return volume === undefined ? [] : [{ id, name: volume.virtualStorageDescId, resource: volume.storageResource.resourceId }];
    }),
  }));
  return { vnfcs: vnfcs.toSorted((one, other) => one.vdu.localeCompare(other.vdu)), networks };
}

const addressesIn = ({ ipOverEthernet }: ProtocolInfo): string[] =>
  (ipOverEthernet?.ipAddresses ?? []).flatMap(({ addresses = [] }) => addresses);

function networksOf({
  extVirtualLinkInfo = [],
  vnfVirtualLinkResourceInfo = [],
  extManagedVirtualLinkInfo = [],
}: ResourcesInfo): ShownNetwork[] {
  return [
    ...extVirtualLinkInfo.map(({ id, resourceHandle: { resourceId }, extLinkPorts = [] }) => ({
      id: `external ${id}`,
      name: id,
      kind: 'external' as const,
      resource: resourceId,
      ports: extLinkPorts.length,
    })),
    ...vnfVirtualLinkResourceInfo.map((link) => internal(link, 'internal')),
    ...extManagedVirtualLinkInfo.map((link) => internal(link, 'managed by others')),
  ];
}

const internal = (
  {
    id,
    vnfVirtualLinkDescId: name,
    networkResource,
    vnfLinkPorts = [],
  }: Omit<InternalLink, 'networkResource'> & Partial<InternalLink>,
  kind: ShownNetwork['kind'],
): ShownNetwork => ({ id, name, kind, resource: networkResource?.resourceId ?? '', ports: vnfLinkPorts.length });
