import { parallel, serial, type PlanNode } from '@windlass/saga';
import type { ClusterShape } from '../../cluster/request/nodes.js';
import type { ClusterParams } from '../parameters/parameters.js';
import { withoutProxy } from '../parameters/registries.js';

/**
 * Everything that is reached without a proxy, separated by commas: what the user says, and the cluster itself. The reference system
 * lists every address of `k8s_node_cidr` (default: the first master's /24, here the endpoint's); the programs in use here take the range as it is.
 */
export function noProxy(
  params: ClusterParams,
  { masters, workers, endpoint, podCidr, serviceCidr }: Omit<ClusterShape, 'vip' | 'nodePrefix'>,
): string {
  const own = (params.proxy?.no_proxy ?? '').split(/[,\s]+/).filter((entry) => entry !== '');
  const nodeRange = params.proxy?.k8s_node_cidr ?? `${endpoint.address.replace(/\.\d+$/, '.0')}/24`;
  const cluster = [
    podCidr,
    serviceCidr,
    '127.0.0.1',
    'localhost',
    endpoint.address,
    ...[...masters, ...workers].map((node) => node.address),
    ...withoutProxy(params),
  ];
  return [...new Set([...own, ...cluster, nodeRange, '.svc', '.cluster.local'])].join(',');
}

/**
 * Tells the nodes of a running cluster of their peers, in parallel. Where proxies are set, containerd restarts, because its list of addresses without
 * a proxy holds the peers. Then the nodes go one after another, so that not all masters' runtimes are away together.
 */
export const inTurn = ({ proxy }: Pick<ClusterParams, 'proxy'>, nodes: PlanNode[]): PlanNode =>
  proxy === undefined ? parallel(nodes) : serial(nodes);
