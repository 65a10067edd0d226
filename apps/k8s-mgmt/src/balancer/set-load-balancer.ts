import { minutes } from '@windlass/foundation';
import { LOOK } from '@windlass/driver-kit';
import { cmd } from '@windlass/mgmt-driver';
import type { NodeContext } from '../node/node-context.js';
import type { NodeStepInput } from '../cluster/node-input.js';
import { balancerFiles, type BalancerFiles } from './files.js';
import { readLink } from './keepalived.js';
import type { LoadBalancer } from './load-balancer.js';
import { LOAD_BALANCER_IS_SET_UP } from './scripts.js';

type Context = NodeContext<NodeStepInput>;

/** Whether a node's files are those, both programs run with them, and the virtual address answers. */
export async function isSetUp(context: Context, balancer: LoadBalancer): Promise<boolean> {
  const { digests, sums } = await filesOf(context, balancer);
  return context.sees(cmd`/bin/bash -s ${digests} ${balancer.vip} ${sums}`, LOAD_BALANCER_IS_SET_UP);
}

/** Runs a script that takes the files of a node's load balancer. */
export async function setUp(context: Context, job: string, text: string, balancer: LoadBalancer): Promise<void> {
  const { contents, digests } = await filesOf(context, balancer);
  await context.script(job, {
    text,
    within: minutes(30),
    arguments: async (files) => {
      for (const { name, content } of contents) await files.put(name, content);
      return [...contents.map(({ name }) => files.path(name)), ...digests, balancer.vip];
    },
  });
}

async function filesOf({ host, node }: Context, balancer: LoadBalancer): Promise<BalancerFiles> {
  const { stdout } = await host.run(cmd`ip -o -4 addr show to ${node.address}`, { within: LOOK });
  return balancerFiles({ node, link: readLink(stdout, node), balancer });
}
