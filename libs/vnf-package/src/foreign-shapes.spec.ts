import { describe, expect, test } from 'vitest';
import { readVnfPackage } from './read-vnf-package.js';
import { csarOf, singleFileVnfd, smallestPackage, type PackageFiles } from './testing/package-factory.js';

const read = async (changes: PackageFiles) => readVnfPackage(await csarOf(smallestPackage(changes)));

describe('the flavour of a VNFD that names it on the VNF node alone', () => {
  const PROPERTIES =
    'descriptor_id: b1bb0ce7-ebca-4fa7-95ed-4840d70a1177, provider: Me, product_name: Small, software_version: 1.0, descriptor_version: 1.10';
  const mapping = /  substitution_mappings:\n.*\n.*\n.*\n/;
  const onNode = (flavour: string): string => singleFileVnfd({ vnfProperties: `{ ${PROPERTIES}, flavour_id: ${flavour} }` });
  const flavoursOf = async (vnfd: string, more: PackageFiles = {}) =>
    (await read({ 'Definitions/top.yaml': vnfd, ...more })).model.flavours;

  test('is taken from there, with mappings that do not say it and without any', async () => {
    const empty = onNode('default').replace('    properties:\n      flavour_id: default\n', '');
    for (const vnfd of [empty, onNode('default').replace(mapping, '')]) {
      const [flavour, other] = await flavoursOf(vnfd);
      expect(other).toBeUndefined();
      expect(flavour).toMatchObject({ id: 'default', cps: [{ id: 'VDU1_CP1', external: true }] });
      expect(flavour!.baseHot!.top.path).toBe('BaseHOT/default/top.yaml');
    }
  });

  test('is the default of the node’s type, or of the input that it takes', async () => {
    const typed = singleFileVnfd()
      .replace(mapping, '')
      .replace('    VNF:\n      type: tosca.nodes.nfv.VNF', '    VNF:\n      type: mine.VNF')
      .replace(
        'topology_template:',
        'node_types: { mine.VNF: { derived_from: tosca.nodes.nfv.VNF, properties: { flavour_id: { type: string, default: big } } } }\ntopology_template:',
      );
    expect(await flavoursOf(typed)).toMatchObject([{ id: 'big' }]);
    const taken = onNode('{ get_input: selected_flavour }')
      .replace(mapping, '')
      .replace('  node_templates:', '  inputs: { selected_flavour: { type: string, default: small } }\n  node_templates:');
    expect(await flavoursOf(taken)).toMatchObject([{ id: 'small' }]);
    const without = taken.replace(', default: small', '');
    await expect(flavoursOf(without)).rejects.toMatchObject({
      code: 'vnfd.no-flavour',
      message: expect.stringContaining('or of the node of the VNF') as string,
    });
  });

  test.each([
    ['a filter', 'substitution_filter: { properties: [ { flavour_id: { equal: small } } ] }'],
    ['a filter with a list', 'substitution_filter: { properties: [ { flavour_id: [ { equal: small } ] } ] }'],
    ['the input that it is mapped to', 'properties: { flavour_id: [ selected_flavour ] }'],
  ])('is, in a file of TOSCA 1.3, what substitution_mappings say by %s', async (_, said) => {
    const vnfd = onNode('{ get_input: selected_flavour }')
      .replace('    properties:\n      flavour_id: default\n', `    ${said}\n`)
      .replace('  node_templates:', '  inputs: { selected_flavour: { type: string, default: small } }\n  node_templates:')
      .replace(said.startsWith('substitution_filter') ? ', default: small' : '#', '');
    expect(await flavoursOf(vnfd)).toMatchObject([{ id: 'small', vdus: [{ id: 'VDU1' }] }]);
  });

  test('makes no second one of a file that has the VNF’s node alone, beside files of flavours', async () => {
    const top = `tosca_definitions_version: tosca_simple_yaml_1_2
imports: [ etsi_nfv_sol001_common_types.yaml, etsi_nfv_sol001_vnfd_types.yaml, small.yaml, big.yaml ]
topology_template:
  inputs: { selected_flavour: { type: string, default: small } }
  node_templates:
    VNF: { type: tosca.nodes.nfv.VNF, properties: { ${PROPERTIES}, flavour_id: { get_input: selected_flavour } } }
`;
    const more = {
      'Definitions/small.yaml': onNode('small').replace(mapping, ''),
      'Definitions/big.yaml': onNode('big').replace(mapping, ''),
    };
    expect((await flavoursOf(top, more)).map(({ id, file }) => `${id} ${file}`).sort()).toEqual([
      'big Definitions/big.yaml',
      'small Definitions/small.yaml',
    ]);
  });
});

