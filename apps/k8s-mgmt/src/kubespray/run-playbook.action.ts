import type { MasterInput } from '@windlass/driver-kit';
import { millis, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import type { PlaybookContext } from './ansible-context.js';
import type { PlaybookStepInput } from './ansible-input.js';
import { notReached, reachedNodes, runPlaybookJob } from './ansible-job.js';
import type { TaskFailure } from './progress.js';

export interface RunPlaybookInput extends PlaybookStepInput {
  playbook: 'cluster' | 'facts' | 'scale';
  /** Names of the nodes that the playbook is about; all unless given. For facts.yml: the nodes that must answer. */
  about?: string[];
  /** Masters through which the undo removes those nodes from the cluster. */
  masters?: MasterInput[];
}

type Context = PlaybookContext<RunPlaybookInput>;

/** Runs one of kubespray's playbooks. A playbook makes what is missing, so a run that was cut short is repeated. */
export const runPlaybook = implementAction(declared<RunPlaybookInput, Noted | undefined>('run-playbook'), {
  apply: async (context: Context): Promise<Noted | undefined> => {
    const { playbook, about, withinMs } = context.input;
    const within = millis(withinMs);
    const needs = (host: string): boolean => about === undefined || about.includes(host);
    const { missed, limit } = playbook === 'facts' ? await reachedNodes(context) : { missed: [], limit: {} };
    refuse(context, playbook, missed, needs);
    const only = playbook === 'scale' && about !== undefined ? { limit: about } : limit;
    const lost = await runPlaybookJob(context, { job: playbook, kind: playbook, within, ...only });
    // A node that is lost during the run may have ended the run for all nodes.
    refuse(context, playbook, lost, () => true);
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
    // Nothing is done on the nodes: the roll-back deletes their VMs.
    if (names.length > 0) await context.cluster.change('forget-nodes', cmd`delete node ${names} --ignore-not-found`);
  },
  stop: (context) => context.stop(),
  retry: { attempts: 2, backoff: seconds(15) },
});

/** @throws TransientError `kubespray.unreachable` where one of them is needed */
function refuse(context: Context, playbook: string, missed: readonly TaskFailure[], needs: (host: string) => boolean): void {
  const needed = missed.filter(({ host }) => needs(host));
  if (needed.length > 0) throw notReached(context, playbook, needed);
}
