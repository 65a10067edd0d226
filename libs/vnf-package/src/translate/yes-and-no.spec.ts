import { describe, expect, test } from 'vitest';
import { Template } from './template.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, singleFileVnfd, smallestPackage } from '../testing/package-factory.js';
import { plainYaml } from '../yaml/plain-yaml.js';

/** A package without templates: a network of its own with that member, and a port with that address. */
const nodes = (dhcp: string, floating: string, order: string) => `    inside:
      type: tosca.nodes.nfv.VnfVirtualLink
      properties:
        connectivity_type: { layer_protocols: [ ipv4 ] }
        vl_profile:
          virtual_link_protocol_data:
            - associated_layer_protocol: ipv4
              l3_protocol_data: { ip_version: ipv4, cidr: 10.77.0.0/24, dhcp_enabled: ${dhcp} }
    OUT:
      type: tosca.nodes.nfv.VduCp
      properties:
        order: ${order}
        protocol: [ { address_data: [ { l3_address_data: { floating_ip_activated: ${floating} } } ] } ]
      requirements: [ { virtual_binding: VDU1 } ]`;

async function templatesOf({ dhcp = 'true', floating = 'false', order = '1' }) {
  const files = {
    'Definitions/top.yaml': singleFileVnfd({ nodes: nodes(dhcp, floating, order) }),
    'BaseHOT/default/top.yaml': undefined,
  };
  const { model } = await readVnfPackage(await csarOf(smallestPackage(files)));
  const [flavour] = model.flavours;
  return { flavour, text: [flavour?.baseHot?.top.text, flavour?.baseHot?.files['vdu-VDU1.yaml']?.text].join('\n') };
}

describe('a truth value of a descriptor', () => {
  test.each(['no', 'No', 'off', 'OFF', 'False', 'FALSE', "'false'"])('switches off what it says: %s', async (no) => {
    const { text } = await templatesOf({ dhcp: no, floating: no });
    expect(text).toContain('enable_dhcp: false');
    expect(text).not.toContain('FloatingIP');
  });

  test.each(['yes', 'Yes', 'on', 'On', 'TRUE', "'true'"])('switches on what it says: %s', async (yes) => {
    const { text } = await templatesOf({ dhcp: yes, floating: yes });
    expect(text).toContain('enable_dhcp: true');
    expect(text).toContain('OS::Neutron::FloatingIP');
  });

  test.each(['y', 'n', '1', 'enabled', "'no'", '[ true ]', '{ on: true }'])(
    'is refused where it is none, by file and line: %s',
    async (neither) => {
      const place =
        /^Definitions\/top\.yaml: topology_template\.node_templates\.(inside|OUT)\.properties\..* should be (true or false, is|a single value).* \(line \d+\)$/;
      await expect(templatesOf({ dhcp: neither })).rejects.toThrow(place);
      await expect(templatesOf({ floating: neither })).rejects.toThrow(place);
    },
  );
});

describe('a number of a descriptor', () => {
  test.each([
    ['010', 8],
    ['0x0A', 10],
    ['1_0', 10],
    ['1:00', 60],
    ["'010'", 10],
  ])('is what YAML 1.1 makes of it: %s', async (order, means) => {
    const { flavour } = await templatesOf({ order });
    expect(flavour?.cps.find(({ id }) => id === 'OUT')?.order).toBe(means);
  });

  test('is refused where it is none, by file and line', async () => {
    await expect(templatesOf({ order: '1.5' })).rejects.toThrow(
      /^Definitions\/top\.yaml: .*OUT\.properties\.order should be a whole number, is "1.5" \(line 34\)$/,
    );
  });
});

test('sizes of a group in a template are what Heat reads: octal, with underscores, in quotes', async () => {
  const group = (size: string) => `heat_template_version: 2013-05-23
resources:
  VDU1:
    type: OS::Heat::AutoScalingGroup
    properties: { min_size: ${size}, max_size: 1_0, desired_capacity: "010", resource: { type: OS::Nova::Server } }
`;
  const { model } = await readVnfPackage(await csarOf(smallestPackage({ 'BaseHOT/default/top.yaml': group('010') })));
  expect(model.flavours[0]?.baseHot?.groups[0]).toMatchObject({
    minSize: 8,
    maxSize: 10,
    desired: { kind: 'literal', size: 10 },
  });
});

test('a text that looks like another value stays one in the templates that are made', () => {
  const texts = [
    'no',
    'y',
    '~',
    'null',
    '017',
    '0o17',
    '1:30',
    '1:30.5',
    '1_000',
    '1e3',
    '.5',
    '2013-05-23',
    'tRUE',
    '',
    '<<',
    '0x1',
    ' a',
    '- b',
    'a: b',
    '#',
  ];
  const template = new Template('d', new Set());
  template.add('r', { type: 'OS::Nova::Server', properties: { texts } });
  expect(plainYaml(template.text(), 'top.yaml')).toMatchObject({ resources: { r: { properties: { texts } } } });
});
