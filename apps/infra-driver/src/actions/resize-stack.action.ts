import { seconds, TerminalError } from '@windlass/foundation';
import {
  resizeStackAction,
  operationTag,
  undoTag,
  type EarlierSize,
  type MemberName,
  type ResizeStackInput,
  type StackUpdate,
  type WantedSize,
} from '@windlass/lifecycle';
import { layoutOf, type GroupMember } from '@windlass/openstack';
import { present } from '@windlass/saga';
import {
  askForUpdate,
  atRest,
  awaitLastUpdate,
  awaitUpdate,
  isUpdatedBy,
  isUpdating,
  ownStack,
  wasAskedFor,
} from './asked-update.js';
import { infraAction, isFirstClaim, type InfraContext } from './infra-context.js';
import { knownStack } from './known-stack.js';
import { LEAVES_MARK } from './marks.js';
import { stopOwnWork } from './stop-stack.js';

type Context = InfraContext<ResizeStackInput>;

/** One update of a stack to a size: its tag, what is asked for, and the members that leave. */
interface Resize {
  tag: string;
  update: StackUpdate;
  sizes: Record<string, number>;
  leaving: MemberName[];
}

/** Brings the groups of a stack to the wanted size by one update. The update gives absolute sizes, so it may be asked for twice. */
export const resizeStack = infraAction(resizeStackAction, {
  check: async (context) => {
    if (isFirstClaim(context.run)) return false;
    const resize = forward(context);
    const stack = await ownStack(context);
    return isUpdatedBy(resize.tag, stack) && reached(resize, await membersOf(context)) ? present({}) : false;
  },
  apply: async (context) => {
    await reach(context, forward(context));
    return {};
  },
  undo: async (context) => {
    const { earlier } = context.input;
    if (earlier === null || !(await wasAskedFor(context))) return;
    const tag = undoTag(context.run.operationId);
    const stack = await ownStack(context);
    // An update that is under way has chosen its members already.
    if (isUpdating(tag, stack)) await awaitUpdate(context, stack);
    await atRest(context, stack);
    await reach(context, { ...back(earlier, await membersOf(context)), tag });
  },
  /** Where this operation's update was not asked for yet, there is nothing to stop. An earlier update that the step waited for goes on. */
  stop: async (context) => {
    await stopOwnWork(context, await ownStack(context));
    return true;
  },
  retry: { attempts: 4, backoff: seconds(2), growth: 2 },
});

const forward = ({ input, run }: Context): Resize => ({ tag: operationTag(run.operationId), ...resizeOf(input.wanted) });

const resizeOf = ({ update, sizes, leaving }: WantedSize): Omit<Resize, 'tag'> => ({ update, sizes, leaving });

/** The update back to the earlier size: members that were not there before leave. */
function back({ update, sizes, staying }: EarlierSize, members: readonly GroupMember[]): Omit<Resize, 'tag'> {
  const stays = ({ group, name }: GroupMember): boolean => staying.some((each) => each.group === group && each.member === name);
  const leaving = members
    .filter((member) => sizes[member.group] !== undefined && !stays(member))
    .map(({ group, name }) => ({ group, member: name }));
  return { update, sizes, leaving };
}

/** Finds the update that a lost worker asked for, or asks for it; returns when the stack has the size. */
async function reach(context: Context, resize: Resize): Promise<void> {
  const stack = await ownStack(context);
  if (isUpdating(resize.tag, stack)) {
    await awaitLastUpdate(context, stack);
  } else {
    await atRest(context, stack);
    const now = await ownStack(context);
    if (!(isUpdatedBy(resize.tag, now) && reached(resize, await membersOf(context)))) await askFor(context, resize);
  }
  const members = await membersOf(context);
  if (!reached(resize, members)) throw otherSize(resize, members);
}

/** Marks the members that leave, removes marks that an operation left on members that stay, and updates. A lease check precedes each request. */
async function askFor(context: Context, resize: Resize): Promise<void> {
  const { openStack, run } = context;
  const stack = await knownStack(openStack.heat, context.input.stack);
  for (const member of await membersOf(context)) {
    const { groupStack, name, group, status, statusReason } = member;
    const leaves = resize.leaving.some((each) => each.group === group && each.member === name);
    const marked = status === 'CHECK_FAILED' && statusReason.startsWith(LEAVES_MARK);
    if (leaves && !marked) await openStack.heat.markUnhealthy(groupStack, name, `${LEAVES_MARK}${run.operationId}`);
    if (!leaves && marked) await openStack.heat.markHealthy(groupStack, name, `${LEAVES_MARK}taken back by ${run.operationId}`);
  }
  await askForUpdate(context, stack, resize.update);
  await awaitLastUpdate(context, stack);
}

/** Whether the groups have the wanted size, without the members that should leave. */
function reached({ sizes, leaving }: Resize, members: readonly GroupMember[]): boolean {
  const leaves = ({ group, name }: GroupMember): boolean => leaving.some((each) => each.group === group && each.member === name);
  return (
    !members.some(leaves) &&
    Object.entries(sizes).every(([group, size]) => members.filter((member) => member.group === group).length === size)
  );
}

function otherSize({ sizes, leaving }: Resize, members: readonly GroupMember[]): TerminalError {
  const wanted = Object.entries(sizes).map(([group, size]) => `${size} of ${group}`);
  const without = leaving.length === 0 ? '' : ` without ${leaving.map(({ member }) => member).join(', ')}`;
  const there = members.map(({ group, name }) => `${group}/${name}`);
  return new TerminalError(
    'stack.other-size',
    `Heat has completed the update, but not as asked: ${wanted.join(', ')}${without} were expected, there are ${there.join(', ')}`,
  );
}

async function membersOf({ openStack, input }: Context): Promise<GroupMember[]> {
  const { name, id } = input.stack;
  const stack = id === undefined ? await knownStack(openStack.heat, input.stack) : { name, id };
  const resources = await openStack.heat.listResources(stack);
  return layoutOf(stack, resources).groups.flatMap(({ members }) => members);
}
