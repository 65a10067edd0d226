import { describe, expect, it } from 'vitest';
import { passage, type Peer } from './rule-arithmetic.js';
import type { Flow, SecurityRule } from './vim-needs.js';

const ssh: Flow = { name: 'tcp-22', what: 'SSH', protocol: 'tcp', min: 22, max: 22, direction: 'ingress', peer: 'outside', ports: [], peers: [], required: true }; // prettier-ignore
const kubelet: Flow = { ...ssh, min: 10_250, max: 10_255, peer: 'nodes' };
const vrrp: Flow = {
  name: 'vrrp',
  what: 'VRRP',
  protocol: '112',
  direction: 'ingress',
  peer: 'nodes',
  ports: [],
  peers: [],
  required: true,
};
const icmp: Flow = { ...vrrp, name: 'icmp', protocol: 'icmp' };
const rule = (more: Partial<SecurityRule> = {}): SecurityRule => ({ direction: 'ingress', ethertype: 'IPv4', ...more });
const tcp = (min?: number, max = min, more: Partial<SecurityRule> = {}): SecurityRule =>
  rule({ protocol: 'tcp', min, max, ...more });
const node: Peer = { groups: ['nodes'], cidrs: ['10.10.0.0/24'] };

describe('whether security group rules let a flow pass', () => {
  const cases: [string, Flow, SecurityRule[], Peer[], 'all' | 'some' | 'none'][] = [
    ['no rule at all', ssh, [], [], 'none'],
    ['a rule for the port', ssh, [tcp(22)], [], 'all'],
    ['a rule for all of TCP', ssh, [tcp()], [], 'all'],
    ['a rule for any protocol', ssh, [rule()], [], 'all'],
    ['a rule by protocol number', ssh, [rule({ protocol: '6', min: 22, max: 22 })], [], 'all'],
    ['a rule for another port', ssh, [tcp(23)], [], 'some'],
    ['a rule for UDP', ssh, [rule({ protocol: 'udp', min: 22, max: 22 })], [], 'none'],
    ['a rule for IPv6', ssh, [tcp(22, 22, { ethertype: 'IPv6' })], [], 'none'],
    ['a rule for what goes out', ssh, [tcp(22, 22, { direction: 'egress' })], [], 'none'],
    ['any address, written as a prefix', ssh, [tcp(22, 22, { prefix: '0.0.0.0/0' })], [], 'all'],
    ['some addresses, and who asks is not known', ssh, [tcp(22, 22, { prefix: '10.0.0.0/8' })], [], 'some'],
    ['some addresses, and who asks is among them', ssh, [tcp(22, 22, { prefix: '10.0.0.0/8' })], [{ groups: [], cidrs: ['10.9.8.7'] }], 'all'],
    ['some addresses, and who asks is not', ssh, [tcp(22, 22, { prefix: '10.0.0.0/8' })], [{ groups: [], cidrs: ['11.0.0.1'] }], 'some'],
    ['two ranges that meet', kubelet, [tcp(10_250, 10_252), tcp(10_253, 10_255)], [node], 'all'],
    ['two ranges that overlap, in any order', kubelet, [tcp(10_252, 10_300), tcp(10_000, 10_252)], [node], 'all'],
    ['two ranges with a gap', kubelet, [tcp(10_250, 10_252), tcp(10_254, 10_255)], [node], 'some'],
    ['a group that the peers are in', kubelet, [rule({ remoteGroup: 'nodes' })], [node], 'all'],
    ['a group that they are not in', kubelet, [rule({ remoteGroup: 'others' })], [node], 'some'],
    ['a group that one of two is not in', kubelet, [rule({ remoteGroup: 'nodes' })], [node, { groups: ['masters'], cidrs: [] }], 'some'],
    ['a prefix that holds the peers’ subnet', kubelet, [tcp(10_250, 10_255, { prefix: '10.10.0.0/16' })], [node], 'all'],
    ['a prefix that holds half of it', kubelet, [tcp(10_250, 10_255, { prefix: '10.10.0.0/25' })], [node], 'some'],
    ['a prefix, and the subnet is not known', kubelet, [tcp(10_250, 10_255, { prefix: '10.0.0.0/8' })], [{ groups: [], cidrs: [] }], 'some'],
    ['half by a group and half by a prefix', kubelet, [tcp(10_250, 10_251, { remoteGroup: 'nodes' }), tcp(10_252, 10_255, { prefix: '10.10.0.0/24' })], [node], 'all'],
    ['members of an address group', kubelet, [rule({ addressGroup: 'a' })], [node], 'some'],
    ['VRRP by its name', vrrp, [rule({ protocol: 'vrrp' })], [node], 'all'],
    ['VRRP by its number', vrrp, [rule({ protocol: '112' })], [node], 'all'],
    ['all of TCP for VRRP', vrrp, [tcp()], [node], 'none'],
    ['all of ICMP', icmp, [rule({ protocol: 'icmp' })], [node], 'all'],
    ['ICMP of one type', icmp, [rule({ protocol: 'icmp', min: 8 })], [node], 'some'],
  ]; // prettier-ignore

  it.each(cases)('%s', (_title, flow, rules, peers, passes) => {
    expect(passage(rules, flow, peers).passes).toBe(passes);
  });

  it('says what passes where it is not all', () => {
    const rules = [tcp(10_250, 10_252, { prefix: '10.0.0.0/8' }), rule({ remoteGroup: 'others' })];
    expect(passage(rules, kubelet, [node]).only).toEqual(['10250-10252 from 10.0.0.0/8', 'all from members of group others']);
  });
});
