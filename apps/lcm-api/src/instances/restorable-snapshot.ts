import { RequestError } from '@windlass/foundation';
import type { VimClient } from '@windlass/messaging';
import { clusterVimId, type NamedSnapshot } from '@windlass/mgmt-driver';
import { caFingerprint, type PgClusterSnapshots } from '@windlass/persistence';

/**
 * Snapshots of the cluster that a VNF instance is now, the newest first: those with the CA of the registered VIM. The registry is asked only where
 * there are snapshots.
 */
export async function restorableSnapshots(
  snapshots: PgClusterSnapshots,
  vims: Pick<VimClient, 'show'>,
  { tenant, vnfInstanceId }: { tenant: string; vnfInstanceId: string },
): Promise<NamedSnapshot[]> {
  if (!(await snapshots.anyRestorable(vnfInstanceId))) return [];
  const ca = caFingerprint(await registeredCa(vims, tenant, vnfInstanceId));
  if (ca === undefined) return [];
  const found = await snapshots.allRestorable(vnfInstanceId, ca);
  return found.map(({ id, sha256, takenAt, master }) => ({ id, sha256, takenAt: takenAt.toISOString(), master, ca }));
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
