import { describe, expect, test } from 'vitest';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, singleFileVnfd, smallestPackage, VNFD_ID, type PackageFiles } from '../testing/package-factory.js';

const FILE = 'Definitions/top.yaml';
const TRANSLATED: PackageFiles = { 'BaseHOT/default/top.yaml': undefined };

async function read(vnfd: string, more = TRANSLATED) {
  const { model, warnings } = await readVnfPackage(await csarOf(smallestPackage({ [FILE]: vnfd, ...more })));
  return { model, told: warnings.map(({ code, subject, reason }) => `${code} ${subject}: ${reason}`) };
}
const told = async (vnfd: string, more?: PackageFiles) => (await read(vnfd, more)).told;
const unused = (node: string, reason: string) => `vnfd.unused ${FILE}, ${node}: ${reason}`;
const cp = (rest: string) => singleFileVnfd({ nodes: `    CP2: { type: tosca.nodes.nfv.VduCp, ${rest} }` });
const rule = (targets: string) =>
  `    - apart: { type: tosca.policies.nfv.AntiAffinityRule, properties: { scope: nfvi_node }, targets: ${targets} }\n`;

describe('a property that says no', () => {
  test.each([
    ['port_security_enabled: false', 'VduCp: port_security_enabled is left out: nothing reads it'],
    ['port_security_enabled: no', 'VduCp: port_security_enabled is left out: nothing reads it'],
    ['vnic_typ: off', 'VduCp: vnic_typ is left out: nothing reads it; is "vnic_type" meant?'],
  ])('is warned of as one that says something is, where nothing reads it: %s', async (property, reason) => {
    const vnfd = cp(`properties: { ${property} }, requirements: [ { virtual_binding: VDU1 } ]`);
    expect(await told(vnfd)).toEqual([`translation.left-out ${FILE}, CP2: ${reason}`]);
  });
});

describe('a key that TOSCA has and nothing reads', () => {
  test.each([
    ['copy: VDU1_CP1', 'node template: copy is left out: nothing reads it'],
    ['directives: [ substitute ]', 'node template: directives is left out: nothing reads it'],
    ['attributes: { a: b }', 'node template: attributes is left out: nothing reads it'],
    ['propertys: { order: 1 }', 'node template: propertys is left out: nothing reads it; is "properties" meant?'],
  ])('is warned of at a node: %s', async (key, reason) => {
    expect(await told(cp(`${key}, requirements: [ { virtual_binding: VDU1 } ]`))).toEqual([
      `translation.left-out ${FILE}, CP2: ${reason}`,
    ]);
  });

  test('is warned of at a policy, and of a topology', async () => {
    const policies = rule('[ VDU1 ]').replace('apart: {', 'apart: { triggers: { t: { event: e } },');
    const vnfd = `${singleFileVnfd({ policies })}  outputs: { a: { value: b } }\n`;
    expect(await told(vnfd)).toEqual([
      `translation.left-out ${FILE}, apart: policy: triggers is left out: nothing reads it`,
      unused('outputs', 'nothing reads "outputs" of topology_template'),
    ]);
  });
});

describe('what is said a second time, and once is read', () => {
  test('is a second node of the VNF', async () => {
    const nodes = `    VNF2: { type: tosca.nodes.nfv.VNF, properties: { descriptor_id: ${VNFD_ID} } }`;
    expect(await told(singleFileVnfd({ nodes }), {})).toEqual([
      unused('VNF2', 'is a second node of the VNF: "VNF" is read alone'),
    ]);
  });

  test('is a flavour’s name on the node that substitution_mappings say otherwise, unless the type has it', async () => {
    const vnfd = singleFileVnfd().replace('{ descriptor_id', '{ flavour_id: small, descriptor_id');
    const reason = 'flavour_id is "small", and substitution_mappings say "default": that is the flavour\'s name';
    expect(await told(vnfd, {})).toEqual([unused('VNF', reason)]);
    const byType = singleFileVnfd()
      .replace('    VNF:\n      type: tosca.nodes.nfv.VNF', '    VNF:\n      type: mine.VNF')
      .replace(
        'topology_template:',
        'node_types: { mine.VNF: { derived_from: tosca.nodes.nfv.VNF, properties: { flavour_id: { type: string, default: small } } } }\ntopology_template:',
      );
    expect(await told(byType, {})).toEqual([]);
  });

  test('is a second VDU of a connection point', async () => {
    const vnfd = cp('requirements: [ { virtual_binding: VDU1 }, { virtual_binding: VDU2 } ]');
    const reason = 'has 2 requirements virtual_binding: "VDU1" is read alone, make a node for each';
    expect(await told(vnfd, {})).toEqual([unused('CP2', reason)]);
  });
});

