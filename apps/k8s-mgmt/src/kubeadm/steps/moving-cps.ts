import type { ConnectivityChange } from '@windlass/mgmt-driver';
import type { ClusterParams } from '../parameters/parameters.js';

/** Connection points that a cluster rests on, by their names: those of a change's request whose addresses can become others. */
export interface MovingCps {
  /** Masters' own addresses: of etcd, of API servers. */
  masters: boolean;
  workers: boolean;
  /** The cluster's address, which is no master's own: the virtual one of several. */
  endpoint: boolean;
  /** Where volumes are served from. */
  volumes: string[];
}

/** Pure. */
export function movingCps(
  { master_node: master, worker_node: worker, pv_registration_params: volumes = [] }: ClusterParams,
  { cps }: Pick<ConnectivityChange, 'cps'>,
): MovingCps {
  const moves = (name: string | undefined): boolean => cps.some(({ cpdId, moves }) => moves && cpdId === name);
  const served = new Set(volumes.map(({ nfs_server_cp: cp }) => cp));
  return {
    masters: moves(master.nic_cp_name),
    workers: moves(worker.nic_cp_name),
    endpoint: master.cluster_cp_name !== master.nic_cp_name && moves(master.cluster_cp_name),
    volumes: [...served].filter(moves),
  };
}

/** Whether any of it moves; what else a request connects otherwise, a cluster does not see. */
export const concernsCluster = ({ masters, workers, endpoint, volumes }: MovingCps): boolean =>
  masters || workers || endpoint || volumes.length > 0;
