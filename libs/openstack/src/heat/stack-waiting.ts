import { TerminalError, TransientError, millis, seconds, waitUntil, type Duration, type WaitOptions } from '@windlass/foundation';
import type { HeatApi } from './heat-api.js';
import { stackPath, type StackRef, type StackResource, type StackSummary } from './heat-types.js';
import { parseStatus, type StackAction } from './stack-status.js';
import { LookTimes } from './look-times.js';
import type { AwaitedStack, StackLooks } from './stack-looks.js';
import type { WaitKind } from './usual-times.js';

/** A deleted stack lets go of its name within a second, as a rule. */
const ASK_AGAIN_AFTER = seconds(3);

/** How far a stack is: resources whose current state is COMPLETE, of those that there are by now. */
export interface StackProgress {
  complete: number;
  total: number;
}

/** Pauses between looks: from `first` on, each longer by `growth`, up to `most`, and `restFactor` times what the look took. */
export interface PollPause {
  first: Duration;
  most: Duration;
  growth?: number;
  restFactor?: number;
  /** Resources are listed, for progress, no more often than this: that is Heat's dearest answer. */
  progressEvery?: Duration;
}

/**
 * With this growth the pause is a tenth of a second and 3 % of the time waited so far, so that little is lost on a stack of one server
 * (0.2 s at 3 s) and Heat is left alone by large ones (5 s at not quite three minutes). A Heat that is busy answers late, and is asked less
 * often: one that takes 0.2 s for a look has 0.8 s of rest.
 */
export const STACK_POLL: Required<PollPause> = {
  first: millis(100),
  most: seconds(5),
  growth: 1.03,
  restFactor: 4,
  progressEvery: seconds(1),
};

export interface StackWait {
  within: Duration;
  /** What a person raises for Heat to get more time, for the message of a time-out: `STACK_WITHIN of the infra-driver`. */
  setting?: string;
  signal?: AbortSignal | undefined;
  /** Told how far it is, every second or so while it goes on. */
  onProgress?: (progress: StackProgress) => void | Promise<void>;
  /** Told of the stack while it goes on, where a watch looks at it. */
  ahead?: AwaitedStack;
  /**
   * What tells waits that take alike, and began when Heat was asked: looks are closer when the end is expected by the last ones. Without it nothing is
   * expected.
   */
  kind?: WaitKind;
  /** Pauses between looks where nobody looks for many (`HeatApi.watch`), whose pace is its own; see STACK_POLL. */
  poll?: PollPause;
}

/** Errors of Heat that go on for longer than this while we wait are thrown. */
const PATIENCE = seconds(60);
/** Heat has set the new state when it answers; a state of the action before may be seen for moments only behind replicas. */
const NOT_BEGUN = seconds(15);

/**
 * Waits until Heat has done the action to the stack.
 * @throws TerminalError `stack.create-failed`, `stack.update-failed`: with the reasons of the resources at fault
 * @throws TerminalError `heat.stack-not-found` when it is gone, `heat.stack-elsewhere` when something else is done to it
 * @throws TransientError `wait.timeout`; and Heat's own errors when they don't end within a minute
 */
export async function waitForStack(
  heat: HeatApi,
  ref: StackRef,
  action: Extract<StackAction, 'CREATE' | 'UPDATE' | 'CHECK'>,
  wait: StackWait,
): Promise<StackSummary> {
  return LookTimes.during(heat.watch, wait.kind, (times) => untilDone(heat, ref, action, wait, times));
}

