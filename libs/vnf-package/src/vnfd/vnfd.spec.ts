import { processorTime } from '@windlass/foundation/testing';
import { describe, expect, test } from 'vitest';
import { bindingOf, flavourOf } from '../model/model-queries.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { kubernetesSkeleton } from '../testing/kubernetes-skeleton.js';
import { csarOf, sha256, singleFileVnfd, smallestPackage, type PackageFiles } from '../testing/package-factory.js';

const read = async (files: PackageFiles) => readVnfPackage(await csarOf(files));
const readOne = (parts: Parameters<typeof singleFileVnfd>[0], files: PackageFiles = {}) =>
  read(smallestPackage({ 'Definitions/top.yaml': singleFileVnfd(parts), ...files }));

const LEVELS = `    - levels:
        type: tosca.policies.nfv.InstantiationLevels
        properties: { levels: { small: {}, large: {} }, default_level: small }
`;

describe('a VNFD', () => {
  test('in one file is read, numbers of versions as they are written', async () => {
    const { model } = await readOne({});
    expect(model).toMatchObject({ softwareVersion: '1.0', descriptorVersion: '1.10', vnfmInfo: [] });
    expect(model.flavours[0]!.vdus[0]).toMatchObject({
      id: 'VDU1',
      flavorName: 'm1.tiny',
      image: { name: 'cirros', version: '0.5.2' },
    });
  });

  test.each([
    [
      'no VNF node',
      singleFileVnfd().replaceAll('tosca.nodes.nfv.VNF\n', 'tosca.nodes.Root\n'),
      'vnfd.no-vnf-node',
      /derived from tosca.nodes.nfv.VNF/,
    ],
    [
      'a VNF node without properties',
      singleFileVnfd({ vnfProperties: '{}' }),
      'vnfd.no-vnf-node',
      /VNF.properties.descriptor_id is missing/,
    ],
    ['no flavour', singleFileVnfd().replace('flavour_id: default', 'other: x'), 'vnfd.no-flavour', /flavour_id/],
    [
      'a default level that is none',
      singleFileVnfd({ policies: LEVELS.replace('default_level: small', 'default_level: huge') }),
      'vnfd.invalid',
      /policies.0.levels.properties.default_level is "huge"/,
    ],
    [
      'a VDU level that is none',
      singleFileVnfd({
        policies: `${LEVELS}    - vdu:\n        type: tosca.policies.nfv.VduInstantiationLevels\n        properties: { levels: { huge: { number_of_instances: 1 } } }\n        targets: [ VDU1 ]\n`,
      }),
      'vnfd.invalid',
      /levels.huge is no level/,
    ],
    [
      'a link level that is none',
      singleFileVnfd({
        policies: `${LEVELS}    - vl:\n        type: tosca.policies.nfv.VirtualLinkInstantiationLevels\n        properties: { levels: { huge: {} } }\n        targets: []\n`,
      }),
      'vnfd.invalid',
      /levels.huge is no level/,
    ],
    [
      'a level of an unknown aspect',
      singleFileVnfd({ policies: LEVELS.replace('small: {}', 'small: { scale_info: { nothing: { scale_level: 1 } } }') }),
      'vnfd.invalid',
      /aspect "nothing"/,
    ],
    [
      'a policy for an unknown VDU',
      singleFileVnfd({
        policies: `    - delta:\n        type: tosca.policies.nfv.VduInitialDelta\n        properties: { initial_delta: { number_of_instances: 1 } }\n        targets: [ VDU9 ]\n`,
      }),
      'vnfd.invalid',
      /names "VDU9"/,
    ],
    [
      'a port bound to an unknown VDU',
      singleFileVnfd().replace('virtual_binding: VDU1', 'virtual_binding: VDU9'),
      'vnfd.invalid',
      /"VDU9", which is no VDU/,
    ],
    [
      'two SwImage artifacts',
      imageVnfd(
        'a: { type: tosca.artifacts.nfv.SwImage, file: ../a.img }, b: { type: tosca.artifacts.nfv.SwImage, file: ../b.img }',
      ),
      'vnfd.invalid',
      /artifacts.b is a second SwImage/,
    ],
    [
      'a SwImage artifact without sw_image_data',
      imageVnfd('a: { type: tosca.artifacts.nfv.SwImage, file: ../a.img }').replace(/sw_image_data:/, 'something_else:'),
      'vnfd.invalid',
      /sw_image_data is missing/,
    ],
    [
      'an image outside of the package',
      imageVnfd('a: { type: tosca.artifacts.nfv.SwImage, file: ../../a.img }'),
      'vnfd.invalid',
      /leads out of the package/,
    ],
    [
      'a size that is none',
      singleFileVnfd().replace('size: 1 B', 'size: big'),
      'vnfd.invalid',
      /sw_image_data.size should be a size/,
    ],
    [
      'an input without a value',
      singleFileVnfd({
        vnfProperties:
          '{ descriptor_id: { get_input: id }, provider: a, product_name: b, software_version: c, descriptor_version: d }',
      }),
      'vnfd.invalid',
      /needs the input "id"/,
    ],
  ])('with %s is refused, naming file and place', async (_, text, code, message) => {
    await expect(read(smallestPackage({ 'Definitions/top.yaml': text }))).rejects.toMatchObject({
      code,
      member: 'Definitions/top.yaml',
      message,
    });
  });

  test('with a long input that it puts in often is refused, without being that large in memory', async () => {
    const inputs = `  inputs: { long: { type: string, default: ${'x'.repeat(500_000)} } }\n`;
    const nodes = Array.from(
      { length: 1_700 },
      (_, index) =>
        `    More${index}: { type: tosca.nodes.nfv.Vdu.Compute, properties: { sw_image_data: { version: { get_input: long } } } }\n`,
    ).join('');
    const text = singleFileVnfd({ nodes }).replace('  substitution_mappings:', `${inputs}  substitution_mappings:`);
    await expect(read(smallestPackage({ 'Definitions/top.yaml': text }))).rejects.toMatchObject({
      code: 'yaml.expansion',
      member: 'Definitions/top.yaml',
      message: /topology_template is larger than 16777216 characters with its inputs put in/,
    });
  });

  test('with an input of many values that it puts in often is refused', async () => {
    const inputs = `  inputs: { many: { type: list, default: [${'x,'.repeat(20_000)}] } }\n`;
    const nodes = `    More: { type: tosca.nodes.nfv.Vdu.Compute, properties: { a: [${'{ get_input: many },'.repeat(500)}] } }\n`;
    const text = singleFileVnfd({ nodes }).replace('  substitution_mappings:', `${inputs}  substitution_mappings:`);
    await expect(read(smallestPackage({ 'Definitions/top.yaml': text }))).rejects.toMatchObject({ code: 'yaml.expansion' });
  });

  test('with a long chain of types is refused at its end, whatever the number of nodes', async () => {
    const types = Array.from({ length: 8_000 }, (_, index) => `  t${index}: { derived_from: t${index + 1} }\n`).join('');
    const nodes = Array.from({ length: 1_000 }, (_, index) => `    More${index}: { type: t${index} }\n`).join('');
    const text = `${singleFileVnfd({ nodes })}\nnode_types:\n${types}`;
    const begun = processorTime();
    await expect(read(smallestPackage({ 'Definitions/top.yaml': text }))).rejects.toMatchObject({
      code: 'vnfd.invalid',
      member: 'Definitions/top.yaml',
      message: /the type t0 derives from more than 64 others/,
    });
    expect(processorTime() - begun).toBeLessThan(3_000);
  });

  test('takes a type that derives from 64 others, and one that derives from itself', async () => {
    const types = Array.from(
      { length: 65 },
      (_, index) => `  t${index}: { derived_from: ${index === 64 ? 't64' : `t${index + 1}`} }\n`,
    );
    const text = `${singleFileVnfd({ nodes: '    More: { type: t0 }\n' })}\nnode_types:\n${types.join('')}`;
    expect((await read(smallestPackage({ 'Definitions/top.yaml': text }))).model.flavours).toHaveLength(1);
  });

  test('with a text that nobody reads to its end is refused where it stands, and the refusal is short', async () => {
    const description = 'x'.repeat(70_000);
    const vdu = `      properties: { description: ${description} }`;
    await expect(read(smallestPackage({ 'Definitions/top.yaml': singleFileVnfd({ vdu }) }))).rejects.toMatchObject({
      message: /node_templates\.VDU1\.properties\.description has 70000 characters; at most 65536 are read/,
    });
    const key = 'k'.repeat(300_000);
    const refusal: unknown = await read(
      smallestPackage({ 'Definitions/top.yaml': singleFileVnfd({ nodes: `    ${key}: { type: [] }\n` }) }),
    ).catch((error: unknown) => error);
    expect((refusal as Error).message.length).toBeLessThan(2_500);
  });

  test('whose description is larger than what is kept of one is refused', async () => {
    const csar = await csarOf(smallestPackage(), { modelBytes: 1_000 });
    await expect(readVnfPackage(csar)).rejects.toMatchObject({ code: 'vnfd.too-large', member: 'Definitions/top.yaml' });
  });

  function imageVnfd(artifacts: string): string {
    return singleFileVnfd().replace('      capabilities:', `      artifacts: { ${artifacts} }\n      capabilities:`);
  }

  test('may take properties of the VNF from the defaults of its type, through every derivation', async () => {
    const types = `node_types:
  vendor.Base:
    derived_from: tosca.nodes.nfv.VNF
    properties:
      provider: { default: From base }
      product_name: { default: From base }
  vendor.VNF:
    derived_from: vendor.Base
    properties:
      provider: { default: From type }
`;
    const top = singleFileVnfd({
      imports: '[ types.yaml ]',
      vnfProperties: '{ descriptor_id: x, software_version: a, descriptor_version: b }',
    }).replaceAll('tosca.nodes.nfv.VNF\n', 'vendor.VNF\n');
    const { model } = await read(smallestPackage({ 'Definitions/top.yaml': top, 'Definitions/types.yaml': types }));
    expect(model).toMatchObject({ provider: 'From type', productName: 'From base' });
  });

  test("recognises a vendor's own VDU, port, policy and artifact types", async () => {
    const types = `node_types:
  vendor.Vdu: { derived_from: tosca.nodes.nfv.Vdu.Compute }
  vendor.Better.Vdu: { derived_from: vendor.Vdu }
  vendor.Cp: { derived_from: tosca.nodes.nfv.VduCp }
  vendor.Loop: { derived_from: vendor.Loop }
artifact_types:
  vendor.Image: { derived_from: tosca.artifacts.nfv.SwImage }
policy_types:
  vendor.Delta: { derived_from: tosca.policies.nfv.VduInitialDelta }
`;
    const text = imageVnfd('a: { type: vendor.Image, file: ../Files/a.img }')
      .replace('tosca.nodes.nfv.Vdu.Compute', 'vendor.Better.Vdu')
      .replace('tosca.nodes.nfv.VduCp', 'vendor.Cp')
      .replace('imports: [', 'imports: [ types.yaml,')
      .concat(
        '  policies: [ { d: { type: vendor.Delta, properties: { initial_delta: { number_of_instances: 4 } }, targets: [ VDU1 ] } } ]\n',
      );
    const { model } = await read(
      smallestPackage({ 'Definitions/top.yaml': text, 'Definitions/types.yaml': types, 'Files/a.img': 'bytes' }),
    );
    const [flavour] = model.flavours;
    expect(flavour!.vdus).toMatchObject([
      { id: 'VDU1', initialInstances: 4, image: { file: { path: 'Files/a.img', present: true } } },
    ]);
    expect(flavour!.cps).toMatchObject([{ id: 'VDU1_CP1', vduId: 'VDU1' }]);
  });

  test('has internal links, storages with images, groups and affinity rules', async () => {
    const { model } = await readOne({
      nodes: `    Inner_CP:
      type: tosca.nodes.nfv.VduCp
      requirements: [ { virtual_binding: { node: VDU1 } }, { virtual_link: net } ]
    net:
      type: tosca.nodes.nfv.VnfVirtualLink
      properties: { description: inside }
    disk:
      type: tosca.nodes.nfv.Vdu.VirtualBlockStorage
      properties: { virtual_block_storage_data: { size_of_storage: 10 GiB } }
    mgmt:
      type: tosca.nodes.nfv.VnfExtCp
      requirements: [ { internal_virtual_link: net } ]
  groups:
    - near: { type: tosca.groups.nfv.PlacementGroup, members: [ VDU1, net ] }
`,
      policies: `    - apart: { type: tosca.policies.nfv.AntiAffinityRule, properties: { scope: nfvi_node }, targets: [ near ] }
    - together: { type: tosca.policies.nfv.AffinityRule, properties: { scope: zone }, targets: [ VDU1 ] }
`,
    });
    const [flavour] = model.flavours;
    expect(flavour).toMatchObject({
      virtualLinks: [{ id: 'net', description: 'inside' }],
      storages: [{ id: 'disk', kind: 'block', sizeBytes: 10 * 2 ** 30 }],
      affinityRules: [
        { id: 'together', kind: 'affinity', scope: 'zone', vduIds: ['VDU1'], groupIds: [] },
        { id: 'apart', kind: 'anti-affinity', scope: 'nfvi_node', vduIds: ['VDU1'], groupIds: ['near'] },
      ],
    });
    expect(flavour!.cps).toEqual([
      { id: 'VDU1_CP1', vduId: 'VDU1', external: true, layerProtocols: [] },
      { id: 'Inner_CP', vduId: 'VDU1', virtualLinkId: 'net', external: false, layerProtocols: [] },
      { id: 'mgmt', virtualLinkId: 'net', external: true, layerProtocols: [] },
    ]);
  });

  test('binds drivers by name, as a string, as {primary, dependencies} and under TOSCA 1.3 operations', async () => {
    const { model, warnings } = await readOne({
      vnf: `      interfaces:
        Vnflcm:
          operations:
            instantiate_start: first
            instantiate_end: { implementation: { primary: second, dependencies: [ x.sh ] } }
            scale_start: []
            scale_end: { implementation: '' }
        Other: { heal_start: third }
      artifacts:
        second: { type: tosca.artifacts.Implementation.Python, file: ../Scripts/absent.py }`,
    });
    const [flavour] = model.flavours;
    expect(Object.keys(flavour!.lcmBindings)).toEqual(['instantiate_start', 'instantiate_end']);
    expect(bindingOf(flavour!, 'instantiate_start')).toEqual({ implementation: 'first' });
    expect(bindingOf(flavour!, 'instantiate_end')).toMatchObject({ implementation: 'second', artifact: { present: false } });
    expect(bindingOf(flavour!, 'constructor')).toBeUndefined();
    expect(warnings.map(({ code }) => code)).toEqual([
      'vnfd.implementation-without-artifact',
      'vnfd.implementation-file-absent',
      'vnfd.unused', // of the operation that is no hook
    ]);
  });

  test('binds a driver whose artifact stands in short notation, by the type of its ending', async () => {
    const files = kubernetesSkeleton();
    const name = 'Definitions/sample_kubernetes_df_simple.yaml';
    const artifact = /mgmt-drivers-kubernetes:\n\s+description: .*\n\s+type: .*\n\s+file: /;
    files[name] = String(files[name]).replace(artifact, 'mgmt-drivers-kubernetes: ');
    const { model, warnings } = await read(files);
    expect(bindingOf(flavourOf(model, 'simple'), 'instantiate_end')).toEqual({
      implementation: 'mgmt-drivers-kubernetes',
      artifact: { type: 'tosca.artifacts.Implementation.Python', file: 'Scripts/kubernetes_mgmt.py', present: true },
    });
    expect(warnings.map(({ code }) => code)).toEqual(['image.absent', 'image.absent']);
  });

  test('of v2 packages names its driver file relative to Definitions', async () => {
    const files = kubernetesSkeleton();
    const name = 'Definitions/sample_kubernetes_df_simple.yaml';
    files[name] = String(files[name]).replace('file: Scripts/kubernetes_mgmt.py', 'file: ../Scripts/kubernetes_mgmt.py');
    const { model } = await read(files);
    expect(bindingOf(flavourOf(model, 'simple'), 'instantiate_end')!.artifact).toMatchObject({
      file: 'Scripts/kubernetes_mgmt.py',
      present: true,
    });
  });

  test('with two flavours of one id is refused', async () => {
    const files = kubernetesSkeleton();
    const name = 'Definitions/sample_kubernetes_df_complex.yaml';
    files[name] = String(files[name]).replace('flavour_id: complex', 'flavour_id: simple');
    await expect(read(files)).rejects.toMatchObject({ code: 'vnfd.invalid', member: name, message: /"simple".*df_simple.yaml/ });
  });

  test('an unknown flavour is answered with 400 at flavourId, naming those that exist', async () => {
    const { model } = await read(kubernetesSkeleton());
    expect(() => flavourOf(model, 'huge')).toThrow(
      expect.objectContaining({
        status: 400,
        invalidParams: [{ path: '/flavourId', reason: expect.stringContaining('"simple", "complex"') as string }],
      }) as Error,
    );
  });
});

