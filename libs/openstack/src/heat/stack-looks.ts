import type { Duration } from '@windlass/foundation';
import type { StackRef, StackResource, StackSummary } from './heat-types.js';
import type { UsualTime, UsualTimes } from './usual-times.js';

/** How often stacks are looked at: the same for one as for a hundred. */
export interface StackPace {
  /** Between two listings, and between two looks at a young stack, unless its end is expected. In the long run no listings are closer. */
  first: Duration;
  /** Between two listings at least, while the end of a stack is expected and looks have been saved for it. */
  close: Duration;
  /** How many looks may be saved: one each `first` that none was sent. */
  saved: number;
  /** How long before its usual time the end of a stack is expected. */
  ahead: Duration;
  /** How long after its usual time it is expected still. */
  behind: Duration;
  /** What the stack has by then is read so long before its usual time: this share of it. */
  readShare: number;
  /** And at most this. */
  readMost: Duration;
  /** Between two looks at most, until the end is expected: the usual time is parted equally by these looks, unless the pause by age is longer. */
  earlyMost: Duration;
  /** Between two looks at most. */
  most: Duration;
  /** Of the time that a stack has been waited for: so long is the pause until it is looked at again. */
  share: number;
  /** A listing is followed by so many times as long of rest as it took, up to `most`: who answers slowly is asked less often. */
  restFactor: number;
  /** From which age on a stack's resources are counted, for progress. */
  progressFrom: Duration;
  /** Until they are counted again, at least. */
  progressAgain: Duration;
  /** The same, of the time that the stack has been waited for. */
  progressShare: number;
}

/** A wait, as it stands before its next look. Monotonic milliseconds. */
export interface WaitSoFar {
  since: number;
  /** When the last look ended; undefined before the first. */
  last: number | undefined;
  /** No look is wanted later. */
  until: number;
  /** How many looks there were. */
  looks: number;
  /** When such a wait ends, as a rule; undefined where nobody knows. */
  usual?: UsualTime | undefined;
  /** The last look showed that the end is near, whenever it is usual. */
  isNear?: boolean;
  signal?: AbortSignal | undefined;
}

/** What is told of a stack that is waited for while it goes on, for whoever needs it when it is complete. */
export interface AwaitedStack {
  /** The resources that it has by now. */
  listed(resources: readonly StackResource[]): void;
  /** It is expected to end in a moment. Called shortly before that time, and at each look of it. */
  endsSoon(): void;
}

/** Who looks at stacks that are waited for, many at once. */
export interface StackLooks {
  readonly pace: StackPace;
  /** How long waits of a kind took, in milliseconds. */
  readonly usual: UsualTimes;
  /** Someone begins to wait for a stack, with pauses between his looks. @returns ends it */
  enter(): () => void;
  /** How many have begun to wait and not ended. */
  readonly atOnce: number;
  /** The stack as the next listing shows it; undefined where that does not show it. */
  look(ref: StackRef, wait: WaitSoFar): Promise<StackSummary | undefined>;
  /** Does work that is dear to the VIM, unless such work is under way: then undefined. */
  alone<T>(work: () => Promise<T>): Promise<T | undefined>;
}
