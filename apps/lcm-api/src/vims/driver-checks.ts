import { RequestError, TransientError } from '@windlass/foundation';
import type { BoundVolumesReply, VimClient } from '@windlass/messaging';
import type { DriverLook } from '@windlass/mgmt-driver';
import type { ClusterOwner } from './cluster-checks.js';

/**
 * Looks at what a driver wants looked at before its operation begins.
 * @returns warnings: what could not be seen
 * @throws RequestError 409 `volumes.bound`, which names PersistentVolumes that are in use
 */
export async function checkForDriver(
  clusters: Pick<VimClient, 'boundVolumes'>,
  owner: ClusterOwner,
  looks: readonly DriverLook[],
): Promise<string[]> {
  if (!looks.includes('bound-volumes')) return [];
  const { bound, unanswered } = await boundVolumes(clusters, owner);
  if (unanswered !== null)
    return [
      `whether PersistentVolumes of this VNF are in use was not seen: the cluster says nothing: ${unanswered}. It is looked at again`,
    ];
  if (bound.length === 0) return [];
  const told = bound.map(({ name, claim }) => (claim === null ? name : `${name} (claim ${claim})`)).join(', ');
  throw new RequestError(
    409,
    'volumes.bound',
    `PersistentVolumes of this VNF are in use, and their server would be replaced: ${told}. End the pods and delete the claims, then send the request again`,
  );
}

/** A registry that does not answer counts like a cluster that does not: nothing could be seen. */
async function boundVolumes(clusters: Pick<VimClient, 'boundVolumes'>, owner: ClusterOwner): Promise<BoundVolumesReply> {
  try {
    return await clusters.boundVolumes({ tenant: owner.tenant, vnfInstanceId: owner.vnfInstanceId });
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    return { bound: [], unanswered: `vim-registry does not answer (${error.code})` };
  }
}
