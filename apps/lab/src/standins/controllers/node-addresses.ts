import type { KubeNode } from '../kube/kinds.js';
import { subnetAt, type IpRange } from '../kube/ip-range.js';
import { R } from '../kube/resources.js';
import type { Controller } from './controller.js';

/** Gives each node its share of the pod network: `--allocate-node-cidrs`, `--cluster-cidr`, `--node-cidr-mask-size`. */
export const nodeAddressController = (range: IpRange, maskSize: number, log: (line: string) => void): Controller => ({
  name: 'node-ipam',
  watches: [R.nodes],
  async sync(view) {
    const used = new Set(view.all<KubeNode>(R.nodes).map((node) => node.spec?.podCIDR ?? ''));
    for (const node of view.all<KubeNode>(R.nodes)) {
      if ((node.spec?.podCIDR ?? '') !== '') continue;
      let index = 0;
      let subnet = subnetAt(range, maskSize, index);
      while (subnet !== undefined && used.has(subnet)) subnet = subnetAt(range, maskSize, ++index);
      if (subnet === undefined) {
        log(`node-ipam: no /${maskSize} is left for ${node.metadata.name}: CIDRNotAvailable`);
        continue;
      }
      used.add(subnet);
      await view.patch(R.nodes, node, { spec: { podCIDR: subnet, podCIDRs: [subnet] } });
    }
    return undefined;
  },
});
