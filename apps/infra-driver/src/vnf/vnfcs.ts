import { compareText, type PortItem, type ServerItem, type StackParts, type VolumeItem } from '@windlass/openstack';
import { groupedBy, PartsIndex } from './parts-index.js';
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

/**
 * The VNFCs: in the order of the VDUs in the VNFD, the oldest first. Servers that the VNFD does not know are left out.
 * @param parts where the inventory's parts are found, for callers that have it
 */
export function vnfcsOf(
  vnfInstanceId: string,
  model: VnfModel,
  inventory: StackParts,
  parts = new PartsIndex(inventory),
): Vnfc[] {
  const order = new Map(model.vdus.map((vdu, index) => [vdu.id, index]));
  const vdus = new Map(model.vdus.map((vdu) => [vdu.id, vdu]));
  const vduIds = new Set(order.keys());
  const cpsOfVdus = groupedBy(model.cps, ({ vduId }) => (vduId === undefined ? [] : [vduId]));
  const found = inventory.servers.flatMap((server): Vnfc[] => {
    const described = describedBy(server.name, vduIds);
    const vdu = described === undefined ? undefined : vdus.get(described.id);
    if (described === undefined || vdu === undefined) return [];
    const { physicalId, place } = server;
    const { copy } = described;
    return [
      {
        id: stableId(vnfInstanceId, 'vnfc', inventory.stack, server.place),
        vdu,
        server,
        index: indexOf(server, vdu, copy),
        cps: (cpsOfVdus.get(vdu.id) ?? []).map((cp) => ({
          cp,
          port: parts.portNamed({ id: cp.id, copy }, place.stack.id, physicalId),
        })),
        // By attachment, which is the truth; by place and name, where a failed heal has left it detached.
        volumes: parts.volumesOf(
          physicalId,
          place.stack.id,
          vdu.storageIds.map((id) => ({ id, copy })),
        ),
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
  if (place.member !== undefined) return undefined;
  const [top = ''] = place.path;
  const found = copy ?? describedBy(top, new Set([id]))?.copy;
  return found === undefined ? undefined : Number(found);
}
