import { ofThisMachine } from '@windlass/driver-kit';
import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import type { NodeStepInput } from '../cluster/node-input.js';
import type { NodeContext } from '../node/node-context.js';
import { serverWords } from './load-balancer.js';
import { BACK_ENDS_ARE, CHANGE_BACK_ENDS, HAPROXY_CONFIGURATION, NO_HAPROXY } from './script-balancer.js';

/** A line `server` of HAProxy's configuration. */
export interface BackEnd {
  name: string;
  address: string;
}

export interface ChangeBackEndsInput extends NodeStepInput {
  /** Back ends that HAProxy lists afterwards. */
  listed: BackEnd[];
  /** Back ends that HAProxy does not list afterwards. The undo exchanges the two lists. */
  unlisted: BackEnd[];
}

type BackEnds = Pick<ChangeBackEndsInput, 'listed' | 'unlisted'>;

/**
 * Adds and removes back ends of an HAProxy that a script of the package set up on a master. The rest of its configuration stays. The undo restores
 * the back ends.
 */
export const changeBackEnds = implementAction(declared<ChangeBackEndsInput, Noted | undefined>('change-back-ends'), {
  check: async (context: NodeContext<ChangeBackEndsInput>) => {
    const look = cmd`/bin/bash -s ${words(context.input)}`;
    return (await whereItAnswers(context, () => context.sees(look, BACK_ENDS_ARE))) === true;
  },
  apply: async (context): Promise<Noted | undefined> => {
    const note = await change(context, 'change-back-ends', context.input);
    return note === undefined ? undefined : { notes: [note] };
  },
  undo: async (context) => {
    const { listed, unlisted } = context.input;
    const note = await change(context, 'restore-back-ends', { listed: unlisted, unlisted: listed });
    if (note !== undefined) context.progress(note);
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

/** Returns a note for the operation's warnings where nothing was changed. */
async function change(context: NodeContext<ChangeBackEndsInput>, job: string, of: BackEnds): Promise<string | undefined> {
  const { name } = context.node;
  const given = words(of);
  const script = { text: CHANGE_BACK_ENDS, within: minutes(2), arguments: () => given };
  const result = await whereItAnswers(context, () => context.script(job, script));
  if (result === undefined) return `${name} does not answer: the back ends of its HAProxy are as they were`;
  if (!result.stdoutTail.includes(NO_HAPROXY)) return undefined;
  return `${name} has ${NO_HAPROXY}: what the package's script balances the API with is left as it is`;
}

/** A dead master is skipped, so that the heal of another master goes on. HAProxy checks its back ends by itself. */
async function whereItAnswers<T>(context: NodeContext<ChangeBackEndsInput>, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!ofThisMachine(error)) throw error;
    context.progress(`${context.node.name}: ${error.message}`);
    return undefined;
  }
}

/** Arguments of the scripts. @throws as {@link serverWords} */
const words = ({ listed, unlisted }: BackEnds): string[] => [HAPROXY_CONFIGURATION, lines(listed), lines(unlisted)];

const lines = (backEnds: readonly BackEnd[]): string =>
  backEnds
    .map(serverWords)
    .map(({ name, address }) => `${name} ${address}`)
    .join('\n');
