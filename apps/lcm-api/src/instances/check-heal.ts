import { RequestError, type JsonObject } from '@windlass/foundation';
import { healWish, type VnfInstanceRecord } from '@windlass/lifecycle';
import { HEAL_BLOCK_STORAGE, type HealVnfRequest } from '@windlass/sol003';
import { withDrivers, type CheckedRequest, type ToCheck } from './check-request.js';

/** Everything that can be known to be wrong with a heal before its 202. @throws RequestError 400 with the path of each VNFC that is unknown */
export async function checkHeal({
  request,
  instance,
  package: record,
  drivers,
}: ToCheck<HealVnfRequest>): Promise<CheckedRequest> {
  requireKnown(request.vnfcInstanceId ?? [], instance);
  const flavourId = instance.instantiated?.info.flavourId ?? '';
  const body = request as unknown as JsonObject;
  const checked = await withDrivers('HEAL', 'heal', body, { instance, record, drivers, flavourId });
  return { ...checked, warnings: [...checked.warnings, ...volumesLost(body, instance)] };
}

/** The whole is made anew with its volumes; who asked to keep them is told so. */
function volumesLost(body: JsonObject, { instantiated }: VnfInstanceRecord): string[] {
  const { recreates, includesStorage } = healWish(body);
  const volumes = instantiated?.info.virtualStorageResourceInfo?.length ?? 0;
  if (!recreates || includesStorage || volumes === 0) return [];
  return [`${HEAL_BLOCK_STORAGE} is false, but the whole VNF is made anew, volumes too: name its VNFCs, or set all to false`];
}

function requireKnown(ids: readonly string[], { id: vnfInstanceId, instantiated }: VnfInstanceRecord): void {
  const known = new Set((instantiated?.info.vnfcResourceInfo ?? []).map(({ id }) => id));
  const invalidParams = ids.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ path: `/vnfcInstanceId/${index}`, reason: `VNF instance ${vnfInstanceId} has no vnfcResourceInfo ${id}` }],
  );
  if (invalidParams.length === 0) return;
  const detail = invalidParams.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  throw new RequestError(400, 'request.invalid', detail, { invalidParams });
}
