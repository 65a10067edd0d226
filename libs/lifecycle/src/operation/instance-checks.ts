import { RequestError } from '@windlass/foundation';
import type { VnfInstanceRecord } from '../records/records.js';

/** @throws RequestError 400 with the path of each VNFC of `vnfcInstanceId` that is unknown */
export function requireKnownVnfcs(ids: readonly string[], { id: vnfInstanceId, instantiated }: VnfInstanceRecord): void {
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

/**
 * For operations that make VMs: those VMs run, and drivers configure them over the network, so a stopped VNF is refused.
 * @throws RequestError 409 `vnf-instance.stopped`
 */
export function requireStarted({ id, desired }: Pick<VnfInstanceRecord, 'id' | 'desired'>): void {
  if (desired?.vnfState !== 'STOPPED') return;
  const detail = `VNF instance ${id} is STOPPED, and this operation would bring VMs that run: start it first (POST .../operate with "changeStateTo": "STARTED")`;
  throw new RequestError(409, 'vnf-instance.stopped', detail);
}
