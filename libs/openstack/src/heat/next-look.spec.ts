import { millis, seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { nextLook } from './next-look.js';
import { STACK_PACE } from './stack-watch.js';
import { UsualTimes, type UsualTime } from './usual-times.js';

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
  it.each([1_600, 2_300, 3_900, 8_000, 30_000])('comes soon after the end of one that takes %i ms, as is usual', (usual) => {
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

  it('is not left out before the usual time: a stack that fails early is seen within two seconds', () => {
    for (const usual of [1_600, 2_300, 3_900, 8_000, 30_000]) {
      const { sent } = lookUntil(usual + 1_000, at(usual));
      const pauses = [...sent].map((one, index) => one - (sent[index - 1] ?? 0));
      expect(Math.max(...pauses)).toBeLessThanOrEqual(2_000 + STACK_PACE.close + ANSWER + 1);
    }
  });

  it('parts the time until the end is expected: none before that where it is short, one or two where it is longer', () => {
    const early = (usual: number) => lookUntil(usual, at(usual)).sent.filter((one) => one < usual - STACK_PACE.ahead);
    expect(early(1_600)).toEqual([]);
    expect(early(2_400)).toEqual([1_200]);
    expect(early(3_900)).toEqual([1_950]);
    expect(early(5_400)).toEqual([1_800, 3_630]);
  });

  it('may come four times around the end of what takes a second and a half', () => {
    const { sent } = lookUntil(1_950, at(1_600));
    expect(sent.filter((one) => one < 2_000)).toEqual([1_450, 1_630, 1_810, 1_990]);
  });

  it('is learnt by looks alone, and stays so: each end is seen soon, also when such stacks have become quicker', () => {
    const times = new UsualTimes();
    const wait = (ended: number): number => {
      const { sent, seen } = lookUntil(ended, times.of('DELETE', 1));
      times.ended('DELETE', 1, sent.length > 1 ? sent[sent.length - 2]! + ANSWER : 0, seen);
      return seen - ended;
    };
    for (const usual of [5_000, 2_300, 1_600, 900]) {
      for (let learning = 0; learning < 20; learning++) wait(usual);
      for (const off of [0, 60, -40, -200, -200, 20, 0, 40, 10, -60, -200, 30, -200, 50])
        expect(wait(usual + off), `${usual} and ${off} ms`).toBeLessThanOrEqual(250);
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
