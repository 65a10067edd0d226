import { millis, minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { Noted } from '../actions/contracts.js';
import type { PlaybookContext } from './ansible-context.js';
import { notReached, runPlaybookJob, unreachableNodes } from './ansible-job.js';
import { removeWorkers, type RemoveWorkersInput } from './contracts.js';

type Context = PlaybookContext<RemoveWorkersInput>;

/** How long all of those that leave may take to be tried. */
const REACHED = minutes(5);

/** As older releases ask, and as newer do: nobody is there to answer either. */
const CONFIRMED = { delete_nodes_confirmation: 'yes', skip_confirmation: 'yes' };

/** For nodes that nobody reaches: nothing is done on them. */
const UNGRACEFUL = { reset_nodes: 'false', allow_ungraceful_removal: 'true' };

export const removeWorkersWork = implementAction(removeWorkers, {
  apply: async (context: Context): Promise<Noted | undefined> => {
    const { leaving, withinMs } = context.input;
    const gone = (await unreachableNodes(context, leaving, 'reach-nodes', REACHED)).map(({ host }) => host);
    const there = leaving.filter((name) => !gone.includes(name));
    const within = millis(withinMs);
    if (there.length > 0) {
      const extra = { node: there.join(','), ...CONFIRMED };
      const missed = await runPlaybookJob(context, { job: 'remove-nodes', kind: 'remove', within, extra });
      const needed = missed.filter(({ host }) => there.includes(host));
      if (needed.length > 0) throw notReached(context, 'remove-node.yml', needed);
    }
    if (gone.length === 0) return undefined;
    const extra = { node: gone.join(','), ...CONFIRMED, ...UNGRACEFUL };
    await runPlaybookJob(context, { job: 'remove-lost-nodes', kind: 'remove', within, extra });
    await forget(context, gone);
    return {
      notes: [`the Ansible server did not reach ${gone.join(', ')}: taken out of the cluster, and nothing was done on them`],
    };
  },
  undo: async (context) => {
    const { leaving, withinMs } = context.input;
    const gone = (await unreachableNodes(context, leaving, 'reach-nodes', REACHED)).map(({ host }) => host);
    const there = leaving.filter((name) => !gone.includes(name));
    if (gone.length > 0) context.run.progress(`${gone.join(', ')} can't be reached: out of the cluster until healed`);
    if (there.length === 0) return;
    const within = millis(withinMs);
    const missed = await runPlaybookJob(context, { job: 'facts', kind: 'facts', within });
    const needed = missed.filter(({ host }) => there.includes(host));
    if (needed.length > 0) throw notReached(context, 'facts.yml', needed);
    const back = await runPlaybookJob(context, { job: 'scale', kind: 'scale', within, limit: there });
    if (back.length > 0) throw notReached(context, 'scale.yml', back);
  },
  stop: (context) => context.stop(),
  retry: { attempts: 2, backoff: seconds(15) },
});

/** Releases before 2.19 stop short of this where a node does not answer: they gather its facts first. */
async function forget({ cluster, input }: Context, names: readonly string[]): Promise<void> {
  const addresses = input.nodes.filter(({ name }) => names.includes(name)).map(({ address }) => address);
  const listed = (await cluster.listedNodes()).filter((node) => node.addresses.some((address) => addresses.includes(address)));
  if (listed.length === 0) return;
  await cluster.change('forget-nodes', cmd`delete node ${listed.map(({ name }) => name)} --ignore-not-found`);
}
