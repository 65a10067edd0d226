import type { Vnfc } from '@windlass/mgmt-driver';
import { expect, it } from 'vitest';
import { leavingMembers, membersOf } from './leaving-members.js';
import { groupsIn } from './predict-scaling.js';

/** A VM that Nova made in the second `server`, in a member that Heat made in the second `member`. */
const vm = (memberName: string, member: number | undefined, server: number): Vnfc =>
  ({
    aspectId: 'g',
    memberName,
    ...(member === undefined ? {} : { memberCreatedAt: `2026-01-01T00:00:0${member}Z` }),
    createdAt: `2026-01-01T00:00:0${server}Z`,
  }) as Vnfc;

const leaves = (...vnfcs: Vnfc[]): string[] =>
  leavingMembers(groupsIn(vnfcs), { g: new Set(vnfcs.map(({ memberName }) => memberName)).size - 1 }, membersOf(vnfcs), {
    leavesFirst: 'newest',
    named: [],
  }).map(({ member }) => member);

it('who leaves is foretold by the age of members, as the operation chooses, and not by that of a VM that was replaced', () => {
  expect(leaves(vm('a', 1, 9), vm('b', 2, 3))).toEqual(['b']);
  // Members of one second leave by their names, in whatever order their servers were made.
  expect(leaves(vm('a', 1, 5), vm('b', 1, 3))).toEqual(['b']);
});

it('a member of a stack that an older release has read is as old as its oldest VM', () => {
  expect(leaves(vm('a', undefined, 2), vm('b', undefined, 9), vm('b', undefined, 1))).toEqual(['a']);
});
