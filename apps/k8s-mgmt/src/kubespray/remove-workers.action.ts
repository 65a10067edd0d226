import type { MasterInput } from '@windlass/driver-kit';
import { millis, seconds, TransientError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import type { PlaybookContext } from './ansible-context.js';
import type { PlaybookStepInput } from './ansible-input.js';
import { notReached, reachedNodes, runPlaybookJob } from './ansible-job.js';
import type { TaskFailure } from './progress.js';

export interface RemoveWorkersInput extends PlaybookStepInput {
  /** Names of the nodes that leave. */
  leaving: string[];
  /** Through whom the cluster is asked. */
  masters: MasterInput[];
}

type Context = PlaybookContext<RemoveWorkersInput>;

/** Confirms the removal, for older releases by the first variable and for newer ones by the second: nobody could answer a question. */
export const CONFIRMED = { delete_nodes_confirmation: 'yes', skip_confirmation: true };

/** For nodes that the Ansible server does not reach: kubespray changes nothing on them. */
export const UNGRACEFUL = { reset_nodes: false, allow_ungraceful_removal: true };

/** Removes workers from the cluster by kubespray's playbook. Workers that do not answer are removed without being touched. */
export const removeWorkers = implementAction(declared<RemoveWorkersInput, Noted | undefined>('remove-workers'), {
  apply: async (context: Context): Promise<Noted | undefined> => {
    const { leaving, withinMs } = context.input;
    const { missed, limit } = await reachedNodes(context, leaving);
    const away = missed.map(({ host }) => host);
    const gone = leaving.filter((name) => away.includes(name));
    const there = leaving.filter((name) => !gone.includes(name));
    const within = millis(withinMs);
    let lost: TaskFailure[] = [];
    if (there.length > 0) {
      const extra = { node: there.join(','), ...CONFIRMED };
      lost = await runPlaybookJob(context, { job: 'remove-nodes', kind: 'remove', within, extra, ...limit });
      const needed = lost.filter(({ host }) => there.includes(host));
      if (needed.length > 0) throw notReached(context, 'remove-node.yml', needed);
      await checkGone(context, there, lost);
    }
    if (gone.length === 0) return undefined;
    const extra = { node: gone.join(','), ...CONFIRMED, ...UNGRACEFUL };
    const only = limit.limit === undefined ? {} : { limit: [...limit.limit, ...gone] };
    lost = await runPlaybookJob(context, { job: 'remove-lost-nodes', kind: 'remove', within, extra, ...only });
    await forget(context, gone);
    await checkGone(context, gone, lost);
    return {
      notes: [`the Ansible server did not reach ${gone.join(', ')}: taken out of the cluster, and nothing was done on them`],
    };
  },
  undo: async (context) => {
    const { leaving, withinMs } = context.input;
    const { missed, limit } = await reachedNodes(context, leaving);
    const away = missed.map(({ host }) => host);
    const gone = leaving.filter((name) => away.includes(name));
    const there = leaving.filter((name) => !gone.includes(name));
    if (gone.length > 0) context.run.progress(`${gone.join(', ')} can't be reached: out of the cluster until healed`);
    if (there.length === 0) return;
    const within = millis(withinMs);
    const lost = await runPlaybookJob(context, { job: 'facts', kind: 'facts', within, ...limit });
    if (lost.length > 0) throw notReached(context, 'facts.yml', lost);
    const back = await runPlaybookJob(context, { job: 'scale', kind: 'scale', within, limit: there });
    if (back.length > 0) throw notReached(context, 'scale.yml', back);
  },
  stop: (context) => context.stop(),
  retry: { attempts: 2, backoff: seconds(15) },
});

/** Removes nodes from the cluster's API. Releases before 2.19 don't get that far where a node does not answer: they gather its facts first. */
async function forget(context: Context, names: readonly string[]): Promise<void> {
  const listed = await listedOf(context, names);
  if (listed.length === 0) return;
  await context.cluster.change('forget-nodes', cmd`delete node ${listed} --ignore-not-found`);
}

/**
 * Asks the cluster whether the nodes have left. A playbook that ended because of another node names only that node.
 * @throws TransientError `kubespray.still-a-node`
 */
async function checkGone(context: Context, names: readonly string[], lost: readonly TaskFailure[]): Promise<void> {
  const listed = await listedOf(context, names);
  if (listed.length === 0) return;
  const why = lost.length === 0 ? '' : `. It does not reach ${lost.map(({ host }) => host).join(', ')}, which may have ended it`;
  throw new TransientError(
    'kubespray.still-a-node',
    `remove-node.yml on ${context.serverName} has ended, and the cluster still lists ${listed.join(', ')}${why}`,
  );
}

/** The cluster's names of those nodes, found by address. */
async function listedOf({ cluster, input }: Context, names: readonly string[]): Promise<string[]> {
  const addresses = input.nodes.filter(({ name }) => names.includes(name)).map(({ address }) => address);
  const listed = (await cluster.listedNodes()).filter((node) => node.addresses.some((address) => addresses.includes(address)));
  return listed.map(({ name }) => name);
}
