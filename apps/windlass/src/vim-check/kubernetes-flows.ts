import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import type { Flow } from '@windlass/openstack';

/** What the Kubernetes driver will ask of ports. */
export interface ClusterPorts {
  masters: string[];
  workers: string[];
  /** Name of the port that holds the address of the cluster; absent where it is the only master's own. */
  vip?: string;
  severalMasters: boolean;
  /** The cluster's network add-on; flannel unless given. */
  network?: Json;
}

const PARAMETER = 'k8s_cluster_installation_param';

/** What a request says of the cluster that is to be; undefined where it wants none. */
export const clusterIn = (request: JsonObject): JsonObject | undefined => {
  const given = isJsonObject(request.additionalParams) ? request.additionalParams[PARAMETER] : undefined;
  return isJsonObject(given) ? given : undefined;
};

/** Connection points of a node of the request: those of its network card, and of SSH. */
export function cpNames(node: Json | undefined): string[] {
  const { nic_cp_name: nic, ssh_cp_name: ssh } = isJsonObject(node) ? node : ({} as JsonObject);
  return [...new Set([nic, ssh].filter((name): name is string => typeof name === 'string'))];
}

/** Name of the port that holds the cluster's address, where it is none of the masters' own. */
export function vipIn(cluster: JsonObject): string | undefined {
  const master = isJsonObject(cluster.master_node) ? cluster.master_node : {};
  const name = master.cluster_cp_name;
  return typeof name === 'string' && !cpNames(master).includes(name) ? name : undefined;
}

type FlowOfAll = Pick<Flow, 'name' | 'what' | 'direction' | 'peer' | 'ports' | 'peers' | 'required'>;

/** Flows from each of the ports to each of the others, unless something else is said. */
function among(ports: string[]) {
  const ofAll = (name: string, what: string): FlowOfAll => ({
    name,
    what,
    direction: 'ingress',
    peer: 'nodes',
    ports,
    peers: ports,
    required: true,
  });
  return {
    tcp: (name: string, what: string, min: number, max: number, more: Partial<Flow> = {}): Flow => ({
      ...ofAll(`tcp-${name}`, what),
      protocol: 'tcp',
      min,
      max,
      ...more,
    }),
    rule: (name: string, what: string, protocol: string, more: Partial<Flow> = {}): Flow => ({
      ...ofAll(name, what),
      protocol,
      ...more,
    }),
  };
}

/** Between pods on different nodes. What another add-on needs only its manifests know. */
function podFlows(network: Json, ports: string[]): Flow[] {
  const { tcp, rule } = among(ports);
  if (network === 'flannel')
    return [{ ...tcp('8472', 'pods between nodes (flannel, VXLAN)', 8472, 8472), name: 'udp-8472', protocol: 'udp' }];
  if (network !== 'calico') return [];
  return [tcp('179', 'pods between nodes (Calico, BGP)', 179, 179), rule('ipip', 'pods between nodes (Calico, IP in IP)', '4')];
}

/**
 * What has to pass to and from a cluster's nodes: the rules of the guide by its names, and what a cluster of Windlass needs besides. What the
 * guide opens and nothing of a cluster needs is not required.
 */
export function clusterFlows({ masters, workers, vip, severalMasters, network = 'flannel' }: ClusterPorts): Flow[] {
  const all = [...new Set([...masters, ...workers])];
  const { tcp, rule } = among(all);
  const outside: Pick<Flow, 'peer' | 'peers'> = { peer: 'outside', peers: [] };
  const toMasters = { ports: masters };
  const amongMasters = { ports: masters, peers: masters };
  return [
    tcp('22', 'SSH: k8s-mgmt’s own way to the nodes', 22, 22, outside),
    rule('icmp', 'ICMP: path MTU, and who is there', 'icmp', { required: false }),
    tcp('53', 'DNS, as the guide has it; pods ask CoreDNS by their own network', 53, 53, { required: false }),
    tcp('6443', 'Kubernetes API, from nodes and Windlass', 6443, 6443, { ...toMasters, ...outside }),
    ...(vip === undefined
      ? []
      : [
          tcp('16443', 'Kubernetes API by the virtual address (HAProxy)', 16443, 16443, { ...toMasters, ...outside }),
          rule('vrrp', 'VRRP: keepalived of the masters', '112', amongMasters),
        ]),
    tcp(
      '2379-2380',
      severalMasters ? 'etcd among the masters' : 'etcd, as the guide has it; a single master’s is its own',
      2379,
      2380,
      {
        ...amongMasters,
        required: severalMasters,
      },
    ),
    tcp('10250-10255', 'kubelet', 10250, 10255),
    ...podFlows(network, all),
    tcp('30000-32767', 'services of type NodePort, from outside', 30_000, 32_767, { ...outside, required: false }),
    rule('egress-tcp', 'package and image repositories (TCP)', 'tcp', { ...outside, direction: 'egress', min: 443, max: 443 }),
    rule('egress-dns', 'name servers (UDP 53)', 'udp', { ...outside, direction: 'egress', min: 53, max: 53 }),
  ];
}
