import { isJsonObject, type JsonObject } from '@windlass/foundation';
import type { Flow } from '@windlass/openstack';

/** What kubespray's driver will ask of ports. */
export interface KubesprayPorts {
  masters: string[];
  workers: string[];
  /** Of the external load balancer's VM; none where the cluster has no balancer. */
  balancer: string[];
  severalMasters: boolean;
}

/** Name of the CP of the load balancer before the cluster; undefined where the request has none. */
export function balancerIn({ external_lb_param: balancer }: JsonObject): string | undefined {
  const name = isJsonObject(balancer) ? balancer.ssh_cp_name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Where the Ansible server is; undefined where the request names none. */
export function ansibleServerIn({ ansible }: JsonObject): string | undefined {
  const address = isJsonObject(ansible) ? ansible.ip_address : undefined;
  return typeof address === 'string' ? address : undefined;
}

/** What has to pass to and from a cluster that kubespray makes, and the load balancer before it (docs/guides/external-load-balancer.md). */
export function kubesprayFlows({ masters, workers, balancer, severalMasters }: KubesprayPorts): Flow[] {
  const nodes = [...new Set([...masters, ...workers])];
  const flow = (name: string, what: string, min: number, max: number, more: Partial<Flow> = {}): Flow => ({
    ...{ name: `tcp-${name}`, what, protocol: 'tcp', min, max, direction: 'ingress', peer: 'nodes', required: true },
    ...{ ports: nodes, peers: [...nodes, ...balancer] },
    ...more,
  });
  const outside: Pick<Flow, 'peer' | 'peers'> = { peer: 'outside', peers: [] };
  const out: Partial<Flow> = { ...outside, direction: 'egress', ports: [...nodes, ...balancer] };
  const api = balancer.length === 0 ? { ports: masters, ...outside } : { ports: masters };
  return [
    flow('22', 'SSH: from Windlass (k8s-mgmt), and to nodes from the Ansible server', 22, 22, {
      ports: [...nodes, ...balancer],
      ...outside,
    }),
    flow(
      '6443',
      balancer.length === 0 ? 'Kubernetes API, from nodes and Windlass' : 'Kubernetes API, from nodes and the load balancer',
      6443,
      6443,
      api,
    ),
    ...(balancer.length === 0
      ? []
      : [
          flow('8383', 'Kubernetes API at the load balancer: the cluster’s VIM', 8383, 8383, { ports: balancer, ...outside }),
          flow('30000-32767', 'services of type NodePort at the load balancer, from outside', 30_000, 32_767, {
            ports: balancer,
            ...outside,
            required: false,
          }),
          flow('30000-32767-nodes', 'services of type NodePort, from the load balancer to nodes', 30_000, 32_767, { peers: balancer, required: false }), // prettier-ignore
        ]),
    flow('2379-2380', 'etcd among the masters', 2379, 2380, { ports: masters, peers: masters, required: severalMasters }),
    flow('10250', 'kubelet, from nodes and from the load balancer, which knows by it that a node lives', 10_250, 10_250),
    {
      ...flow('4789', 'pods between nodes (Calico by VXLAN; another network of kubespray’s wants others)', 4789, 4789),
      ...{ name: 'udp-4789', protocol: 'udp', peers: nodes, required: false },
    },
    flow('443', 'package and image repositories', 443, 443, { name: 'egress-tcp', ...out }),
    { ...flow('53', 'name servers', 53, 53, out), name: 'egress-dns', protocol: 'udp' },
  ];
}
