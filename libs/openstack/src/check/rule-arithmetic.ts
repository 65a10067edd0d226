import { contains } from './address-ranges.js';
import type { Flow, SecurityRule } from './vim-needs.js';

/** Who is at the other end of a flow. */
export interface Peer {
  /** Security groups of its port: ids, or names of a template's. */
  groups: readonly string[];
  /** Where its address comes from. */
  cidrs: readonly string[];
}

/** How much of a flow the rules let pass. `some`: from some addresses, or some of the ports. */
export interface Passage {
  passes: 'all' | 'some' | 'none';
  /** What passes where it is not all: `from 10.0.0.0/8`. */
  only: string[];
}

const NUMBERS: Readonly<Record<string, string>> = {
  icmp: '1',
  igmp: '2',
  tcp: '6',
  udp: '17',
  gre: '47',
  esp: '50',
  ah: '51',
  vrrp: '112',
  sctp: '132',
};

const protocolNumber = (name: string): string => NUMBERS[name.toLowerCase()] ?? name;
const WITH_PORTS = ['6', '17', '132'];

/** Rules of the flow's direction and protocol, for IPv4. */
function candidates(rules: readonly SecurityRule[], flow: Flow): SecurityRule[] {
  const wanted = protocolNumber(flow.protocol);
  return rules.filter(
    ({ direction, ethertype, protocol }) =>
      direction === flow.direction &&
      ethertype.toLowerCase() === 'ipv4' &&
      (protocol === undefined || ['any', '0', wanted].includes(protocolNumber(protocol))),
  );
}

/** Whether these rules together cover the flow's ports. A type of ICMP is not all of ICMP. */
function coversPorts(rules: readonly SecurityRule[], flow: Flow): boolean {
  if (!WITH_PORTS.includes(protocolNumber(flow.protocol))) return rules.some(({ min }) => min === undefined);
  let next = flow.min ?? 1;
  const last = flow.max ?? 65_535;
  const ranges = rules.map(({ min = 1, max = 65_535 }) => ({ min, max })).sort((one, other) => one.min - other.min);
  for (const { min, max } of ranges) if (min <= next) next = Math.max(next, max + 1);
  return next > last;
}

const fromAnywhere = ({ prefix, remoteGroup, addressGroup }: SecurityRule): boolean =>
  remoteGroup === undefined && addressGroup === undefined && (prefix === undefined || contains(prefix, '0.0.0.0/0'));

const admits = (rule: SecurityRule, peer: Peer): boolean => {
  if (fromAnywhere(rule)) return true;
  if (rule.remoteGroup !== undefined) return peer.groups.includes(rule.remoteGroup);
  const { prefix } = rule;
  return prefix !== undefined && peer.cidrs.length > 0 && peer.cidrs.every((cidr) => contains(prefix, cidr));
};

/**
 * Whether rules let a flow pass between a port that has them and its peers: all of them, as a cluster's nodes are. Rules of several groups add
 * up. Peers that are not known pass where everybody does.
 */
export function passage(rules: readonly SecurityRule[], flow: Flow, peers: readonly Peer[]): Passage {
  const fitting = candidates(rules, flow);
  const anybody = coversPorts(fitting.filter(fromAnywhere), flow);
  const each = peers.map((peer) =>
    coversPorts(
      fitting.filter((rule) => admits(rule, peer)),
      flow,
    ),
  );
  if (anybody || (each.length > 0 && each.every((passes) => passes))) return { passes: 'all', only: [] };
  const only = [...new Set(fitting.map(described))];
  return { passes: only.length === 0 ? 'none' : 'some', only };
}

/** What a rule lets pass, in words. */
function described({ direction, min, max, prefix, remoteGroup, addressGroup }: SecurityRule): string {
  const ports = min === undefined ? 'all' : min === max ? String(min) : `${min}-${max ?? ''}`;
  const way = direction === 'ingress' ? 'from' : 'to';
  const peer =
    prefix ??
    (remoteGroup !== undefined
      ? `members of group ${remoteGroup}`
      : addressGroup !== undefined
        ? `address group ${addressGroup}`
        : 'anywhere');
  return `${ports} ${way} ${peer}`;
}