describe('an image of which its artifact says all', () => {
  const HASH = 'ab'.repeat(32);
  const FULL = `name: mine, version: '7', checksum: { algorithm: sha-256, hash: ${HASH} }, container_format: BARE, disk_format: QCOW2, min_disk: 2 GB, min_ram: 512 MB, size: 1 GB`;
  const vdu = (
    properties: string,
    data = '',
  ): string => `${data === '' ? '' : `      properties: { sw_image_data: { ${data} } }\n`}      artifacts:
        sw_image: { type: tosca.artifacts.nfv.SwImage, file: ../Files/i.img, properties: { ${properties} } }
      capabilities:
        virtual_compute: { properties: { requested_additional_capabilities: { m1: { requested_additional_capability_name: m1.tiny } } } }`;
  const imageOf = async (text: string) =>
    (await read({ 'Definitions/top.yaml': singleFileVnfd({ vdu: text }) })).model.flavours[0]!.vdus[0]!.image;

  test('is read from the artifact’s properties', async () => {
    expect(await imageOf(vdu(FULL))).toEqual({
      name: 'mine',
      version: '7',
      checksum: { algorithm: 'sha-256', hash: HASH },
      containerFormat: 'bare',
      diskFormat: 'qcow2',
      minDisk: 2e9,
      minRam: 512e6,
      size: 1e9,
      file: { kind: 'member', path: 'Files/i.img', present: false },
    });
  });

  test.each([
    ['a hash alone', HASH, { algorithm: 'sha-256', hash: HASH }],
    ['a map with one entry', `{ first: { algorithm: sha-512, hash: cd } }`, { algorithm: 'sha-512', hash: 'cd' }],
  ])('may have its checksum as %s', async (_what, checksum, expected) => {
    expect((await imageOf(vdu(FULL.replace(/checksum: \{.*?\}/, `checksum: ${checksum}`))))?.checksum).toEqual(expected);
  });

  test('may be said in both places, each its part', async () => {
    expect(await imageOf(vdu('min_disk: 3 GB, name: mine', FULL.replace('min_disk: 2 GB, ', '')))).toMatchObject({
      name: 'mine',
      minDisk: 3e9,
      minRam: 512e6,
    });
  });

  test.each([
    ['two things are said', vdu('min_disk: 3 GB', FULL), /sw_image_data\.min_disk says another thing than the artifact/],
    ['nothing is said', vdu(''), /sw_image_data is missing beside the artifact "sw_image", whose properties do not say it/],
    ['a property is missing', vdu(FULL.replace("version: '7', ", '')), /artifacts\.sw_image\.properties\.version is missing/],
    ['a size has no unit', vdu(FULL.replace('2 GB', '2')), /artifacts\.sw_image\.properties\.min_disk should be a size/],
    ['a hash is none', vdu(FULL.replace(/checksum: \{.*?\}/, 'checksum: xyz')), /checksum should be a map of algorithm and hash/],
  ])('is refused by its place where %s', async (_what, text, words) => {
    await expect(imageOf(text)).rejects.toThrow(words);
  });
});

describe('templates in one folder', () => {
  const fixed = smallestPackage()['BaseHOT/default/top.yaml'] as string;
  const naming = (name: string): string =>
    `heat_template_version: 2013-05-23\nparameters: { nfv: { type: json } }\nresources: { all: { type: ${name}, properties: { nfv: { get_param: nfv } } } }\n`;
  const topOf = async (files: PackageFiles) => {
    const { model, warnings } = await read({ 'BaseHOT/default/top.yaml': undefined, ...files });
    const codes = warnings.map(({ code }) => code);
    return { path: model.flavours[0]!.baseHot!.top.path, severalTops: codes.includes('base-hot.several-tops'), codes };
  };

  test.each([
    ['a-nested.yaml', 'z-top.yaml'],
    ['z-nested.yaml', 'a-top.yaml'],
  ])('are told apart by who names whom: %s, %s', async (nested, top) => {
    const files = { [`BaseHOT/default/${nested}`]: fixed, [`BaseHOT/default/${top}`]: naming(nested) };
    expect(await topOf(files)).toMatchObject({ path: `BaseHOT/default/${top}`, severalTops: false });
  });

  test('may name each other over two levels, and by a path', async () => {
    const files = {
      'BaseHOT/default/a.yaml': fixed,
      'BaseHOT/default/b.yaml': naming('./a.yaml'),
      'BaseHOT/default/c.yaml': naming('b.yaml'),
    };
    expect(await topOf(files)).toMatchObject({ path: 'BaseHOT/default/c.yaml', severalTops: false });
  });

  test('may have a file beside them that is none, which is warned of', async () => {
    const files = { 'BaseHOT/default/env.yaml': 'parameters: { size: 1 }\n', 'BaseHOT/default/top.yaml': fixed };
    expect(await topOf(files)).toMatchObject({ path: 'BaseHOT/default/top.yaml', severalTops: false });
    expect((await topOf(files)).codes).toContain('base-hot.no-template');
  });

  test('that no other names are warned of, and those that name each other are refused', async () => {
    const two = { 'BaseHOT/default/a.yaml': fixed, 'BaseHOT/default/b.yaml': fixed };
    expect(await topOf(two)).toMatchObject({ path: 'BaseHOT/default/a.yaml', severalTops: true });
    const loop = { 'BaseHOT/default/a.yaml': naming('b.yaml'), 'BaseHOT/default/b.yaml': naming('a.yaml') };
    await expect(topOf(loop)).rejects.toThrow('is part of itself');
  });
});
