import { describe, expect, test } from 'vitest';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, singleFileVnfd, smallestPackage } from '../testing/package-factory.js';

const read = (vnfd: string) =>
  csarOf(smallestPackage({ 'Definitions/top.yaml': vnfd, 'BaseHOT/default/top.yaml': undefined })).then((csar) =>
    readVnfPackage(csar),
  );
const rule = (properties: string) =>
  singleFileVnfd({
    policies: `    - rule: { type: tosca.policies.nfv.SecurityGroupRule, properties: { ${properties} }, targets: [ VDU1_CP1 ] }\n`,
  });
const port = (properties: string) =>
  singleFileVnfd({
    nodes: `    CP2: { type: tosca.nodes.nfv.VduCp, properties: { ${properties} }, requirements: [ { virtual_binding: VDU1 } ] }`,
  });
const link = (l3: string) =>
  singleFileVnfd({
    nodes: `    inside: { type: tosca.nodes.nfv.VnfVirtualLink, properties: { vl_profile: { virtual_link_protocol_data: [ { l3_protocol_data: { ${l3} } } ] } } }`,
  });
const pool = (rest: string) => link(`cidr: 10.0.0.0/24, ip_allocation_pools: [ { start_ip_address: ${rest} } ]`);
const mtu = (bytes: string, version = 'ipv4') =>
  singleFileVnfd({
    nodes: `    inside: { type: tosca.nodes.nfv.VnfVirtualLink, properties: { vl_profile: { virtual_link_protocol_data: [ { l2_protocol_data: { mtu: ${bytes} }, l3_protocol_data: { ip_version: ${version}, cidr: '${version === 'ipv4' ? '10.0.0.0/24' : 'fd00:1::/64'}' } } ] } } }`,
  });