describe('software images', () => {
  const image = (hash: string, size = '5 B') =>
    singleFileVnfd()
      .replace('hash: 00', `hash: ${hash}`)
      .replace('size: 1 B', `size: ${size}`)
      .replace(
        '      capabilities:',
        `      artifacts: { img: { type: tosca.artifacts.nfv.SwImage, file: ../Files/a.img } }\n      capabilities:`,
      );

  test('whose bytes do not match are warned of, since the reference system onboards them', async () => {
    const { warnings, model } = await read(smallestPackage({ 'Definitions/top.yaml': image('00'), 'Files/a.img': 'bytes' }));
    expect(warnings).toMatchObject([{ code: 'image.checksum-mismatch', subject: 'Files/a.img, VDU1' }]);
    expect(model.softwareImages[0]!.imagePath).toBe('Files/a.img');
  });

  test('whose bytes match are not', async () => {
    const hash = sha256('bytes');
    expect((await read(smallestPackage({ 'Definitions/top.yaml': image(hash), 'Files/a.img': 'bytes' }))).warnings).toEqual([]);
  });

  test('whose declared size is off are warned of, with the size that counts', async () => {
    const [definitions, bytes] = [image(sha256('bytes'), '2 GB'), { 'Files/a.img': 'bytes' }];
    expect((await read(smallestPackage({ 'Definitions/top.yaml': definitions, ...bytes }))).warnings).toEqual([
      {
        code: 'image.size-differs',
        subject: 'Files/a.img, VDU1',
        reason: 'sw_image_data declares 2000000000 bytes, the file has 5: those are uploaded',
      },
    ]);
  });

  test('that are empty files count as left out', async () => {
    const { warnings } = await read(smallestPackage({ 'Definitions/top.yaml': image('00'), 'Files/a.img': '' }));
    expect(warnings).toMatchObject([
      { code: 'image.absent', reason: expect.stringContaining('must exist in the VIM under the name "cirros"') as string },
    ]);
  });
});
