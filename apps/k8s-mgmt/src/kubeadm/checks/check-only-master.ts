import { paramsAs } from '@windlass/driver-kit';
import type { RequestedInstance, ValidateReply, ValidateRequest, Vnfc } from '@windlass/mgmt-driver';
import { masterElsewhere } from '../steps/moved-master.js';
import { snapshotCalled, type SnapshotParams } from '../parameters/named-snapshot.js';
import { clusterParams } from '../parameters/parameters.js';
import { chooseScript } from '../../packaged-script/script-choice.js';
import { storageServersAmong } from '../steps/storage.js';

/**
 * The only master is restored from a snapshot: the newest of the present cluster, or the one that the request names. Without a snapshot, the content
 * of its etcd is lost.
 */
export function checkHealOfOnlyMaster(request: ValidateRequest, master: Vnfc, vnfcIds: readonly string[]): ValidateReply {
  const { instance, instantiateParams, requestParams, vnfInstanceId, files } = request;
  const { name } = master;
  const snapshot = instance?.snapshot;
  const named = paramsAs<SnapshotParams>(requestParams).snapshot;
  const byHand = `restore it by hand from a snapshot, which ./windlass vnf snapshots ${vnfInstanceId} lists (docs/runbooks/cluster-snapshots.md), or heal the whole (name no VNFC), which makes the cluster anew`;
  const refused = (why: string): ValidateReply => ({
    invalidParams: [],
    warnings: [],
    normalised: {},
    refusal: {
      code: 'cluster.only-master',
      detail: `${name} is the cluster's only master, and its etcd would go with it: ${why}`,
    },
  });
  if (chooseScript(clusterParams(instantiateParams).script_path, files)?.kind === 'packaged')
    return refused(`a script of the package made it, whose contract knows no master that comes back. So ${byHand}`);
  if (snapshot === undefined)
    return refused(`no snapshot of the cluster as it is registered is kept of which Windlass can make it again. So ${byHand}`);
  if (storageServersAmong(instance?.vnfcs ?? [], instantiateParams).some(({ id }) => vnfcIds.includes(id)))
    return refused(
      'the storage server is healed through it. Heal the master first, and the storage server by a request of its own',
    );
  const meant = named === undefined || instance === undefined ? snapshot : snapshotCalled(named, instance);
  const { nic_cp_name: nic } = clusterParams(instantiateParams).master_node;
  const elsewhere = meant === undefined ? undefined : masterElsewhere(master, nic, meant);
  if (elsewhere !== undefined) return refused(elsewhere);
  if (named !== undefined) return healedOf(name, named, instance);
  const warning = `${name} is the cluster's only master: it is made again of a snapshot, the newest that is kept (${snapshot.takenAt}) unless the master still answers and gives a newer one. What the cluster was told after it is lost`;
  return { invalidParams: [], warnings: [warning], normalised: {} };
}

function healedOf(name: string, named: string, instance: RequestedInstance | undefined): ValidateReply {
  const kept = instance?.snapshots ?? [];
  const snapshot = instance && snapshotCalled(named, instance);
  if (snapshot === undefined) {
    const those = kept.map(({ id, takenAt }) => `${id} of ${takenAt}`).join(', ');
    const reason = `no snapshot ${named} of the cluster as it is registered is kept of which Windlass can make it again; kept: ${those === '' ? 'none that can be named' : those}`;
    return { invalidParams: [{ path: '/additionalParams/snapshot', reason }], warnings: [], normalised: {} };
  }
  const warning = `${name} is the cluster's only master: it is made again of the snapshot of ${snapshot.takenAt}, and none is taken before. What the cluster was told after it is lost`;
  return { invalidParams: [], warnings: [warning], normalised: { snapshot: snapshot.sha256 } };
}