function untilDone(heat: HeatApi, ref: StackRef, action: StackAction, wait: StackWait, times: LookTimes): Promise<StackSummary> {
  const begun = performance.now();
  const look = patient(looksAt(heat, ref, wait, times));
  return waitUntil(
    async (seen) => {
      const found = await look(seen);
      if (found === undefined) return undefined;
      const { stack, progress } = found;
      if (stack === undefined) throw new TerminalError('heat.stack-not-found', `stack ${stackPath(ref)} is gone`);
      await tell(wait, progress);
      seen(describe(stack, progress));
      const now = parseStatus(stack.status);
      if (now.phase === 'FAILED') throw await failure(heat, stack, now.action, wait);
      if (now.action === action) {
        if (now.phase !== 'COMPLETE') return undefined;
        times.ended();
        return stack;
      }
      if (performance.now() - begun < NOT_BEGUN) return undefined;
      throw new TerminalError(
        'heat.stack-elsewhere',
        `stack ${stackPath(ref)} is ${stack.status}; expected ${action}_COMPLETE: somebody else changed it`,
      );
    },
    timing(heat, wait, `stack ${stackPath(ref)} to be ${action}_COMPLETE`),
  );
}

/**
 * Waits until the stack is gone and its name free for another.
 * @throws TransientError `stack.delete-failed`: what was in use for a moment may go when the deletion is asked for again
 * @throws TransientError `wait.timeout`; and Heat's own errors when they don't end within a minute
 */
export async function waitForDeletion(heat: HeatApi, ref: StackRef, wait: StackWait): Promise<void> {
  await LookTimes.during(heat.watch, wait.kind, (times) => untilDeleted(heat, ref, wait, times));
}

async function untilDeleted(heat: HeatApi, ref: StackRef, wait: StackWait, times: LookTimes): Promise<void> {
  const look = patient(looksAt(heat, ref, wait, times));
  // Heat writes DELETE_COMPLETE first and lets go of the name after: until then a new stack of the name is refused.
  const named = patient(async () => ({ id: (await heat.findStack(ref.name))?.id }));
  let askAgainAt = Number.POSITIVE_INFINITY;
  await waitUntil(
    async (seen) => {
      const found = await look(seen);
      if (found === undefined) return undefined;
      const { stack, progress } = found;
      if (stack === undefined || stack.deletedAt !== undefined) {
        times.ended();
        return true;
      }
      await tell(wait, progress);
      seen(describe(stack, progress));
      if (stack.status === 'DELETE_FAILED') throw await deletionFailure(heat, stack, wait);
      if (stack.status !== 'DELETE_COMPLETE') return undefined;
      askAgainAt = Math.min(askAgainAt, performance.now() + ASK_AGAIN_AFTER);
      // The next listing dates it, as a rule: the same column lets go of the name.
      times.isNear = true;
      if (heat.watch !== undefined && performance.now() < askAgainAt) return undefined;
      const owner = await named(seen);
      if (owner !== undefined && owner.id !== ref.id) return true;
      // An engine that died in between lets go of the name when the deletion is asked for once more.
      if (performance.now() >= askAgainAt) {
        askAgainAt = performance.now() + ASK_AGAIN_AFTER;
        await heat.deleteStack(ref);
      }
      return undefined;
    },
    timing(heat, wait, `stack ${stackPath(ref)} to be deleted`),
  );
}

/**
 * Waits until nothing in the stack is in progress. After a failed update nested stacks may go on for a while under a parent
 * that has failed already, and a new update would meet them half-way.
 * @throws TransientError `wait.timeout`
 */
export async function waitUntilQuiet(heat: HeatApi, ref: StackRef, wait: StackWait): Promise<StackResource[]> {
  return LookTimes.during(heat.watch, undefined, (times) => untilQuiet(heat, ref, wait, times));
}

function untilQuiet(heat: HeatApi, ref: StackRef, wait: StackWait, times: LookTimes): Promise<StackResource[]> {
  const again = looksAtStack(heat, ref, wait, times);
  // Most are quiet already, which one look shows at once.
  let look = (): Promise<StackSummary | undefined> => heat.getStack(ref, { outputs: false });
  return waitUntil(
    patient(async (seen) => {
      const stack = await look();
      look = again;
      if (stack !== undefined && parseStatus(stack.status).phase === 'IN_PROGRESS') {
        seen(stack.status);
        return undefined;
      }
      const resources = await heat.listResources(ref);
      const busy = resources.filter((resource) => parseStatus(resource.status).phase === 'IN_PROGRESS');
      seen(`${stack?.status ?? 'no stack'}, in progress: ${busy.map((resource) => resource.name).join(', ')}`);
      return busy.length > 0 ? undefined : resources;
    }),
    timing(heat, wait, `stack ${stackPath(ref)} to come to rest`),
  );
}

