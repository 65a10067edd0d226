import type { Vnfc } from '@windlass/mgmt-driver';
import type { MemberName, SurveyedGroup, SurveyedMember } from './resize-actions.js';
import type { Scaling } from './scaling.js';

/**
 * Which members leave so that each group has the wanted size (ADR 15). In this order: those that Heat holds for failed, for it takes
 * them first whatever we say, the oldest of them first as it does; those that the instance does not know, which a late write of an
 * earlier operation made; then the newest, or the oldest where the request says so.
 */
export function leavingMembers(
  groups: readonly SurveyedGroup[],
  sizes: Readonly<Record<string, number>>,
  known: readonly MemberName[],
  leavesFirst: Scaling['leavesFirst'],
): MemberName[] {
  return groups.flatMap(({ name: group, members }) => {
    const size = sizes[group];
    if (size === undefined) return [];
    const isKnown = (member: string): boolean => known.some((each) => each.group === group && each.member === member);
    const rank = (member: SurveyedMember): number => (member.failed ? 0 : isKnown(member.name) ? 2 : 1);
    const byAge = (a: SurveyedMember, b: SurveyedMember): number => compare(a.createdAt, b.createdAt) || compare(a.name, b.name);
    const oldestFirst = (rankOf: number): boolean => rankOf === 0 || (rankOf === 2 && leavesFirst === 'oldest');
    const order = [...members].sort((a, b) => rank(a) - rank(b) || (oldestFirst(rank(a)) ? byAge(a, b) : byAge(b, a)));
    return order.slice(0, Math.max(0, members.length - size)).map(({ name }) => ({ group, member: name }));
  });
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The members that VNFCs stand in, each once. */
export function membersOf(vnfcs: readonly Vnfc[]): MemberName[] {
  const found = new Map<string, MemberName>();
  for (const { aspectId, memberName } of vnfcs) {
    if (aspectId !== null && memberName !== null) found.set(`${aspectId}/${memberName}`, { group: aspectId, member: memberName });
  }
  return [...found.values()];
}

/** Whether a VNFC stands in one of the members. */
export const standsIn = (members: readonly MemberName[], { aspectId, memberName }: Vnfc): boolean =>
  members.some(({ group, member }) => group === aspectId && member === memberName);
