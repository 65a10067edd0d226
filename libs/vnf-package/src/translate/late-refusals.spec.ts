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
