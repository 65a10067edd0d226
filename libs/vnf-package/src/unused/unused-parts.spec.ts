import { describe, expect, test } from 'vitest';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, singleFileVnfd, smallestPackage, type PackageFiles } from '../testing/package-factory.js';

/** What is said of a VNFD, with templates beside it or without, but for what is chosen. */
async function told(vnfd: string, carried = false, more: PackageFiles = {}) {
  const files = { 'Definitions/top.yaml': vnfd, ...(carried ? {} : { 'BaseHOT/default/top.yaml': undefined }), ...more };
  const { warnings } = await readVnfPackage(await csarOf(smallestPackage(files)));
  return warnings.map(({ code, subject, reason }) => `${code} ${subject}: ${reason}`);
}
const refusedFor = async (vnfd: string) => {
  try {
    await told(vnfd);
  } catch (error) {
    return String(error);
  }
  throw new Error('was onboarded');
};

/** The smallest VDU with these properties beside. */
const vdu = (properties: string) => `      properties:
${properties}
        sw_image_data:
          { name: cirros, version: 1, checksum: { algorithm: sha-256, hash: 00 }, container_format: bare, disk_format: qcow2, min_disk: 0 B, size: 1 B }
      capabilities:
        virtual_compute: { properties: { requested_additional_capabilities: { m1: { requested_additional_capability_name: m1.tiny } } } }`;
const cp = (name: string, properties: string) => `    ${name}:
      type: tosca.nodes.nfv.VduCp
      properties: ${properties}
      requirements: [ { virtual_binding: VDU1 } ]`;
const FILE = 'Definitions/top.yaml';

