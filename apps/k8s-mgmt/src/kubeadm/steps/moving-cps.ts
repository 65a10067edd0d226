import type { ConnectivityChange } from '@windlass/mgmt-driver';
import type { ClusterParams } from '../parameters/parameters.js';

/** The connection points on which a cluster depends, as far as a change's request may change their addresses. */
export interface MovingCps {
  /** Masters' own addresses: of etcd, of API servers. */
  masters: boolean;
  workers: boolean;
  /** The virtual address of several masters, which is no master's own. */
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

/** Whether the request may change an address on which the cluster depends. Other connections do not concern the cluster. */
export const concernsCluster = ({ masters, workers, endpoint, volumes }: MovingCps): boolean =>
  masters || workers || endpoint || volumes.length > 0;
