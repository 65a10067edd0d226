import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, mergePatch, type Json, type JsonObject } from '@windlass/foundation';
import { PackageError, readVnfPackage, rewriteBaseHot, type Flavour, type VnfPackage } from '@windlass/vnf-package';
import { csarOf, LEFT_OUT, TABLE, type LeftOut, type PackageFiles, type TranslationRow } from '@windlass/vnf-package/testing';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { shape, SHAPES, type Change } from './support/shapes.js';

const read = async (files: PackageFiles): Promise<VnfPackage> => readVnfPackage(await csarOf(files));
const golden = (...path: string[]): string => join(import.meta.dirname, 'golden', ...path);

/** The texts that Heat gets, by name. */
function textsOf({ baseHot }: Flavour): Record<string, string> {
  if (baseHot === undefined) throw new Error('there are no templates');
  const { template, files } = rewriteBaseHot(baseHot);
  return { 'top.yaml': template, ...files };
}

describe('a VNFD without templates', () => {
  test.each(SHAPES)('is translated to the same bytes every time: %s', async (name) => {
    const { model, warnings } = await read(shape(name));
    expect(model.flavours).toEqual((await read(shape(name))).model.flavours);
    for (const flavour of model.flavours) {
      for (const [file, text] of Object.entries(textsOf(flavour)))
        await expect(text).toMatchFileSnapshot(golden(name, flavour.id, file));
    }
    const told = warnings.map(({ code, subject, reason }) => `${code} ${subject}: ${reason}\n`).join('');
    await expect(told).toMatchFileSnapshot(golden(name, 'warnings.txt'));
  });
});

/** A change of the one file that most of the packages have. */
const vnfd = (from: string, to: string): Change => ({ member: 'Definitions/vnfd.yaml', from, to });
const sixth = vnfd('ip_version: ipv4, cidr: 10.77.0.0/24', 'ip_version: ipv6, cidr: "fd00:77::/64", ipv6_address_mode: slaac');

const withMetadata = vnfd('sw_image_data', 'meta_data: { role: gateway, note: no }\n        sw_image_data');

/** Each package, and what is wrong with it; `row` is the one of the table that says so. */
const BROKEN: readonly [row: string, name: string, node: string, change: Change][] = [
  ['Vdu.VirtualObjectStorage', 'tiers', 'db_data', vnfd('VirtualBlockStorage', 'VirtualObjectStorage')],
  ['Vdu.VirtualFileStorage', 'tiers', 'db_data', vnfd('VirtualBlockStorage', 'VirtualFileStorage')],
  ['VnfExtCp', 'one-vm', 'VM_CP', vnfd('tosca.nodes.nfv.VduCp', 'tosca.nodes.nfv.VnfExtCp')],
  [
    'any other node type',
    'flavours',
    'worker_CP',
    {
      member: 'Definitions/df_large.yaml',
      from: 'worker_CP:\n      type: tosca.nodes.nfv.VduCp',
      to: 'worker_CP:\n      type: a.Cp',
    },
  ],
  ['a name that Heat takes for no resource', 'one-vm', 'VM CP', vnfd('    VM_CP:\n', '    VM CP:\n')],
  ['Vdu.Compute without an image', 'one-vm', 'VM', vnfd('sw_image_data', 'another_property')],
  ['Vdu.VirtualBlockStorage without a size', 'tiers', 'db_data', vnfd('size_of_storage: 1500 MB, ', '')],
  [
    'Vdu.VirtualBlockStorage smaller than min_disk of its image',
    'boots-from-volume',
    'root',
    vnfd('min_disk: 0 B', 'min_disk: 2049 GiB'),
  ],
  ['a VDU in two rules of scope nfvi_node', 'virtual-address', 'node', vnfd('scope: zone', 'scope: nfvi_node')],
  ['AntiAffinityRule with scope nfvi_pop', 'virtual-address', 'spread', vnfd('scope: zone', 'scope: nfvi_pop')],
  [
    'VnfVirtualLink with other protocols than Ethernet and IP',
    'tiers',
    'back',
    vnfd('connectivity_type: { layer_protocols: [ ipv4 ] }', 'connectivity_type: { layer_protocols: [ mpls ] }'),
  ],
  ['Vdu.Compute: boot_order', 'boots-from-volume', 'right', vnfd('boot_order: [ root ]', 'boot_order: [ log ]')],
];

const refusal = async (files: PackageFiles): Promise<PackageError> => {
  try {
    await read(files);
  } catch (error) {
    if (error instanceof PackageError) return error;
    throw error;
  }
  throw new Error('was onboarded');
};