describe('a property that nothing reads', () => {
  test('is warned of by its name and node, and takes effect where Heat has it: metadata', async () => {
    const nodes = cp(
      'CP2',
      '{ trunk_mode: on, protocol: [ { address_data: [ { l3_address_data: { number_of_ip_address: 2, fixed_ip_address: [ 10.10.0.77 ] } } ] } ] }',
    );
    const vnfd = singleFileVnfd({
      nodes,
      vdu: vdu('        inject_files: { source_path: a, dest_path: /b }\n        meta_data: { role: gateway, "no": "yes" }'),
    });
    expect(await told(vnfd)).toEqual([
      `translation.left-out ${FILE}, VDU1: Vdu.Compute: inject_files is left out: write files by boot_data`,
      `translation.left-out ${FILE}, CP2: VduCp: trunk_mode is left out: no trunk is made`,
      `translation.left-out ${FILE}, CP2: VduCp: protocol.address_data.l3_address_data.number_of_ip_address is left out: give addresses in extVirtualLinks of the request`,
      `translation.left-out ${FILE}, CP2: VduCp: protocol.address_data.l3_address_data.fixed_ip_address is left out: give addresses in extVirtualLinks of the request`,
    ]);
    const files = smallestPackage({ [FILE]: vnfd, 'BaseHOT/default/top.yaml': undefined });
    const { model } = await readVnfPackage(await csarOf(files));
    expect(model.flavours[0]?.baseHot?.files['vdu-VDU1.yaml']?.text).toMatch(/metadata:\n +role: gateway\n +"no": "yes"/);
  });

  test('is not warned of where it says what is so anyway', async () => {
    const nodes = cp(
      'CP2',
      '{ trunk_mode: no, protocol: [ { address_data: [ { l3_address_data: { number_of_ip_address: 1 } } ] } ] }',
    );
    expect(await told(singleFileVnfd({ nodes }))).toEqual([]);
  });

  test.each([
    [
      'properties',
      '        boot_dat: "#cloud-config"',
      'Vdu.Compute: boot_dat is left out: nothing reads it; is "boot_data" meant?',
    ],
    [
      'nested',
      '        vdu_profile: { max_number_of_instance: 3 }',
      'Vdu.Compute: vdu_profile.max_number_of_instance is left out: nothing reads it; is "max_number_of_instances" meant?',
    ],
    ['far from all', '        colour: red', 'Vdu.Compute: colour is left out: nothing reads it'],
  ])('is named with the nearest that is known: %s', async (_, properties, reason) => {
    expect(await told(singleFileVnfd({ vdu: vdu(properties) }))).toEqual([`translation.left-out ${FILE}, VDU1: ${reason}`]);
  });

  test('is told of an image and of its artifact, with templates and without: a limit that Glance would never get', async () => {
    const image = vdu('        description: a')
      .replace('min_disk: 0 B', 'min_disc: 2 GB, operating_system: linux')
      .concat('\n      artifacts: { sw: { type: tosca.artifacts.nfv.SwImage, file: cirros, properties: { min_rom: 2 GB } } }');
    for (const carried of [false, true]) {
      const code = carried ? 'vnfd.unused' : 'translation.left-out';
      expect((await told(singleFileVnfd({ vdu: image }), carried)).filter((each) => each.startsWith(code))).toEqual([
        `${code} ${FILE}, VDU1: Vdu.Compute: sw_image_data.min_disc is left out: nothing reads it; is "min_disk" meant?`,
        `${code} ${FILE}, VDU1: SwImage: sw.min_rom is left out: nothing reads it; is "min_ram" meant?`,
      ]);
    }
  });

  test('is told of boot data in the forms that no template has', async () => {
    const boot = (data: string) => told(singleFileVnfd({ vdu: vdu(`        boot_data: ${data}`) }));
    expect(await boot('"#!/bin/sh"')).toEqual([]);
    expect(await boot('{ content_or_file_data: { content: "#!/bin/sh" } }')).toEqual([]);
    const note = 'is left out: write it into content_or_file_data.content, for cloud-init';
    expect(
      await boot('{ kvp_data: { data: { a: b } }, content_or_file_data: { content: x, destination_path: /a }, kvp: a }'),
    ).toEqual([
      `translation.left-out ${FILE}, VDU1: Vdu.Compute: boot_data.kvp_data ${note}`,
      `translation.left-out ${FILE}, VDU1: Vdu.Compute: boot_data.content_or_file_data.destination_path ${note}`,
      `translation.left-out ${FILE}, VDU1: Vdu.Compute: boot_data.kvp is left out: nothing reads it`,
    ]);
  });

  test('counts as given by an input, by the default of a type of the package, and by substitution_mappings', async () => {
    const vnfd = singleFileVnfd({
      nodes: cp('CP2', '{ trunk_mode: { get_input: trunk } }').replace('tosca.nodes.nfv.VduCp', 'a.Cp'),
    })
      .replace(
        'topology_template:',
        'node_types:\n  a.Cp: { derived_from: tosca.nodes.nfv.VduCp, properties: { bitrate_requirement: { type: integer, default: 7 }, order: { default: 3 } } }\ntopology_template:\n  inputs: { trunk: { default: yes } }',
      )
      .replace('flavour_id: default', 'flavour_id: default\n      monitoring_parameters: { a: b }');
    expect(await told(vnfd)).toEqual([
      `translation.left-out ${FILE}, CP2: VduCp: bitrate_requirement is left out: no bit rate is kept`,
      `translation.left-out ${FILE}, CP2: VduCp: trunk_mode is left out: no trunk is made`,
      `translation.left-out ${FILE}, substitution_mappings: VNF: monitoring_parameters is left out: nothing is monitored`,
    ]);
    const { model } = await readVnfPackage(await csarOf(smallestPackage({ [FILE]: vnfd })));
    expect(model.flavours[0]?.cps.find(({ id }) => id === 'CP2')?.order).toBe(3);
  });

  test('is told once with its nodes, and the warnings are bounded', async () => {
    const nodes = Array.from({ length: 9 }, (_, n) => cp(`CP${n + 2}`, '{ role: root }')).join('\n');
    expect(await told(singleFileVnfd({ nodes }))).toEqual([
      `translation.left-out ${FILE}, CP2, CP3, CP4, CP5, CP6 and 4 more: VduCp: role is left out: no network has roots and leaves`,
    ]);
    const many = Array.from({ length: 3_000 }, (_, n) => `        x${n}${'y'.repeat(200)}: 1`).join('\n');
    const warnings = await told(singleFileVnfd({ vdu: vdu(many) }));
    expect(warnings).toHaveLength(41);
    expect(warnings.at(-1)).toBe(`translation.left-out ${FILE}: 2960 more of its parts are left out: remove these first`);
    expect(Math.max(...warnings.map(({ length }) => length))).toBeLessThan(1_000);
  });

  test('matters beside templates only where it looks like one that is read', async () => {
    const properties = '        inject_files: a\n        colour: red\n        vdu_profile: { max_number_of_instance: 3 }';
    expect(await told(singleFileVnfd({ vdu: vdu(properties) }), true)).toEqual([
      `vnfd.unused ${FILE}, VDU1: Vdu.Compute: vdu_profile.max_number_of_instance is left out: nothing reads it; is "max_number_of_instances" meant?`,
    ]);
  });
});

describe('a value of another kind than its property', () => {
  test.each([
    ['        vdu_profile: 3', 'vdu_profile should be a map, is a single value'],
    ['        vdu_profile: [ { min_number_of_instances: 1 } ]', 'vdu_profile should be a map, is a list'],
    ['        name: [ a ]', 'name should be a single value'],
    ['        vdu_profile: { get_input: absent }', 'vdu_profile needs the input "absent", which has no value'],
  ])('is refused with its place: %s', async (properties, reason) => {
    expect(await refusedFor(singleFileVnfd({ vdu: vdu(properties) }))).toMatch(
      new RegExp(`${FILE}: .*VDU1\\.properties\\.${reason} \\(line \\d+\\)`),
    );
  });
});

const POLICY = '- scaling: { type: tosca.policies.nfv.ScalingAspects, properties: { aspects: { a: { max_scale_level: 1 } } } }';