describe('what nothing refers to', () => {
  test('is a mapping to no connection point, and one by TOSCA 1.3’s longer form is read', async () => {
    const mapped = (target: string) =>
      cp('requirements: [ { virtual_binding: VDU1 }, { virtual_link: inside } ]')
        .replace('  node_templates:', `    requirements: { outside: ${target} }\n  node_templates:`)
        .concat('    inside: { type: tosca.nodes.nfv.VnfVirtualLink }\n');
    const external = async (vnfd: string) =>
      (await read(vnfd, {})).model.flavours[0]?.cps.filter((each) => each.external).map(({ id }) => id);
    expect(await external(mapped('[ CP2, virtual_link ]'))).toEqual(['VDU1_CP1', 'CP2']);
    expect(await external(mapped('{ mapping: [ CP2, virtual_link ] }'))).toEqual(['VDU1_CP1', 'CP2']);
    expect(await told(mapped('[ CP3, virtual_link ]'), {})).toEqual([
      unused('substitution_mappings', 'a requirement is mapped to "CP3", which is no connection point of the flavour'),
    ]);
  });

  test('is a connection point without a VDU, and a storage that no VDU has', async () => {
    expect(await told(cp('properties: { order: 1 }'))).toEqual([
      unused('CP2', 'no virtual_binding says whose it is: its port is made, and no server has it'),
    ]);
    const nodes =
      '    disk: { type: tosca.nodes.nfv.Vdu.VirtualBlockStorage, properties: { virtual_block_storage_data: { size_of_storage: 1 GB } } }';
    expect(await told(singleFileVnfd({ nodes }))).toEqual([
      unused('disk', 'no VDU has it among its requirements virtual_storage: no volume is made of it'),
    ]);
    expect(await told(singleFileVnfd({ nodes }), {})).toEqual([]);
  });

  test('is a group that no policy is for, a member that is not there, and what a group has besides', async () => {
    const group = (rest: string) => `  groups: { g: { type: tosca.groups.nfv.PlacementGroup, ${rest} } }\n`;
    const vnfd = singleFileVnfd({ policies: rule('[ g ]') });
    expect(await told(vnfd + group('members: [ VDU1 ], properties: { description: a }'))).toEqual([]);
    expect(await told(vnfd + group('members: [ VDU1, VDU9 ], member: [ VDU1 ], properties: { colour: red }'))).toEqual([
      unused('g', 'has the member "VDU9", which the flavour does not define'),
      unused('g', 'nothing reads "member" of a group: is "members" meant?'),
      unused('g', 'nothing reads the property "colour" of a group'),
    ]);
    expect(await told(singleFileVnfd() + group('members: [ VDU1 ]'))).toEqual([
      unused('g', 'no policy has it among its targets: nothing comes of the group'),
    ]);
  });

  test('is a VDU of which no instance is ever made', async () => {
    const vnfd = singleFileVnfd().replace(
      '        sw_image_data',
      '        vdu_profile: { min_number_of_instances: 0, max_number_of_instances: 3 }\n        sw_image_data',
    );
    expect(await told(vnfd)).toEqual([
      expect.stringContaining(`vnfd.no-instances ${FILE}, VDU1: nothing ever makes an instance of it`),
    ]);
  });
});

describe('an image', () => {
  const withImage = (said: string) => {
    const image = `{ name: c, version: 1, checksum: { algorithm: sha-256, hash: ${'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'.slice(0, 64)} }, container_format: bare, disk_format: qcow2, min_disk: 0 B, size: 0 B }`;
    return singleFileVnfd({
      vdu: `      properties: { sw_image_data: ${image.replace(...(said.split(' -> ') as [string, string]))} }
      artifacts: { sw: ../Files/c.img }
      capabilities:
        virtual_compute: { properties: { requested_additional_capabilities: { m1: { requested_additional_capability_name: m1.tiny } } } }`,
    });
  };
  test.each([
    ['disk_format: qcow2 -> disk_format: qcow3', 'image.unknown-format', 'sw_image_data has the disk_format "qcow3"'],
    ['container_format: bare -> container_format: box', 'image.unknown-format', 'has the container_format "box"'],
    ['sha-256 -> md5', 'image.checksum-unread', 'sw_image_data gives a hash by md5, which is not compared'],
  ])('that Glance may refuse, or whose hash nobody compares, is warned of: %s', async (change, code, reason) => {
    const warnings = await told(withImage(change), { ...TRANSLATED, 'Files/c.img': 'bytes' });
    expect(warnings.find((each) => each.startsWith(code))).toContain(reason);
  });
});

test('a storage that is required twice is one volume', async () => {
  const vdu = `      properties:
        sw_image_data:
          { name: c, version: 1, checksum: { algorithm: sha-256, hash: 00 }, container_format: bare, disk_format: qcow2, min_disk: 0 B, size: 1 B }
      requirements: [ { virtual_storage: disk }, { virtual_storage: disk } ]
      capabilities:
        virtual_compute: { properties: { requested_additional_capabilities: { m1: { requested_additional_capability_name: m1.tiny } } } }`;
  const nodes =
    '    disk: { type: tosca.nodes.nfv.Vdu.VirtualBlockStorage, properties: { virtual_block_storage_data: { size_of_storage: 1 GB } } }';
  const { model } = await read(singleFileVnfd({ vdu, nodes }));
  const text = model.flavours[0]?.baseHot?.files['vdu-VDU1.yaml']?.text ?? '';
  expect(text.match(/volume_id/g)).toHaveLength(1);
});
