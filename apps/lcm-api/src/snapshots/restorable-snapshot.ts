import { RequestError } from '@windlass/foundation';
import type { VimClient } from '@windlass/messaging';
import { clusterVimId, type RestorableSnapshot } from '@windlass/mgmt-driver';
import { caFingerprint, type PgClusterSnapshots } from '@windlass/persistence';

/**
 * The newest snapshot of the cluster that a VNF instance is now: one whose CA is that of the registered VIM. Undefined where there is none; the
 * registry is asked only where there may be one.
 */
export async function restorableSnapshot(
  snapshots: PgClusterSnapshots,
  vims: Pick<VimClient, 'show'>,
  { tenant, vnfInstanceId }: { tenant: string; vnfInstanceId: string },
): Promise<RestorableSnapshot | undefined> {
  if (!(await snapshots.anyRestorable(vnfInstanceId))) return undefined;
  const ca = caFingerprint(await registeredCa(vims, tenant, vnfInstanceId));
  const found = ca === undefined ? undefined : await snapshots.restorable(vnfInstanceId, ca);
  return found && ca !== undefined ? { takenAt: found.takenAt.toISOString(), master: found.master, ca } : undefined;
}

async function registeredCa(vims: Pick<VimClient, 'show'>, tenant: string, vnfInstanceId: string): Promise<unknown> {
  try {
    return (await vims.show(tenant, clusterVimId(vnfInstanceId))).auth_cred.ssl_ca_cert;
  } catch (error) {
    // Somebody has taken the cluster out of the registry.
    if (error instanceof RequestError && error.status === 404) return undefined;
    throw error;
  }
}
