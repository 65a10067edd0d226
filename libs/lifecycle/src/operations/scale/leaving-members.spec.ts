import { describe, expect, it } from 'vitest';
import { leavingMembers, requireNamed } from './leaving-members.js';
import type { SurveyedMember } from '../../stack/resize-actions.js';

const member = (name: string, second: number, failed = false): SurveyedMember => ({
  name,
  createdAt: `2026-01-01T00:00:0${second}Z`,
  failed,
});
const known = (...names: string[]) => names.map((name) => ({ group: 'g', member: name }));
const leave = (
  members: SurveyedMember[],
  size: number,
  of = known('a', 'b', 'c'),
  leavesFirst: 'newest' | 'oldest' = 'newest',
  named = known(),
) => leavingMembers([{ name: 'g', members }], { g: size }, of, { leavesFirst, named }).map((each) => each.member);

describe('the members that leave', () => {
  const three = [member('b', 2), member('a', 1), member('c', 3)];

  it('are the newest, or the oldest where that is asked for', () => {
    expect(leave(three, 2)).toEqual(['c']);
    expect(leave(three, 1)).toEqual(['c', 'b']);
    expect(leave(three, 1, undefined, 'oldest')).toEqual(['a', 'b']);
  });

  it('are the same however the members are listed, also those of one second', () => {
    const same = [member('a', 1), member('c', 1), member('b', 1)];
    expect(leave(same, 1)).toEqual(['c', 'b']);
    expect(leave([...same].reverse(), 1)).toEqual(['c', 'b']);
  });

  it('are failed ones before all others, the oldest of them first, for Heat takes those first by itself', () => {
    const broken = [member('a', 1), member('b', 2, true), member('c', 3, true), member('d', 4)];
    expect(leave(broken, 3, known('a', 'b', 'c', 'd'))).toEqual(['b']);
    expect(leave(broken, 1, known('a', 'b', 'c', 'd'))).toEqual(['b', 'c', 'd']);
  });

  it('are those that are named before all that nobody named, though they are neither the newest nor unknown', () => {
    expect(leave(three, 2, undefined, 'newest', known('a'))).toEqual(['a']);
    expect(leave(three, 1, undefined, 'newest', known('a'))).toEqual(['a', 'c']);
    expect(leave(three, 1, known('a', 'b'), 'oldest', known('b'))).toEqual(['b', 'c']);
  });

  it('are not others in the place of one that is named: such a scaling is refused, and says why', () => {
    const broken = [member('a', 1), member('b', 2, true)];
    const groups = [{ name: 'g', members: broken }];
    const leaving = known(...leave(broken, 1, undefined, 'newest', known('a')));
    expect(() => requireNamed(known('a'), leaving, groups)).toThrow('Heat holds b for failed');
    expect(() => requireNamed(known('c'), leaving, groups)).toThrow('not in the stack any more');
    expect(() => requireNamed(known('b'), leaving, groups)).not.toThrow();
  });

  it('are those that the instance does not know before the ones it does', () => {
    expect(leave(three, 2, known('a', 'c'))).toEqual(['b']);
  });

  it('are none where the group grows, stays, or is not ours', () => {
    expect(leave(three, 4)).toEqual([]);
    expect(leave(three, 3)).toEqual([]);
    expect(leavingMembers([{ name: 'other', members: three }], { g: 1 }, [], { leavesFirst: 'newest', named: [] })).toEqual([]);
  });
});
