import { describe, expect, it } from 'vitest';
import { mayBeReplaced, mayLeave, mayLeaveInTurn, quorumOf, type Voter } from './quorum.js';

/** `a` votes and answers, `A` votes and does not, `a?` is a learner. */
const members = (text: string): Voter[] =>
  text.split(' ').map((word) => ({
    address: word.replace('?', '').toLowerCase(),
    voting: !word.endsWith('?'),
    healthy: word === word.toLowerCase(),
  }));

describe('the quorum of so many voting members', () => {
  it('is more than half of them', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(quorumOf)).toEqual([1, 2, 2, 3, 3, 4, 4]);
  });
});

describe('a member of etcd that is to leave', () => {
  it.each([
    ['a b c', 'a', 'without a, 2 of 2 voting members would answer, and 2 must'],
    ['A b c', 'a', 'without a, 2 of 2 voting members would answer, and 2 must'],
    ['a b', 'a', 'without a, 1 of 1 voting member would answer, and 1 must'],
    ['a b c d', 'a', 'without a, 3 of 3 voting members would answer, and 2 must'],
    ['a B c d', 'a', 'without a, 2 of 3 voting members would answer, and 2 must'],
    ['A B c d e', 'a', 'without a, 3 of 4 voting members would answer, and 3 must'],
    ['a B c d e F', 'a', 'without a, 3 of 5 voting members would answer, and 3 must'],
    ['a b c d?', 'd', 'd is a learner, which decides nothing'],
    ['a b C d?', 'd', 'd is a learner, which decides nothing'],
    ['a', 'x', 'etcd has no member at x'],
    ['A B c', 'x', 'etcd has no member at x'],
  ])('of %s may: %s', (all, leaving, why) => {
    expect(mayLeave(members(all), [leaving])).toEqual({ may: true, why });
  });

  it.each([
    ['a', 'a', "a is etcd's only voting member: what it has would be lost"],
    ['a b? c?', 'a', "a is etcd's only voting member: what it has would be lost"],
    ['a B c', 'a', 'without a, 1 of 2 voting members would answer, and 2 must: bring b back first, or take it out instead'],
    // Learners that would answer count for nothing.
    ['a B c d?', 'a', 'without a, 1 of 2 voting members would answer, and 2 must: bring b back first, or take it out instead'],
    ['a B c D e', 'a', /^without a, 2 of 4 voting members would answer, and 3 must: bring b and d back first/],
    [
      'A B c',
      'a',
      "etcd has no quorum: 1 of 3 voting members answer and 2 must, a and b do not: a can't be taken out before that is mended",
    ],
    [
      'A b',
      'a',
      "etcd has no quorum: 1 of 2 voting members answer and 2 must, a does not: a can't be taken out before that is mended",
    ],
    ['A B c d?', 'd', /^etcd has no quorum: 1 of 3/],
  ])('of %s may not: %s', (all, leaving, why) => {
    const verdict = mayLeave(members(all), [leaving]);
    expect(verdict.may).toBe(false);
    expect(verdict.why).toMatch(why);
  });
});

describe('members of etcd that are to leave', () => {
  it('may not at once, even where each of them may', () => {
    expect(mayLeave(members('a b c d e'), ['a', 'b'])).toEqual({
      may: false,
      why: "etcd's members leave one at a time, and a and b are to leave at once",
    });
    expect(mayLeave(members('a b c'), [])).toEqual({ may: true, why: 'nobody is to leave etcd' });
  });

  it('may one after another for good, but for the last of them', () => {
    expect(mayLeaveInTurn(members('a b c'), ['a', 'b']).may).toBe(true);
    expect(mayLeaveInTurn(members('a b c'), ['a', 'b', 'c'])).toMatchObject({
      may: false,
      why: "c is etcd's only voting member: what it has would be lost",
    });
  });

  it('may where the dead one goes first, and may not in another order', () => {
    expect(mayLeaveInTurn(members('a B c'), ['b', 'a']).may).toBe(true);
    expect(mayLeaveInTurn(members('a B c'), ['a', 'b'])).toMatchObject({
      may: false,
      why: expect.stringContaining('bring b back first') as string,
    });
  });

  it.each([
    ['A B c d e', 'a b', 'without a and b, 3 of 5 voting members would answer, and 3 must'],
    ['a b c d e', 'a b', 'without a and b, 3 of 5 voting members would answer, and 3 must'],
    ['a B c d e', 'a', 'without a, 3 of 5 voting members would answer, and 3 must'],
    ['A b c', 'a', 'without a, 2 of 3 voting members would answer, and 2 must'],
    ['a b c d', 'a', 'without a, 3 of 4 voting members would answer, and 3 must'],
    ['a b c', 'x', 'etcd has no member at x'],
    ['a b c d?', 'd', 'without d, 3 of 3 voting members would answer, and 2 must'],
  ])('of %s may be replaced together, %s: %s', (all, leaving, why) => {
    expect(mayBeReplaced(members(all), leaving.split(' '))).toEqual({ may: true, why });
  });

  it.each([
    ['a B c', 'a', /^without a, 1 of 3 voting members would answer, and 2 must .*heal b first/],
    ['A B c d e', 'a c', /^without a and c, 2 of 5 .*heal b first/],
    ['A B c d e', 'c', /^without c, 2 of 5 .*heal a and b first/],
    ['a b c', 'a b', /heal fewer at once/],
    ['a b', 'a', /heal fewer at once, and those that are missing first/],
    ['a', 'a', /^without a, 0 of 1/],
    ['A B C d e', 'a', /^etcd has no quorum/],
  ])('of %s may not be replaced together, %s: %s', (all, leaving, why) => {
    const verdict = mayBeReplaced(members(all), leaving.split(' '));
    expect(verdict.may).toBe(false);
    expect(verdict.why).toMatch(why);
  });

  it('may leave in any order where they may be replaced together: every set of up to six members', () => {
    for (let size = 1; size <= 6; size++) {
      for (let bits = 0; bits < 2 ** size; bits++) {
        const all = Array.from({ length: size }, (_, n): Voter => ({
          address: `m${n}`,
          voting: true,
          healthy: ((bits >> n) & 1) === 0,
        }));
        const leaving = ['m2', 'm0', 'm1'].slice(0, Math.min(3, size));
        if (!mayBeReplaced(all, leaving).may) continue;
        for (const order of [leaving, [...leaving].reverse()])
          expect(mayLeaveInTurn(all, order).may, JSON.stringify(all)).toBe(true);
      }
    }
  });

  it('never leave fewer that answer than a quorum, whoever they are: every set of up to seven members', () => {
    for (let size = 1; size <= 7; size++) {
      for (let bits = 0; bits < 4 ** size; bits++) {
        const all = Array.from({ length: size }, (_, n): Voter => {
          const kind = Math.floor(bits / 4 ** n) % 4;
          return { address: `m${n}`, voting: kind < 2 || size === 1, healthy: kind % 2 === 0 };
        });
        const { may } = mayLeave(all, ['m0']);
        const after = all.filter(({ address, voting }) => voting && address !== 'm0');
        const before = all.filter(({ voting }) => voting);
        const decides = (of: readonly Voter[]): boolean => of.filter(({ healthy }) => healthy).length > of.length / 2;
        expect(may, JSON.stringify(all)).toBe(decides(before) && decides(after));
      }
    }
  });
});
