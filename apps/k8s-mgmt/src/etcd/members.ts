import { TransientError } from '@windlass/foundation';
import type { Voter } from './quorum.js';

/** A member of etcd, as the others see it. */
export interface EtcdMember extends Voter {
  /** As etcdctl takes it: hexadecimal. */
  id: string;
  /** The URL at which the member answers clients; empty before its first start. */
  clientUrls: readonly string[];
  leads: boolean;
}

interface RawMember {
  ID: bigint;
  peerURLs: string[];
  clientURLs?: string[];
  isLearner?: boolean;
}

interface RawStatus {
  Status: { header: { member_id: bigint }; leader?: bigint };
}

/**
 * The members by `etcdctl member list -w json`, with what they say of themselves by `endpoint status -w json`. A member is known by the address at
 * which its peers reach it. Its name is that of a node, and an earlier node may have had the same name.
 */
export function membersOf(list: string, status: string): EtcdMember[] {
  const { members } = parse(list) as { members: RawMember[] };
  const says = new Map(
    (status.trim() === '' ? [] : (parse(status) as RawStatus[])).map(({ Status: of }) => [of.header.member_id, of]),
  );
  const led = [...says.values()].some(({ leader = 0n }) => leader !== 0n);
  return members.map(({ ID, peerURLs, clientURLs = [], isLearner = false }) => {
    const leader = says.get(ID)?.leader ?? 0n;
    return {
      id: ID.toString(16),
      address: hostOf(peerURLs[0] ?? ''),
      clientUrls: clientURLs,
      voting: !isLearner,
      // A member that knows no leader while others know one is cut off; where no member knows one, an election may be under way.
      healthy: says.has(ID) && (leader !== 0n || !led),
      leads: leader === ID,
    };
  });
}

/** One client URL of each member in a member list; a member that has never started has no URL. */
export const clientUrlsOf = (list: string): string[] =>
  (parse(list) as { members: RawMember[] }).members.flatMap(({ clientURLs = [] }) => clientURLs.slice(0, 1));

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

/** A whole string, or a number of JSON; etcd's numbers are integers. A string without its closing quote goes on to the end of the text. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|-?\d[\d.eE+-]*/g;

/** etcd's ids are numbers of 64 bits, which JSON.parse would round. */
function parse(text: string): unknown {
  const quoted = text.replace(STRING_OR_NUMBER, (token) => (/^\d+$/.test(token) ? `"#${token}"` : token));
  try {
    return JSON.parse(quoted, (_, value: unknown) =>
      typeof value === 'string' && /^#\d+$/.test(value) ? BigInt(value.slice(1)) : value,
    );
  } catch (error) {
    throw new TransientError('etcd.no-answer', `etcdctl printed no JSON: ${text.slice(0, 200)}`, { cause: error });
  }
}