describe('a VNFD that can not be translated', () => {
  test.each(BROKEN)('is refused by the name of its node: %s', async (tosca, name, node, change) => {
    const row = TABLE.find((each) => each.tosca === tosca);
    const { code, member, reason } = await refusal(shape(name, change));
    expect(code).toBe('vnfd.not-translatable');
    expect(member).toBe(change.member);
    expect(reason).toContain(`"${node}"`);
    expect(reason).toContain(row?.note);
    expect(reason).toContain('BaseHOT/');
  });

  test('is refused for every row of the table that says so', () => {
    expect(BROKEN.map(([row]) => row).sort()).toEqual(
      TABLE.flatMap(({ kind, tosca }) => (kind === 'refused' ? tosca : [])).sort(),
    );
  });

  test('is taken where the package carries templates', async () => {
    const change = vnfd('tosca.nodes.nfv.VduCp', 'tosca.nodes.nfv.VnfExtCp');
    const template = 'heat_template_version: 2013-05-23\nresources: { VM: { type: OS::Nova::Server } }\n';
    const { model } = await read({ ...shape('one-vm', change), 'BaseHOT/default/top.yaml': template });
    expect(model.flavours[0]?.baseHot?.top.text).toBe(template);
  });
});

/** The VNFD of the package with something at the path of a node of that type. */
function saying({ of }: LeftOut): PackageFiles {
  const files = shape('tiers');
  const document = parse(String(files['Definitions/vnfd.yaml'])) as {
    topology_template: { node_templates: Record<string, JsonObject>; policies: Record<string, JsonObject>[] };
  };
  const { node_templates: nodes, policies } = document.topology_template;
  if (of.type.startsWith('tosca.policies')) policies.push({ added: { type: of.type } });
  const among = [...Object.values(nodes), ...policies.flatMap((policy) => Object.values(policy))];
  let node = among.find(({ type }) => type === of.type);
  if (node === undefined) nodes.added = node = { type: of.type };
  // An entry of a map, or behind another of a list; a level of the package.
  const ofMap = of.type.startsWith('tosca.policies') || of.path.includes('requested_additional_capabilities');
  const entry = (value: Json): Json => (ofMap ? { small: value } : [{}, value]);
  const inner = of.path.reduceRight<Json>((value, key) => (key === '*' ? entry(value) : { [key]: value }), 'something of it');
  Object.assign(node, mergePatch(node, inner));
  return { ...files, 'Definitions/vnfd.yaml': stringify(document) };
}

describe('what the table says', () => {
  test.each(LEFT_OUT.map((row) => [row.tosca, row] as const))(
    'is left out is warned of, by its node: %s',
    async (_tosca, row) => {
      const { warnings } = await read(saying(row));
      const told = warnings.filter(({ code, reason }) => code === 'translation.left-out' && reason.startsWith(row.tosca));
      expect(told.map(({ reason }) => reason)).toEqual(told.map(() => `${row.tosca} is left out: ${row.note}`));
      expect(told.length).toBeGreaterThan(0);
    },
  );

  test('is translated is found in the templates of the packages', async () => {
    const files = [...SHAPES.map((name) => shape(name)), shape('virtual-address', sixth), shape('one-vm', withMetadata)];
    const packages = await Promise.all(files.map(read));
    const texts = packages.flatMap(({ model }) => model.flavours.flatMap((flavour) => Object.values(textsOf(flavour))));
    const made = new Set(texts.flatMap((text) => propertiesIn(parse(text) as Json)));
    const wanted = TABLE.flatMap((row) => (row.kind === 'translated' ? row.heat : []));
    expect(wanted.filter((each) => !made.has(each))).toEqual([]);
    expect([...made].filter((each) => !wanted.includes(each) && !SECONDARY.has(each))).toEqual([]);
  });

  test('is what the guide says', () => {
    const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/tosca-only-packages.md'), 'utf8');
    const table = guide.slice(guide.indexOf('| the VNFD says'), guide.lastIndexOf('|\n') + 2);
    expect(table).toBe(['| the VNFD says | Heat gets | |\n|---|---|---|\n', ...TABLE.map(rowOf)].join(''));
  });
});

/** Properties that tie resources to each other. */
const SECONDARY: ReadonlySet<string> = new Set(['OS::Neutron::Subnet network', 'OS::Neutron::Subnet ipv6_ra_mode']);

const rowOf = (row: TranslationRow): string =>
  `| ${row.tosca} | ${row.kind === 'translated' ? row.heat.map((each) => `\`${each}\``).join(', ') : row.kind === 'refused' ? 'refused' : 'left out, with a warning'} | ${row.note} |\n`;

/** `OS::Nova::Server image` for each property of each resource that is no nested template. */
function propertiesIn(template: Json): string[] {
  const resources = isJsonObject(template) && isJsonObject(template.resources) ? Object.values(template.resources) : [];
  return resources
    .filter(isJsonObject)
    .flatMap(({ type, properties }) =>
      typeof type === 'string' && type.startsWith('OS::') && isJsonObject(properties)
        ? Object.keys(properties).map((name) => `${type} ${name}`)
        : [],
    );
}