/** The resources at fault: those FAILED that are not only the stack around another failed one. */
export function failedResources(resources: readonly StackResource[]): StackResource[] {
  const failed = resources.filter((resource) => parseStatus(resource.status).phase === 'FAILED');
  const around = (outer: StackResource) =>
    outer.nested !== undefined && failed.some((inner) => inner.stack.id === outer.nested?.id);
  return failed.filter((resource) => !around(resource));
}

async function failure(heat: HeatApi, stack: StackSummary, action: StackAction, wait: StackWait): Promise<TerminalError> {
  const resources = await heat.listResources(stack);
  const reasons = failedResources(resources).map(
    (resource) =>
      `${resource.parentResource === undefined ? '' : `${resource.parentResource}/`}${resource.name} (${resource.type}): ${resource.statusReason}`,
  );
  const verb = action.toLowerCase();
  return new TerminalError(
    `stack.${verb}-failed`,
    [
      `stack ${stackPath(stack)} is ${stack.status}: ${stack.statusReason}`,
      ...reasons,
      ...(await adviceOnTime(heat, stack, action, wait)),
    ].join('; '),
    { title: `Stack ${verb} failed` },
  );
}

async function deletionFailure(heat: HeatApi, stack: StackSummary, wait: StackWait): Promise<TransientError> {
  const { code, message } = await failure(heat, stack, 'DELETE', wait);
  return new TransientError(code, message, { title: 'Stack delete failed' });
}

/** Heat's own words for a stack whose time is up, with and without convergence; a resource's time-outs read otherwise. */
const TIMED_OUT = /^(?:\w+ )?timed out$/i;

/** What lengthens the time, where it was Heat's limit on the whole stack that ended. That limit stands in no listing. */
async function adviceOnTime(heat: HeatApi, stack: StackSummary, action: StackAction, { setting }: StackWait): Promise<string[]> {
  if (!TIMED_OUT.test(stack.statusReason.trim())) return [];
  const minutes = (await heat.getStack(stack, { outputs: false }))?.timeoutMinutes;
  const had = minutes === undefined ? "Heat's own limit on a stack ended" : `Heat had ${minutes} minutes for it`;
  if (action === 'DELETE') return [`${had}, as for the last creation or update: retry, which deletes what is left`];
  return [setting === undefined ? had : `${had}: for more time raise ${setting}, then retry`];
}

/**
 * Stack and, where somebody wants to know, how far it is. Progress is asked for only of a stack that goes on: what has ended is told at once.
 */
function looksAt(heat: HeatApi, ref: StackRef, wait: StackWait, times: LookTimes): () => Promise<Look> {
  const look = looksAtStack(heat, ref, wait, times);
  const progress =
    heat.watch === undefined ? progressOf(heat, ref, wait) : rareProgressOf(heat, heat.watch, ref, { times, ahead: wait.ahead });
  return async () => {
    const stack = await look();
    if (stack === undefined || wait.onProgress === undefined || parseStatus(stack.status).phase !== 'IN_PROGRESS')
      return { stack, progress: undefined };
    if (times.endsSoon) wait.ahead?.endsSoon();
    return { stack, progress: await progress() };
  };
}

/** The stack at each call: with all others that are waited for, or alone where nobody looks for many. */
function looksAtStack(
  heat: HeatApi,
  ref: StackRef,
  { within, signal }: StackWait,
  times: LookTimes,
): () => Promise<StackSummary | undefined> {
  const alone = (): Promise<StackSummary | undefined> => heat.getStack(ref, { outputs: false });
  const { watch } = heat;
  if (watch === undefined) return alone;
  const until = times.since + within;
  return async () => {
    try {
      // What a listing does not show may be there: one replica of Heat may be behind another, and hidden stacks are listed for nobody.
      return (await watch.look(ref, { ...times.soFar(), until, signal })) ?? (await alone());
    } finally {
      times.looked();
    }
  };
}

