import { nextLook } from '../heat/next-look.js';
import type { StackLooks, WaitSoFar } from '../heat/stack-looks.js';
import { STACK_PACE, type StackWatch } from '../heat/stack-watch.js';
import type { StackRef, StackSummary } from '../heat/heat-types.js';
import type { UsualTime, UsualTimes } from '../heat/usual-times.js';

/** How long a listing takes there, in milliseconds. */
const ANSWER = 30;

/** Looks at one stack in the product's pace, on a clock that is only counted: a wait for seconds takes no time. */
export class CountedLooks implements StackLooks {
  readonly pace = STACK_PACE;
  readonly usual: UsualTimes;
  readonly atOnce = 1;
  /** Milliseconds, which `performance.now` has to show. */
  now = 0;
  /** When each look was sent. */
  readonly sent: number[] = [];

  /** @param stackAt the stack at a time */
  constructor(
    usual: UsualTime,
    private readonly stackAt: (now: number) => StackSummary,
  ) {
    this.usual = { of: () => usual, ended: () => undefined } as Pick<UsualTimes, keyof UsualTimes> as UsualTimes;
  }

  /** In place of a watch. */
  get watch(): StackWatch {
    return this as StackLooks as StackWatch;
  }

  enter(): () => void {
    return () => undefined;
  }

  look(_ref: StackRef, wait: WaitSoFar): Promise<StackSummary> {
    this.now = Math.max(this.now, nextLook(this.pace, wait, this.now).dueAt);
    this.sent.push(this.now);
    const stack = this.stackAt(this.now);
    this.now += ANSWER;
    return Promise.resolve(stack);
  }

  alone<T>(work: () => Promise<T>): Promise<T | undefined> {
    return work();
  }
}