describe('what Neutron would refuse in the middle of an instantiation', () => {
  test.each([
    [rule('direction: inbound'), 'direction should be ingress or egress, is "inbound"'],
    [rule('ether_type: ipv5'), 'ether_type should be ipv4 or ipv6, is "ipv5"'],
    [rule('port_range_max: 70000'), 'port_range_max should be a port, 0 to 65535, is 70000'],
    [rule('port_range_min: -1'), 'port_range_min should be a port, 0 to 65535, is -1'],
    [rule('port_range_min: 80, port_range_max: 22'), 'port_range_max is 22, below port_range_min, which is 80'],
    [port('vnic_type: sriov'), 'vnic_type should be normal, virtio, direct,'],
    [port('allowed_address_pairs: [ { ip_address: 300.1.2.3 } ]'), 'ip_address should be an IP address, is "300.1.2.3"'],
    [port('allowed_address_pairs: [ { ip_address: 10.0.0.0/33 } ]'), 'ip_address should be a range of IP addresses'],
    [link('ip_version: ipv4, cidr: 10.0.0.0'), 'cidr should be a range of IPv4 addresses, such as 10.0.0.0/24, is "10.0.0.0"'],
    [link('ip_version: ipv6, cidr: 10.0.0.0/24'), 'cidr should be a range of IPv6 addresses, such as fd00:1::/64'],
    [link('cidr: 10.0.0.0/24, gateway_ip: fd00::1'), 'gateway_ip should be an IPv4 address, is "fd00::1"'],
    [
      link('cidr: 10.0.0.0/24, ip_allocation_pools: [ { start_ip_address: a, end_ip_address: b } ]'),
      'start_ip_address should be an IPv4 address, is "a"',
    ],
    [pool('10.0.0.9, end_ip_address: 10.0.0.2'), 'end_ip_address is 10.0.0.2, before start_ip_address, which is 10.0.0.9'],
    [pool('10.0.0.9, end_ip_address: 10.0.1.2'), 'end_ip_address is 10.0.1.2, which is no address of 10.0.0.0/24'],
    [pool('9.255.255.255, end_ip_address: 10.0.0.2'), 'start_ip_address is 9.255.255.255, which is no address of'],
    [
      pool('10.0.0.1, end_ip_address: 10.0.0.9').replace('cidr:', 'gateway_ip: 10.0.0.5, cidr:'),
      'gateway_ip is 10.0.0.5, within the pool 10.0.0.1 to 10.0.0.9',
    ],
    [
      link(
        "ip_version: ipv6, cidr: 'fd00:1::/64', ip_allocation_pools: [ { start_ip_address: 'fd00:1::ffff', end_ip_address: 'fd00:1::10' } ]",
      ),
      'end_ip_address is fd00:1::10, before start_ip_address, which is fd00:1::ffff',
    ],
    [
      link(
        "ip_version: ipv6, cidr: 'fd00:1::/64', ip_allocation_pools: [ { start_ip_address: 'fd00:1::1', end_ip_address: 'fd00:1:0:1::192.0.2.1' } ]",
      ),
      'end_ip_address is fd00:1:0:1::192.0.2.1, which is no address of fd00:1::/64',
    ],
    [mtu('-5'), 'mtu should be 68 to 65535 bytes for IPv4, is -5'],
    [mtu('1000', 'ipv6'), 'mtu should be 1280 to 65535 bytes for IPv6, is 1000'],
    [port('allowed_address_pairs: [ { ip_address: 10.0.0.1, mac_address: zz } ]'), 'mac_address should be a MAC address'],
    [rule('protocol: tpc'), 'protocol should be a protocol such as tcp, udp or icmp, or its number (0 to 255), is "tpc"'],
    [rule('protocol: 300'), 'or its number (0 to 255), is "300"'],
    [
      singleFileVnfd().replace('properties: { requested', 'properties: { virtual_cpu: { num_virtual_cpu: 0 }, requested'),
      'num_virtual_cpu should be 1 or more, is 0',
    ],
  ])('is refused at onboarding by its place: %#', async (vnfd, reason) => {
    await expect(read(vnfd)).rejects.toMatchObject({ code: 'vnfd.invalid', message: expect.stringContaining(reason) as string });
  });

  test('is taken where it is right, in any letters', async () => {
    const { model, warnings } = await read(
      rule('direction: EGRESS, ether_type: IPv6, protocol: TCP, port_range_min: 0x16, port_range_max: 026'),
    );
    expect(warnings).toEqual([]);
    expect(model.flavours[0]?.baseHot?.top.text).toMatch(
      /direction: egress\n +ethertype: IPv6\n +protocol: tcp\n +port_range_min: 22\n +port_range_max: 22\n/,
    );
    const pairs = 'allowed_address_pairs: [ { ip_address: 10.0.0.0/24 }, { ip_address: "fd00::1" } ]';
    expect((await read(port(`vnic_type: Direct, ${pairs}`))).model.flavours[0]?.baseHot?.files['vdu-VDU1.yaml']?.text).toMatch(
      /ip_address: 10.0.0.0\/24[^]*ip_address: fd00::1[^]*binding:vnic_type: direct/,
    );
  });

  test('is taken where it is right: a pool of the range, a gateway beside it, a packet of IPv6', async () => {
    const right = [
      pool('10.0.0.2, end_ip_address: 10.0.0.254').replace('cidr:', 'gateway_ip: 10.0.0.1, cidr:'),
      link(
        "ip_version: ipv6, cidr: 'fd00:1::/64', gateway_ip: 'fd00:1::1', ip_allocation_pools: [ { start_ip_address: 'fd00:1::2', end_ip_address: 'fd00:1:0:0:ffff:ffff:ffff:ffff' } ]",
      ),
      mtu('1280', 'ipv6'),
      mtu('0'),
    ];
    for (const vnfd of right) await expect(read(vnfd)).resolves.toMatchObject({ warnings: [] });
  });

  test('keeps the ports of a protocol that stands by its number: all of TCP would be open else', async () => {
    const { model, warnings } = await read(rule('protocol: 6, port_range_min: 22, port_range_max: 22'));
    expect(warnings).toEqual([]);
    expect(model.flavours[0]?.baseHot?.top.text).toMatch(/protocol: "6"\n +port_range_min: 22\n +port_range_max: 22\n/);
  });

  test('is told of where the rule would permit more than it says', async () => {
    expect((await read(rule('protocol: icmp, port_range_min: 8, port_range_max: 0'))).warnings).toMatchObject([
      {
        code: 'translation.left-out',
        reason: 'the ports of the rule are left out, for "icmp" has none: all of the protocol is permitted',
      },
    ]);
    expect((await read(rule('protocol: icmp, port_range_min: 0, port_range_max: 65535'))).warnings).toEqual([]);
  });
});
