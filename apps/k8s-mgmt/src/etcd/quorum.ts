import { listedNames } from './listed-names.js';

/** What the arithmetic needs to know of a member of etcd. */
export interface Voter {
  address: string;
  /** False of a learner, which follows and does not vote yet. */
  voting: boolean;
  /** Whether the member runs, and is connected to the other members. */
  healthy: boolean;
}

/** Whether a member may leave, and why: a sentence for a person. */
export interface Verdict {
  may: boolean;
  why: string;
}

/** How many of so many voting members have to agree. */
export const quorumOf = (voting: number): number => Math.floor(voting / 2) + 1;

/**
 * Whether the member at these addresses may leave etcd. One member leaves at a time, while etcd has a quorum, and only where the remaining members
 * that answer are a quorum of all remaining members.
 */
export function mayLeave(members: readonly Voter[], leaving: readonly string[]): Verdict {
  const [address, ...others] = leaving;
  if (address === undefined) return { may: true, why: 'nobody is to leave etcd' };
  if (others.length > 0)
    return { may: false, why: `etcd's members leave one at a time, and ${listedNames(leaving)} are to leave at once` };
  const member = members.find((each) => each.address === address);
  if (member === undefined) return { may: true, why: `etcd has no member at ${address}` };
  const voters = members.filter(({ voting }) => voting);
  const now = undecided(voters);
  if (now !== undefined) return { may: false, why: `${now}: ${address} can't be taken out before that is mended` };
  if (!member.voting) return { may: true, why: `${address} is a learner, which decides nothing` };
  const rest = voters.filter((each) => each !== member);
  if (rest.length === 0) return { may: false, why: `${address} is etcd's only voting member: what it has would be lost` };
  const silent = rest.filter(({ healthy }) => !healthy).map((each) => each.address);
  const answering = rest.length - silent.length;
  const remain = `without ${address}, ${answering} of ${rest.length} voting ${rest.length === 1 ? 'member' : 'members'} would answer`;
  const needed = quorumOf(rest.length);
  if (answering >= needed) return { may: true, why: `${remain}, and ${needed} must` };
  return { may: false, why: `${remain}, and ${needed} must: bring ${listedNames(silent)} back first, or take it out instead` };
}

/** Whether these members may leave for good, one after another in this order, so that etcd shrinks. */
export function mayLeaveInTurn(members: readonly Voter[], leaving: readonly string[]): Verdict {
  let left = [...members];
  const whys: string[] = [];
  for (const address of leaving) {
    const verdict = mayLeave(left, [address]);
    if (!verdict.may) return verdict;
    whys.push(verdict.why);
    left = left.filter((each) => each.address !== address);
  }
  return { may: true, why: whys.length === 0 ? mayLeave(left, []).why : whys.join('; then ') };
}

/**
 * Whether these members may leave, dead or alive and in any order, to be replaced once all have left. The members that stay and answer have to be a
 * quorum of the present voting members, so that etcd keeps its quorum after each step.
 */
export function mayBeReplaced(members: readonly Voter[], leaving: readonly string[]): Verdict {
  const voters = members.filter(({ voting }) => voting);
  const now = undecided(voters);
  if (now !== undefined) return { may: false, why: `${now}: nobody can be healed before that is mended` };
  const there = leaving.filter((address) => members.some((each) => each.address === address));
  if (there.length === 0) return { may: true, why: `etcd has no member at ${listedNames(leaving)}` };
  const rest = voters.filter(({ address }) => !leaving.includes(address));
  const silent = rest.filter(({ healthy }) => !healthy).map(({ address }) => address);
  const answering = rest.length - silent.length;
  const needed = quorumOf(voters.length);
  const remain = `without ${listedNames(there)}, ${answering} of ${voters.length} voting members would answer`;
  if (answering >= needed) return { may: true, why: `${remain}, and ${needed} must` };
  const remedy =
    silent.length === 0
      ? 'heal fewer at once, and those that are missing first'
      : `heal ${listedNames(silent)} first, or bring it back`;
  return { may: false, why: `${remain}, and ${needed} must until others have joined: ${remedy}` };
}

/** Why etcd can decide nothing at all now; undefined while it can. */
function undecided(voters: readonly Voter[]): string | undefined {
  const answering = voters.filter(({ healthy }) => healthy).length;
  const needed = quorumOf(voters.length);
  if (answering >= needed) return undefined;
  const silent = voters.filter(({ healthy }) => !healthy).map(({ address }) => address);
  return `etcd has no quorum: ${answering} of ${voters.length} voting members answer and ${needed} must, ${listedNames(silent)} ${silent.length === 1 ? 'does' : 'do'} not`;
}
