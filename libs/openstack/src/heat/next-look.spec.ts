import { millis, seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { nextLook } from './next-look.js';
import { STACK_PACE } from './stack-watch.js';
import type { UsualTime } from './usual-times.js';

/** How long Heat takes for a listing. */
const ANSWER = millis(30);

interface Looked {
  /** When each look was sent, in milliseconds after the wait began. */
  sent: number[];
  /** When the answer came that showed the end. */
  seen: number;
}

/** Looks at one stack until it has ended, on a clock that is only counted. */
function lookUntil(ended: number, usual: UsualTime | undefined, nearFrom = Number.POSITIVE_INFINITY): Looked {
  const sent: number[] = [];
  let last: number | undefined;
  let isNear = false;
  for (;;) {
    const now = last ?? 0;
    const { dueAt } = nextLook(STACK_PACE, { since: 0, last, until: seconds(3_600), looks: sent.length, usual, isNear }, now);
    const at = Math.max(now, dueAt);
    sent.push(at);
    last = at + ANSWER;
    isNear = at >= nearFrom;
    if (at >= ended) return { sent, seen: last };
  }
}

/** By no moment more looks than one at once and one each half second. */
const areInTheBudget = ({ sent }: Looked): boolean => sent.every((at, index) => index <= at / STACK_PACE.first);
const at = (time: number): UsualTime => ({ from: time, to: time });

describe('the next look at a stack', () => {
  it.each([2_300, 3_900, 8_000, 30_000])('comes soon after the end of one that takes %i ms, as is usual', (usual) => {
    for (let early = -100; early <= 350; early += 10) {
      const looked = lookUntil(usual + early, at(usual));
      expect(looked.seen - usual - early, `${early} ms after the usual time: ${looked.sent.join(' ')}`).toBeLessThanOrEqual(250);
      expect(areInTheBudget(looked), looked.sent.join(' ')).toBe(true);
    }
  });

  it('is never one more than one at once and one each half second, whenever the stack ends and whatever was usual', () => {
    for (const usual of [undefined, at(50), at(700), at(2_300), { from: 1_000, to: 20_000 }, at(60_000)])
      for (const ended of [10, 400, 1_000, 2_500, 5_000, 12_000, 90_000]) {
        const looked = lookUntil(ended, usual, ended - 900);
        expect(areInTheBudget(looked), looked.sent.join(' ')).toBe(true);
      }
  });

  it('is not left out before the usual time: a stack that fails early is seen within a third of it, and two seconds', () => {
    for (const usual of [2_300, 3_900, 8_000, 30_000]) {
      const { sent } = lookUntil(usual + 1_000, at(usual));
      const pauses = [...sent].map((one, index) => one - (sent[index - 1] ?? 0));
      expect(Math.max(...pauses)).toBeLessThanOrEqual(Math.max(500, Math.min(usual / 3, 2_000)) + STACK_PACE.close + ANSWER + 1);
    }
  });

  it('is as for any other long after the usual time, and where nothing is known', () => {
    const looked = lookUntil(9_000, at(1_000));
    const late = looked.sent.filter((one) => one > 2_000);
    for (const [index, one] of late.slice(1).entries()) expect(one - late[index]!).toBe(STACK_PACE.first + ANSWER);
    expect(lookUntil(1_100, undefined).sent).toEqual([0, 530, 1_060, 1_590]);
  });

  it('comes soon where the end was seen to be near, whenever that is usual', () => {
    const looked = lookUntil(2_300, at(8_000), 1_900);
    expect(looked.seen - 2_300, looked.sent.join(' ')).toBeLessThanOrEqual(250);
  });
});
