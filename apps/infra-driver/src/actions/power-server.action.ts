import { millis, seconds, TerminalError, TransientError, waitUntil } from '@windlass/foundation';
import { powerServerAction, type PowerServerInput } from '@windlass/lifecycle';
import { pauses, STACK_POLL, type Server } from '@windlass/openstack';
import type { OperationalState } from '@windlass/sol003';
import { infraAction, type InfraContext } from './infra-context.js';
import { knownStack } from './known-stack.js';
import { requireOwnStack } from './ownership.js';
import { uninterruptedByCancel } from './stop-stack.js';

type Context = InfraContext<PowerServerInput>;

/** Nova's status of a server in each state, and the action that brings it there. */
const STATUS = { STARTED: 'ACTIVE', STOPPED: 'SHUTOFF' } as const satisfies Record<OperationalState, string>;
const VERB = { STARTED: 'start', STOPPED: 'stop' } as const satisfies Record<OperationalState, string>;

/** How long Nova's work may go on after a forceful cancel: Nova gives a guest a minute to shut down. */
const RESTS_WITHIN = seconds(90);

/**
 * Pauses between looks once Nova was asked: any number of servers may be waited for, so the first comes later than that of a run which holds a place. Then as
 * for stacks: 3 % longer each time, and four times what a look and its turn took.
 */
const WHILE_WAITING = pauses({ ...STACK_POLL, first: millis(500) });

/** Starts or stops the server of a VNFC. Nova is asked only where the server rests in another state, so that asking twice is asking once. */
export const powerServer = infraAction(powerServerAction, {
  check: async (context) => {
    const server = await context.openStack.nova.getServer(context.input.serverId);
    return server !== undefined && standsAt(server, context.input.to);
  },
  apply: async (context) => {
    await bring(context, await atRest(context), context.input.to);
    return undefined;
  },
  /** A server that is not in the state that this step wanted was not brought to its state by this step. */
  undo: async (context) => {
    const { to, was, serverId } = context.input;
    if (to === was || (await context.openStack.nova.getServer(serverId)) === undefined) return;
    const server = await atRest(context);
    if (standsAt(server, to)) await bring(context, server, was);
  },
  /** Nova finishes what it has begun, and can't be told to stop. The stop is confirmed when the server is at rest. */
  stop: async (context) => {
    const { serverId } = context.input;
    if ((await context.openStack.nova.getServer(serverId)) === undefined) return true;
    await waitUntil(async (seen) => ((await look(context, seen)).task === undefined ? true : undefined), {
      for: `server ${serverId} to rest`,
      within: RESTS_WITHIN,
      ...pauses(),
      signal: context.run.signal,
    });
    return true;
  },
  retry: { attempts: 4, backoff: seconds(2), growth: 2 },
});

const standsAt = ({ status, task }: Server, state: OperationalState): boolean => status === STATUS[state] && task === undefined;

const told = ({ status, task }: Server): string => (task === undefined ? status : `${status}, ${task}`);

/** @throws TerminalError `operate.no-server` */
async function look({ openStack, input: { serverId, vnfcId } }: Context, seen: (last: string) => void): Promise<Server> {
  const server = await openStack.nova.getServer(serverId);
  if (server === undefined)
    throw new TerminalError('operate.no-server', `Nova has no server ${serverId} of the VNFC ${vnfcId} any more: heal it first`);
  seen(told(server));
  return server;
}

/** The server once Nova has ended what was begun, such as the request of a lost worker. */
const atRest = (context: Context): Promise<Server> =>
  waitUntil(
    async (seen) => {
      const server = await look(context, seen);
      return server.task === undefined ? server : undefined;
    },
    {
      for: `server ${context.input.serverId} to rest`,
      within: context.settings.stackWithin,
      ...pauses(),
      signal: context.run.signal,
    },
  );

/** Asks Nova, unless the server is in that state already, and waits. */
async function bring(context: Context, server: Server, to: OperationalState): Promise<void> {
  if (standsAt(server, to)) return;
  const { openStack, input, run, settings, looks } = context;
  requireOwnStack(input, await knownStack(openStack.heat, input.stack));
  run.progress(`${VERB[to]}: ${told(server)}`);
  if (!(await uninterruptedByCancel(context).nova.powerServer(input.serverId, VERB[to]))) throw await refusal(context, to);
  run.onlyWaits();
  await waitUntil(
    async (seen) => {
      const now = await looks.take(run, input.vim.authUrl, () => look(context, seen));
      if (standsAt(now, to)) return true;
      if (now.task !== undefined) return undefined;
      throw new TransientError(
        'operate.not-done',
        `Nova has ended to ${VERB[to]} ${named(input)}, which is ${told(now)}${why(now)}`,
      );
    },
    { for: `${named(input)} to be ${STATUS[to]}`, within: settings.stackWithin, ...WHILE_WAITING, signal: run.signal },
  );
}

/** The error after Nova has refused: something else has begun with the server, or its state does not allow the action. */
async function refusal(context: Context, to: OperationalState): Promise<TransientError | TerminalError> {
  const server = await look(context, () => undefined);
  if (server.task !== undefined || standsAt(server, to))
    return new TransientError('operate.server-busy', `${named(context.input)} is ${told(server)}`);
  return new TerminalError(
    'operate.refused',
    `Nova does not ${VERB[to]} ${named(context.input)}, which is ${told(server)}${why(server)}: bring it to ${STATUS[to]} by hand or heal it, then retry`,
  );
}

const named = ({ serverId, vduId, vnfcId }: PowerServerInput): string => `server ${serverId} of the VNFC ${vnfcId} (${vduId})`;

const why = ({ fault }: Server): string => (fault === undefined ? '' : `: ${fault}`);
