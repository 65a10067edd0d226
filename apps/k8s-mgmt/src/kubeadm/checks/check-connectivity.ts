import type { KeptRange, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { mastersAmong } from './check-operation.js';
import { concernsCluster, movingCps, type MovingCps } from '../steps/moving-cps.js';
import { clusterParams, DEFAULT_POD_CIDR, DEFAULT_SERVICE_CIDR } from '../parameters/parameters.js';

const END = 'change_external_connectivity_end';

/** Refuses changes that the cluster can't follow, before anything is touched. Changes that do not concern the cluster are not checked. */
export function checkConnectivity(request: ValidateRequest): ValidateReply {
  const reply: ValidateReply = { invalidParams: [], warnings: [], normalised: {} };
  const { instance, instantiateParams, hooks } = request;
  if (instance?.connectivity === undefined) return reply;
  const moving = movingCps(clusterParams(instantiateParams), instance.connectivity);
  if (!concernsCluster(moving)) return reply;
  if (hooks !== undefined && !hooks.includes(END))
    return {
      ...reply,
      refusal: {
        code: 'cluster.hook-not-bound',
        detail: `the cluster rests on what would be connected otherwise, and its VNFD binds no ${END} to this driver, which would tell the nodes: bind change_external_connectivity_start and _end in a package (Vnflcm), give the instance that (vnfdId in a PATCH), and ask again`,
      },
    };
  const refusal = whyNot(request, moving);
  return refusal === undefined ? { ...reply, ranges: rangesOf(request) } : { ...reply, refusal };
}

/** The pods' and services' ranges, fixed when the cluster was made; no field of such a request chooses them. */
function rangesOf({ instantiateParams }: ValidateRequest): KeptRange[] {
  const { pod_cidr: pods = DEFAULT_POD_CIDR, cluster_cidr: services = DEFAULT_SERVICE_CIDR } =
    clusterParams(instantiateParams).master_node;
  return [
    { name: 'pod_cidr', cidr: pods },
    { name: 'cluster_cidr', cidr: services },
  ];
}

function whyNot({ instance, instantiateParams }: ValidateRequest, moving: MovingCps): ValidateReply['refusal'] {
  const { master_node: master } = clusterParams(instantiateParams);
  const masters = mastersAmong(instance?.vnfcs ?? [], instantiateParams);
  const names = masters.map(({ name }) => name).join(', ');
  const instead = `leave ${master.nic_cp_name} as it is connected, or make another cluster there and move what runs`;
  if (moving.masters && masters.length <= 1)
    return {
      code: 'cluster.only-master-moves',
      detail: `${names} is the cluster's only master, and its address is etcd's and that of the API, by which every node knows the cluster: ${instead}`,
    };
  if (moving.masters)
    return {
      code: 'cluster.masters-move',
      detail: `${names}, all ${masters.length} masters, would get other addresses at once, for a template connects its instances alike; etcd keeps its quorum with ${Math.floor((masters.length - 1) / 2)} of them away at most: ${instead}`,
    };
  if (moving.volumes.length > 0)
    return {
      code: 'cluster.volumes-move',
      detail: `PersistentVolumes of the cluster name the address of ${moving.volumes.join(', ')}, and no volume's address can be changed: leave it as it is connected`,
    };
  if (moving.endpoint)
    return {
      code: 'cluster.endpoint-moves',
      detail: `${master.cluster_cp_name} is the cluster's own address: this release leaves it where it is`,
    };
  return undefined;
}
