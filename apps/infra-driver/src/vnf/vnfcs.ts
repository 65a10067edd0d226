import { compareText, type PortItem, type ServerItem, type StackParts, type VolumeItem } from '@windlass/openstack';
import { stableId } from './stable-id.js';
import { describedBy, type CpModel, type VduModel, type VnfModel } from './vnf-model.js';

/** A server that is a VNFC of the VNFD, with what belongs to it. */
export interface Vnfc {
  /** vnfcResourceInfo.id; see stableId. */
  id: string;
  vdu: VduModel;
  server: ServerItem;
  /** `2` of the third copy that a script of the package has made of one resource, `VDU1-2`; undefined of one that is none. */
  index: number | undefined;
  /** The CPs that the VNFD binds to its VDU; `port` is absent where the stack has no such port. */
  cps: { cp: CpModel; port: PortItem | undefined }[];
  volumes: VolumeItem[];
}

/** The VNFCs: in the order of the VDUs in the VNFD, the oldest first. Servers that the VNFD does not know are left out. */
export function vnfcsOf(vnfInstanceId: string, model: VnfModel, inventory: StackParts): Vnfc[] {
  const order = new Map(model.vdus.map((vdu, index) => [vdu.id, index]));
  const vduIds = new Set(order.keys());
  const found = inventory.servers.flatMap((server): Vnfc[] => {
    const described = describedBy(server.name, vduIds);
    const vdu = model.vdus.find((candidate) => candidate.id === described?.id);
    if (described === undefined || vdu === undefined) return [];
    return [
      {
        id: stableId(vnfInstanceId, 'vnfc', inventory.stack, server.place),
        vdu,
        server,
        index: indexOf(server, vdu, described.copy),
        cps: model.cps
          .filter((cp) => cp.vduId === vdu.id)
          .map((cp) => ({ cp, port: portOf(inventory, server, cp.id, described.copy) })),
        volumes: inventory.volumes.filter((volume) => belongs(volume, server, vdu, described.copy)),
      },
    ];
  });
  return found.sort(
    (a, b) =>
      (order.get(a.vdu.id) ?? 0) - (order.get(b.vdu.id) ?? 0) ||
      compareText(a.server.createdAt, b.server.createdAt) ||
      compareText(a.server.place.path.join('/'), b.server.place.path.join('/')),
  );
}

/** By its own name, or by that of the resource of the top template that it is nested in. Members of groups are told apart by their names. */
function indexOf({ place }: ServerItem, { id }: VduModel, copy: string | undefined): number | undefined {
  if (place.group !== undefined) return undefined;
  const [top = ''] = place.path;
  const found = copy ?? describedBy(top, new Set([id]))?.copy;
  return found === undefined ? undefined : Number(found);
}

function portOf(inventory: StackParts, server: ServerItem, cpId: string, copy: string | undefined): PortItem | undefined {
  const named = inventory.ports.filter((port) => {
    const described = describedBy(port.name, new Set([cpId]));
    return described !== undefined && described.copy === copy && port.place.stack.id === server.place.stack.id;
  });
  return named.find((port) => isPlugged(port, server)) ?? named[0];
}

/** True when Neutron says that the port is plugged into that server. */
export const isPlugged = (port: PortItem, server: ServerItem): boolean =>
  port.serverId !== undefined && port.serverId === server.physicalId;

/** By attachment, which is the truth; by place and name, where a failed heal has left it detached. */
function belongs(volume: VolumeItem, server: ServerItem, vdu: VduModel, copy: string | undefined): boolean {
  if (server.physicalId !== undefined && volume.attachments.some(({ serverId }) => serverId === server.physicalId)) return true;
  const described = describedBy(volume.name, new Set(vdu.storageIds));
  return described !== undefined && described.copy === copy && volume.place.stack.id === server.place.stack.id;
}