describe('a section in an unusual place', () => {
  test.each([true, false])('is warned of, whatever templates there are: %s', async (carried) => {
    const place = async (vnfd: string) => (await told(vnfd, carried)).filter((each) => each.startsWith('vnfd.unused'));
    const vnfd = singleFileVnfd();
    expect(
      await place(
        `${vnfd}policies: [ ${POLICY.slice(2).replace('scaling: ', 's: ')} ]\n`
          .replace('[ s:', '[ { s:')
          .replace(/\]\n$/, '} ]\n'),
      ),
    ).toEqual([
      `vnfd.unused ${FILE}, policies: nothing reads "policies" at the root of the file: move it below topology_template`,
    ]);
    expect(await place(vnfd.replace('topology_template:', 'topology_template:\n  policy: {}'))).toEqual([
      `vnfd.unused ${FILE}, policy: nothing reads "policy" of topology_template: is "policies" meant?`,
    ]);
    expect(
      await place(vnfd.replace('  substitution_mappings:', '  substitution_mappings:\n    policies: []\n    requirement: {}')),
    ).toEqual([
      `vnfd.unused ${FILE}, policies: nothing reads "policies" inside of substitution_mappings: move it to topology_template itself`,
      `vnfd.unused ${FILE}, requirement: nothing reads "requirement" of substitution_mappings: is "requirements" meant?`,
    ]);
    const inside = cp('CP2', '{ order: 1 }').replace('      requirements', '      groups: { g: {} }\n      requirements');
    expect(await place(singleFileVnfd({ nodes: inside }))).toEqual([
      `vnfd.unused ${FILE}, CP2: nothing reads "groups" inside of a node template: move it to topology_template itself`,
    ]);
    const twice = `${singleFileVnfd({ policies: `    ${POLICY}` })}  policies: []\n`;
    expect(await place(twice)).toEqual([
      expect.stringMatching(
        /^vnfd\.unused .*, policies: is given twice in one map, in line \d+ and in line \d+: the last is read alone; merge them$/,
      ),
    ]);
  });

  test('is read as a map as it is as a list', async () => {
    const vnfd = singleFileVnfd({ policies: `    ${POLICY.slice(2)}` });
    const { model, warnings } = await readVnfPackage(await csarOf(smallestPackage({ [FILE]: vnfd })));
    expect(model.flavours[0]?.scalingAspects).toHaveLength(1);
    expect(warnings).toMatchObject([{ code: 'vnfd.idle-aspect', subject: `${FILE}, a` }]);
  });

  test('is warned of in a file without a flavour', async () => {
    const other =
      'tosca_definitions_version: tosca_simple_yaml_1_2\ntopology_template:\n  policies:\n    - p: { type: tosca.policies.nfv.AffinityRule }\n';
    const vnfd = singleFileVnfd({ imports: '[ other.yaml ]' });
    expect(await told(vnfd, false, { 'Definitions/other.yaml': other })).toEqual([
      'vnfd.unused Definitions/other.yaml, policies: nothing reads "policies" of a file that defines no flavour: move them to the file whose substitution_mappings have its flavour_id',
    ]);
  });
});

describe('what nobody calls, and what has a type that nobody knows', () => {
  test('is warned of by its name', async () => {
    const vnf = `      interfaces:
        Vnflcm: { instantiate_ends: { implementation: a }, instantiate: [] }
        Extra: { start: a.sh }`;
    const nodes = `${cp('CP2', '{ order: 1 }')}\n      artifacts: { script: a.sh }\n      interfaces: { Standard: { create: a.sh } }`;
    const policies = `    - a: { type: tosca.policies.nfv.ScalingAspect }
    - b: { type: my.Policy }
  groups: { g: { type: my.Group, members: [ VDU1 ] } }`;
    expect((await told(singleFileVnfd({ vnf, nodes, policies }))).filter((each) => each.startsWith('translation'))).toEqual([
      `translation.left-out ${FILE}, a: the policy's type "tosca.policies.nfv.ScalingAspect" is left out: is "tosca.policies.nfv.ScalingAspects" meant?`,
      `translation.left-out ${FILE}, b: the policy's type "my.Policy" is left out: nothing is made from it`,
      `translation.left-out ${FILE}, g: the group's type "my.Group" is left out: nothing reads it`,
      `translation.left-out ${FILE}, VNF: nothing calls "instantiate_ends" of Vnflcm: is "instantiate_end" meant?`,
      `translation.left-out ${FILE}, VNF: the interface "Extra" is left out: only Vnflcm of the VNF's node is called`,
      `translation.left-out ${FILE}, CP2: the interface "Standard" is left out: only Vnflcm of the VNF's node is called`,
      `translation.left-out ${FILE}, CP2: the artifact "script" of the type "tosca.artifacts.Implementation.Bash" is left out: nothing reads it`,
    ]);
    expect((await told(singleFileVnfd({ vnf, policies }), true)).filter((each) => each.startsWith('vnfd.unused'))).toHaveLength(
      3,
    );
  });

  test('is a requirement, too', async () => {
    const nodes = cp('CP2', '{ order: 1 }').replace('virtual_binding: VDU1', 'virtual_bindings: VDU1');
    const vnfd = singleFileVnfd({ nodes });
    expect(await told(vnfd)).toContain(
      `translation.left-out ${FILE}, CP2: VduCp: requirements.virtual_bindings is left out: nothing reads it; is "virtual_binding" meant?`,
    );
  });
});
