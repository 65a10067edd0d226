import { TerminalError } from '@windlass/foundation';
import type { Vnfc } from '@windlass/mgmt-driver';
import type { MemberName, SurveyedGroup, SurveyedMember } from '../../stack/resize-actions.js';
import type { Scaling } from './scaling.js';

/**
 * Chooses the members that leave, so that each group has the wanted size (ADR 15). The order:
 * - members that Heat considers failed, the oldest first: Heat removes these first whatever we say;
 * - members that the request names;
 * - members that the instance does not know, which a late write of an earlier operation made;
 * - the newest members, or the oldest where the request says so.
 */
export function leavingMembers(
  groups: readonly SurveyedGroup[],
  sizes: Readonly<Record<string, number>>,
  known: readonly MemberName[],
  { leavesFirst, named }: Pick<Scaling, 'leavesFirst' | 'named'>,
): MemberName[] {
  return groups.flatMap(({ name: group, members }) => {
    const size = sizes[group];
    if (size === undefined) return [];
    const isOf = (list: readonly MemberName[], member: string): boolean =>
      list.some((each) => each.group === group && each.member === member);
    const rank = ({ failed, name }: SurveyedMember): number => (failed ? 0 : isOf(named, name) ? 1 : isOf(known, name) ? 3 : 2);
    const byAge = (a: SurveyedMember, b: SurveyedMember): number => compare(a.createdAt, b.createdAt) || compare(a.name, b.name);
    const oldestFirst = (rankOf: number): boolean => rankOf === 0 || (rankOf === 3 && leavesFirst === 'oldest');
    const order = [...members].sort((a, b) => rank(a) - rank(b) || (oldestFirst(rank(a)) ? byAge(a, b) : byAge(b, a)));
    return order.slice(0, Math.max(0, members.length - size)).map(({ name }) => ({ group, member: name }));
  });
}

/** Checks that all named members leave. @throws TerminalError `scale.named-stays` where the stack has changed since the request was accepted */
export function requireNamed(
  named: readonly MemberName[],
  leaving: readonly MemberName[],
  groups: readonly SurveyedGroup[],
): void {
  for (const { group, member } of named) {
    if (leaving.some((each) => each.group === group && each.member === member)) continue;
    const members = groups.find(({ name }) => name === group)?.members ?? [];
    const failed = members.filter((each) => each.failed).map(({ name }) => name);
    const why = !members.some(({ name }) => name === member)
      ? 'it is not in the stack any more'
      : failed.length > 0
        ? `Heat holds ${failed.join(', ')} for failed and would take that first: heal it before, or have it leave`
        : 'the group has fewer members than the instance says';
    throw new TerminalError(
      'scale.named-stays',
      `the request names member ${member} of ${group} to leave, and it would stay: ${why}. Nothing was done; roll the operation back, and ask anew`,
    );
  }
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
