import { millis, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { Noted } from '../actions/contracts.js';
import type { PlaybookContext } from './ansible-context.js';
import { notReached, runPlaybookJob } from './ansible-job.js';
import { runPlaybook, type RunPlaybookInput } from './contracts.js';

type Context = PlaybookContext<RunPlaybookInput>;

/** kubespray's playbooks make what is not there yet: one that was cut short is run again. */
export const runPlaybookWork = implementAction(runPlaybook, {
  apply: async (context: Context): Promise<Noted | undefined> => {
    const { playbook, about, withinMs } = context.input;
    const limit = playbook === 'scale' && about !== undefined ? { limit: about } : {};
    const missed = await runPlaybookJob(context, { job: playbook, kind: playbook, within: millis(withinMs), ...limit });
    const needed = missed.filter(({ host }) => playbook !== 'facts' || about === undefined || about.includes(host));
    if (needed.length > 0) throw notReached(context, playbook, needed);
    if (missed.length === 0) return undefined;
    return {
      notes: [
        `the Ansible server does not reach ${missed.map(({ host }) => host).join(', ')}: no part of this operation; heal them`,
      ],
    };
  },
  undo: async (context) => {
    const { about, masters, nodes } = context.input;
    if (masters === undefined || about === undefined) return;
    const listed = await context.cluster.listedNodes();
    const addresses = nodes.filter(({ name }) => about.includes(name)).map(({ address }) => address);
    const names = listed.filter((node) => node.addresses.some((address) => addresses.includes(address))).map(({ name }) => name);
    // Their VMs go as a whole.
    if (names.length > 0) await context.cluster.change('forget-nodes', cmd`delete node ${names} --ignore-not-found`);
  },
  stop: (context) => context.stop(),
  retry: { attempts: 2, backoff: seconds(15) },
});