/** How far it is, unless that was asked a moment ago. */
function progressOf(heat: HeatApi, ref: StackRef, wait: StackWait): () => Promise<StackProgress | undefined> {
  const every = wait.poll?.progressEvery ?? STACK_POLL.progressEvery;
  let listedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - listedAt < every) return undefined;
    const progress = await countResources(heat, ref);
    listedAt = performance.now();
    return progress;
  };
}

/**
 * How far it is, unless it is too early to ask, or another stack of the VIM is asked about. Of one that is known to take longer than `progressFrom` it is
 * asked once when half of its time is over.
 */
function rareProgressOf(
  heat: HeatApi,
  watch: StackLooks,
  ref: StackRef,
  { times, ahead }: { times: LookTimes; ahead: AwaitedStack | undefined },
): () => Promise<StackProgress | undefined> {
  const { progressFrom, progressAgain, progressShare, ahead: before, behind } = watch.pace;
  const { since } = times;
  let again: number | undefined;
  const isDue = (age: number): boolean => {
    const { usual } = times;
    if (usual === undefined) return age >= (again ?? progressFrom);
    // Shortly before the end nobody has to know how far it is, and Heat has other things to do.
    const isNearlyDone = age > usual.from - (again === undefined ? before : progressAgain) && age < usual.to + behind;
    const first = usual.from > progressFrom ? Math.min(progressFrom, usual.from / 2) : progressFrom;
    return !isNearlyDone && age >= (again ?? first);
  };
  return async () => {
    const age = performance.now() - since;
    if (!isDue(age)) return undefined;
    const resources = await watch.alone(() => heat.listResources(ref));
    if (resources === undefined) return undefined;
    again = age + Math.max(progressAgain, age * progressShare);
    if (ahead !== undefined) {
      ahead.listed(resources);
      times.shortlyBefore(() => ahead.endsSoon());
    }
    return progressIn(resources);
  };
}

async function countResources(heat: HeatApi, ref: StackRef): Promise<StackProgress> {
  return progressIn(await heat.listResources(ref));
}

function progressIn(resources: readonly StackResource[]): StackProgress {
  const complete = resources.filter(
    (resource) => parseStatus(resource.status).phase === 'COMPLETE' && resource.physicalId !== undefined,
  );
  return { complete: complete.length, total: resources.length };
}

interface Look {
  stack: StackSummary | undefined;
  progress: StackProgress | undefined;
}

async function tell(wait: StackWait, progress: StackProgress | undefined): Promise<void> {
  if (progress !== undefined) await wait.onProgress?.(progress);
}

function describe(stack: StackSummary, progress: StackProgress | undefined): string {
  return `${stack.status}${progress === undefined ? '' : `, ${progress.complete} of ${progress.total} resources complete`}`;
}

/** The part of WaitOptions that says how often to look. */
export function pauses(poll: PollPause = STACK_POLL): Required<Pick<WaitOptions, 'every' | 'growth' | 'atMost' | 'restFactor'>> {
  const { growth, restFactor } = { ...STACK_POLL, ...poll };
  return { every: poll.first, growth, atMost: poll.most, restFactor };
}

function timing({ watch }: HeatApi, wait: StackWait, what: string) {
  return {
    for: wait.setting === undefined ? what : `${what} (for more time raise ${wait.setting})`,
    within: wait.within,
    // A watch has the pauses in it.
    ...(watch === undefined ? pauses(wait.poll) : { every: millis(0) }),
    ...(wait.signal === undefined ? {} : { signal: wait.signal }),
  };
}

/** A look that fails for now counts as "not yet", until such failures have gone on for a minute. */
function patient<T>(look: (seen: (last: string) => void) => Promise<T | undefined>): typeof look {
  let since: number | undefined;
  return async (seen) => {
    try {
      const found = await look(seen);
      since = undefined;
      return found;
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      since ??= performance.now();
      if (performance.now() - since > PATIENCE) throw error;
      seen(error.message);
      return undefined;
    }
  };
}
