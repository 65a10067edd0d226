import { seconds, TerminalError, waitUntil } from '@windlass/foundation';
import { replaceServersAction } from '@windlass/lifecycle';
import { parseStatus, pauses, readInventory, waitForStack, type Inventory } from '@windlass/openstack';
import { askForUpdate } from './asked-update.js';
import {
  isHealed,
  markOriginals,
  quietInventory,
  resourcesIn,
  standingsOf,
  type HealContext,
  type TargetStanding,
} from './heal-view.js';
import { infraAction, stackWait } from './infra-context.js';
import { requireOwn, requireOwnStack } from './ownership.js';
import { stopWork } from './stop-stack.js';

/**
 * Has Heat replace what is marked. The step waits for an update that is under way, and asks for one only while a target is still the original. So a
 * worker that takes over a lost worker's claim finds its update, and never begins a second one.
 */
export const replaceServers = infraAction(replaceServersAction, {
  check: async ({ openStack, input }) => {
    const stack = await openStack.heat.getStack(input.stack, { outputs: false });
    if (stack === undefined || parseStatus(stack.status).phase !== 'COMPLETE') return false;
    const inventory = await readInventory(openStack, input.stack);
    return isHealed(standingsOf(input.targets, inventory), inventory.status);
  },
  apply: async (context) => {
    await attach(context);
    const inventory = await quietInventory(context);
    const standings = standingsOf(context.input.targets, inventory);
    if (isHealed(standings, inventory.status)) return undefined;
    requirePlaces(standings);
    await markOriginals(context, standings);
    await deleteFirst(context, standings);
    context.run.progress('replacing');
    await askForUpdate(context, context.input.stack, context.input.update ?? {});
    context.run.onlyWaits();
    await waitForUpdate(context);
    const after = await quietInventory(context);
    requireHealed(standingsOf(context.input.targets, after), after);
    return undefined;
  },
  stop: async (context) => {
    await requireOwn(context.openStack.heat, context.input, context.input.stack);
    await stopWork(context, context.input.stack);
    return true;
  },
  retry: { attempts: 4, backoff: seconds(2), growth: 2 },
});

/** Waits for an update that is under way: a lost worker's. If it fails, the step fails. */
async function attach(context: HealContext): Promise<void> {
  const { openStack, input } = context;
  const stack = await openStack.heat.getStack(input.stack, { outputs: false });
  if (stack !== undefined) requireOwnStack(input, stack);
  if (stack?.status === 'UPDATE_IN_PROGRESS') await waitForUpdate(context);
}

const waitForUpdate = ({ openStack, input, run, settings }: HealContext) =>
  waitForStack(openStack.heat, input.stack, 'UPDATE', {
    ...stackWait({ settings, run }),
    onProgress: ({ complete, total }) => run.progress(`${complete} of ${total} resources`),
  });

/** Deletes the servers that must go before their replacements are made. Their ports belong to the stack, and stay. */
async function deleteFirst({ openStack, run, settings }: HealContext, standings: readonly TargetStanding[]): Promise<void> {
  const going = standings.flatMap(({ target, server }) =>
    target.deletedFirst !== null && server.original ? (server.wanted.physicalId ?? []) : [],
  );
  for (const id of going) {
    run.progress(`deleting server ${id}`);
    await openStack.nova.deleteServer(id);
  }
  for (const id of going) {
    await waitUntil(
      async (seen) => {
        const server = await openStack.nova.getServer(id);
        seen(server?.status ?? 'gone');
        return server === undefined ? true : undefined;
      },
      {
        for: `server ${id} to be gone`,
        within: settings.stackWithin,
        ...pauses(),
        signal: run.signal,
      },
    );
  }
}

/** @throws TerminalError `heal.vnfc-gone`: an update would not bring back what the template has no place for. */
function requirePlaces(standings: readonly TargetStanding[]): void {
  const lost = standings.filter(({ server }) => server.item === undefined).map(({ target }) => target.vnfcId);
  if (lost.length === 0) return;
  throw new TerminalError(
    'heal.vnfc-gone',
    `the stack has no VNFC ${lost.join(', ')} any more: heal the others, or the whole VNF`,
  );
}

/** @throws TerminalError `heal.not-replaced` when Heat ended its update well and did not do what it was asked for. */
function requireHealed(standings: readonly TargetStanding[], { status }: Inventory): void {
  if (isHealed(standings, status)) return;
  const left = resourcesIn(standings).filter(({ replaced }) => !replaced);
  const places = left.map(
    ({ wanted, item }) => `${wanted.path.join('/')} (${item?.status ?? 'gone'}, ${item?.physicalId ?? 'no id'})`,
  );
  throw new TerminalError(
    'heal.not-replaced',
    `the stack is ${status}, but not replaced: ${places.join(', ')}; retry, or look at Heat's events`,
  );
}
