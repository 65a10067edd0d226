import type { StackPace, WaitSoFar } from './stack-looks.js';

/** When a stack is looked at next. */
export interface NextLook {
  /** Monotonic milliseconds. */
  dueAt: number;
  /** Its end is expected: a look that was saved may be used for it. */
  isExpected: boolean;
}

/**
 * When a stack is looked at next, as far as that stack is concerned. Where it is known when such stacks end, looks before that are few, and those that were
 * spared are sent around that time: by each moment a stack has had one at once and one each `first` at most.
 */
export function nextLook(pace: StackPace, wait: WaitSoFar, now: number): NextLook {
  const { since, last, until, usual, isNear } = wait;
  if (isNear === true) return closely(pace, wait, now);
  const pause = pauseAt(pace, now - since);
  const regular = { dueAt: last === undefined ? now : Math.min(last + pause, until), isExpected: false };
  if (usual === undefined || now >= since + usual.to + pace.behind) return regular;
  const from = since + Math.max(0, usual.from - pace.ahead);
  if (now >= from) return last === undefined ? regular : closely(pace, wait, now);
  // Nobody has to look at once whether something that takes seconds is done, nor just before it may be.
  const parts = Math.max(1, Math.ceil(usual.from / pace.earlyMost));
  const before = (last ?? since) + Math.max(pause, usual.from / parts);
  return before + pace.close < from
    ? { dueAt: Math.min(before, until), isExpected: false }
    : { dueAt: Math.min(from, until), isExpected: true };
}

/** Soon, where the stack has had fewer looks than it may have by then; else as any other. */
function closely(pace: StackPace, { since, last, until, looks }: WaitSoFar, now: number): NextLook {
  const pause = pauseAt(pace, now - since);
  const before = last ?? now;
  const soon = Math.max(before + Math.min(pace.close, pause), since + looks * pace.first);
  return { dueAt: Math.min(soon, before + pause, until), isExpected: true };
}

/** The pause between two looks of which nothing is expected, at an age. */
const pauseAt = ({ first, share, most }: StackPace, age: number): number => Math.min(Math.max(first, age * share), most);
