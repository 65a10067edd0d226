import { LOOK } from '@windlass/driver-kit';
import { millis, seconds, TerminalError, TransientError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { NodeInput, NodeStepInput } from '../cluster/node-input.js';
import { unfitness, type ClockOffset, type FoundNode } from './fitness.js';
import { figure, INSPECT_NODE, readInspection } from './inspection.js';
import type { NodeContext } from './node-context.js';
import { osFault } from './supported-os.js';

/** The step's own node is one of them. */
export interface InspectNodesInput extends NodeStepInput {
  /** The machines that are to become nodes. */
  nodes: NodeInput[];
  /** Milliseconds. */
  clockDifferenceMs: number;
}

type Context = NodeContext<InspectNodesInput>;

/** Checks all nodes at once, before anything is changed on them, and reports all faults of all nodes. */
export const inspectNodes = implementAction(declared<InspectNodesInput>('inspect-nodes'), {
  apply: async (context: Context) => {
    const { nodes, clockDifferenceMs } = context.input;
    const looks = await Promise.all(nodes.map((node) => inspect(context, node)));
    const faults = [
      ...looks.flatMap(({ os }) => os ?? []),
      ...unfitness(
        looks.map(({ found }) => found),
        millis(clockDifferenceMs),
      ),
    ];
    if (faults.length > 0) throw new TerminalError('node.unfit', `the nodes can't become a cluster: ${faults.join('; ')}`);
    return undefined;
  },
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

async function inspect(context: Context, node: NodeInput): Promise<{ os: string | undefined; found: FoundNode }> {
  const { cluster, nodes } = context.input;
  const host = context.hostOf(node);
  // Before cloud-init has ended, the clock and more may be wrong.
  await context.firstBoot(node);
  // The first command connects, so that the clock is read without that delay.
  const os = osFault(node.name, await host.facts());
  const clock = await clockOf(context, node);
  const peers = nodes.map(({ address }) => address).filter((address) => address !== node.address);
  const names = cluster.nodes.map(({ name, address }) => `${address} ${name}`).join('\n');
  const look = await host.run(cmd`/bin/bash -s ${node.address} ${node.role} ${names} ${peers}`, {
    within: LOOK,
    sudo: true,
    input: INSPECT_NODE,
    expect: 'any',
  });
  if (look.status !== 0)
    throw new TransientError(
      'node.not-inspected',
      `${node.name} could not be looked at: ${look.stderr.trim().split('\n').at(-1) ?? ''}`,
    );
  context.progress(`looked at ${node.name}`);
  return { os, found: { node, seen: readInspection(look.stdout), clock } };
}

async function clockOf(context: Context, node: NodeInput): Promise<ClockOffset> {
  const before = Date.now();
  const { stdout } = await context.hostOf(node).run(cmd`date -u +%s%3N`, { within: LOOK });
  const at = figure(`the clock of ${node.name}`, stdout.trim());
  return { least: at - Date.now(), most: at - before };
}
