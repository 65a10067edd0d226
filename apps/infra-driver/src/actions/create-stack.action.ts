import { createHash } from 'node:crypto';
import { seconds, TerminalError, waitUntil } from '@windlass/foundation';
import {
  createStackAction,
  isDeploymentTag,
  operationTag,
  vnfTag,
  type CreateStackInput,
  type CreateStackOutput,
} from '@windlass/lifecycle';
import {
  EarlyReading,
  parseStatus,
  readParts,
  waitForDeletion,
  waitForStack,
  type Stack,
  type StackRef,
  type WaitKind,
} from '@windlass/openstack';
import { present } from '@windlass/saga';
import { readAheadOf } from '../looks/read-ahead.js';
import { askForDeletion } from './asked-deletion.js';
import { heatTimeoutMinutes, infraAction, isFirstClaim, stackWait, type InfraContext } from './infra-context.js';
import { isOf } from './ownership.js';
import { readingOf } from './read-stack.action.js';
import { stopOwnWork, uninterruptedByCancel } from './stop-stack.js';

type Context = InfraContext<CreateStackInput>;

/**
 * Makes the stack of a VNF and waits until it is complete. A stack with that name that this operation has asked for is used, so that it is never made
 * twice. One that failed, or that an earlier operation of ours left, is deleted first.
 */
export const createStack = infraAction(createStackAction, {
  check: async (context) => {
    if (isFirstClaim(context.run)) return false;
    const stack = await ownStack(context);
    return stack?.status === 'CREATE_COMPLETE' && isOfThis(context, stack) ? present(outputOf(stack)) : false;
  },
  apply: async (context) => {
    const { openStack, run, settings } = context;
    const { ref, isNew } = await begunStack(context);
    run.onlyWaits();
    const early = new EarlyReading(openStack);
    const stack = await waitForStack(openStack.heat, ref, 'CREATE', {
      ...stackWait({ settings, run }),
      ahead: early,
      ...(isNew ? { kind: kindOf(context.input) } : {}),
      onProgress: ({ complete, total }) => run.progress(`${complete} of ${total} resources`),
    });
    // The step after this one needs it, and Heat would have nothing to do while our result is written down.
    readAheadOf(openStack)?.begin(readingOf(run, ref), (signal) => readParts(openStack.with({ signal }), ref, early.parts));
    return outputOf(stack);
  },
  undo: async (context) => {
    const { openStack, run, settings, input } = context;
    const stack = await seenOrSurelyAbsent(context);
    if (stack === undefined) return;
    run.progress(`deleting ${input.request.stackName}`);
    await askForDeletion(context, stack);
    run.onlyWaits();
    await waitForDeletion(openStack.heat, stack, stackWait({ settings, run }));
  },
  stop: async (context) => {
    const stack = await namedStack(context);
    await stopOwnWork(context, stack !== undefined && isOurs(context, stack) ? stack : undefined);
    return true;
  },
  retry: { attempts: 4, backoff: seconds(2), growth: 2 },
});

const outputOf = ({ name, id }: StackRef) => ({ stack: { name, id } }) satisfies CreateStackOutput;

/** Whether this operation made the stack, and not an earlier one. */
const isOfThis = ({ run }: Context, stack: Stack): boolean => stack.tags.includes(operationTag(run.operationId));

/**
 * The stack that is being made: found, or asked for now. A first attempt asks at once: nobody has before, or its check has just looked. Where a stack of the
 * name is there all the same, left by an earlier operation or somebody else's, Heat refuses, and it is looked at then.
 */
async function begunStack(context: Context): Promise<Begun> {
  const { run } = context;
  if (run.attempt > 1 || run.resumed) return foundOrAsked(context);
  try {
    return { ref: await ask(context), isNew: true };
  } catch (error) {
    if (!(error instanceof TerminalError && error.code === 'heat.stack-exists')) throw error;
    return foundOrAsked(context);
  }
}

interface Begun {
  ref: StackRef;
  /** Heat was asked for it a moment ago. */
  isNew: boolean;
}

/** Stacks of one template take alike, as a rule. */
const kindOf = ({ request: { template, files } }: CreateStackInput): WaitKind =>
  `CREATE ${createHash('sha256')
    .update(JSON.stringify([template, files]))
    .digest('base64')}`;

/** Finds the stack, or asks for it. What a failed attempt left is deleted first. */
async function foundOrAsked(context: Context): Promise<Begun> {
  const { openStack, run, settings } = context;
  const found = await ownStack(context);
  if (found !== undefined) {
    const { action, phase } = parseStatus(found.status);
    if (action === 'CREATE' && phase !== 'FAILED' && isOfThis(context, found)) return { ref: found, isNew: false };
    run.progress(`deleting what an earlier attempt left (${found.status})`);
    await openStack.heat.deleteStack(found);
    await waitForDeletion(openStack.heat, found, stackWait({ settings, run }));
  }
  return { ref: await ask(context), isNew: true };
}

function ask(context: Context): Promise<StackRef> {
  const { stackName, template, files, parameters, tags } = context.input.request;
  const timeoutMinutes = heatTimeoutMinutes(context.settings);
  return uninterruptedByCancel(context).heat.createStack({ name: stackName, template, files, parameters, tags, timeoutMinutes });
}

/** @throws TerminalError `stack.not-ours` when somebody else's stack has the name. */
async function ownStack(context: Context): Promise<Stack | undefined> {
  const stack = await namedStack(context);
  if (stack === undefined || isOurs(context, stack)) return stack;
  throw new TerminalError(
    'stack.not-ours',
    `the VIM has a stack ${stack.name} that does not carry the tag ${vnfTag(context.input.vnfInstanceId)}: rename or delete it, then retry`,
  );
}

async function namedStack({ openStack, input }: Context): Promise<Stack | undefined> {
  const stack = await openStack.heat.findStack(input.request.stackName);
  return stack?.status === 'DELETE_COMPLETE' ? undefined : stack;
}

function isOurs({ input: { vnfInstanceId, request } }: Context, stack: Stack): boolean {
  const tag = request.tags.find(isDeploymentTag);
  return isOf({ vnfInstanceId, ...(tag === undefined ? {} : { deploymentTag: tag }) }, stack.tags);
}

/** Heat may still be making a stack when its answer was lost: a stack counts as absent only after it has stayed absent for the whole time. */
async function seenOrSurelyAbsent(context: Context): Promise<Stack | undefined> {
  const { settings, run } = context;
  const until = performance.now() + settings.absentFor;
  return waitUntil(
    async () => {
      const stack = await namedStack(context);
      // Where somebody else's stack has the name, ours does not exist and can't be made.
      if (stack !== undefined) return { stack: isOurs(context, stack) ? stack : undefined };
      return performance.now() >= until ? { stack: undefined } : undefined;
    },
    {
      for: 'the stack to be seen, or to stay absent',
      within: seconds(settings.absentFor / 1_000 + 60),
      every: seconds(1),
      signal: run.signal,
    },
  ).then(({ stack }) => stack);
}
