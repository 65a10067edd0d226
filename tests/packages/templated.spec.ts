import {
  bufferCsarSource,
  openCsar,
  PackageError,
  readVnfPackage,
  type PackageWarning,
  type VnfPackage,
} from '@windlass/vnf-package';
import { csarOf, rawZip, sha256, type PackageFiles } from '@windlass/vnf-package/testing';
import { describe, expect, test } from 'vitest';
import type { Change } from './support/shapes.js';
import { TEMPLATED, templated } from './support/templated.js';

const read = async (files: PackageFiles): Promise<VnfPackage> => readVnfPackage(await csarOf(files));

/** Shapes that are warned of as they are. */
const TOLD: Readonly<Record<string, readonly string[]>> = { 'hashes in TOSCA.meta alone': ['image.absent'] };

describe('a package with templates', () => {
  test.each(Object.entries(TEMPLATED))('is read with what its metadata, VNFD and templates say: %s', async (name, shape) => {
    const { model, warnings } = await read(templated(name));
    expect(warnings.map(({ code }) => code)).toEqual(TOLD[name] ?? []);
    expect(model.flavours.map(({ id }) => id)).toEqual(Object.keys(shape.begins));
    for (const { id, baseHot } of model.flavours) {
      expect(baseHot?.top.path).toBe(`BaseHOT/${id}/top.yaml`);
      expect(baseHot?.servers.map(({ vduId }) => vduId).sort()).toEqual(Object.keys(shape.begins[id] ?? {}).sort());
    }
    const carried = Object.keys(shape.files).filter((path) => path.startsWith('Files/images/'));
    const named = model.softwareImages.map(({ imagePath }) => imagePath).filter((path) => path !== '');
    expect([...new Set(named)].sort()).toEqual(carried.sort());
  });

  test.each(['hashes in a manifest', 'hashes in TOSCA.meta alone', 'a VNFD at its root'])(
    'has the artifacts whose hashes were compared: %s',
    async (name) => {
      const { additionalArtifacts } = (await read(templated(name))).model;
      expect(additionalArtifacts.map(({ artifactPath }) => artifactPath)).toContain('Scripts/start.sh');
    },
  );
});

const TOP = 'Definitions/top.yaml';
const META = 'TOSCA-Metadata/TOSCA.meta';
const PART = 'BaseHOT/default/nested/part.yaml';
const FRONT = 'BaseHOT/default/nested/front.yaml';
const SCRIPT = 'Scripts/start.sh';

/** What is wrong, in which package; what is at fault by its name, and words of the refusal that say what to do. */
type Broken = [what: string, name: string, change: Change, code: string, member: string, says: readonly string[]];

const BROKEN: readonly Broken[] = [
  [
    'a hash of the manifest is another’s',
    'hashes in a manifest',
    { member: SCRIPT, to: 'echo something else\n' },
    'meta.hash-mismatch',
    SCRIPT,
    ['corpus.mf, line 5', sha256('echo something else\n'), 'renew the hash'],
  ],
  [
    'a hash of TOSCA.meta is another’s',
    'hashes in TOSCA.meta alone',
    { member: SCRIPT, to: 'echo something else\n' },
    'meta.hash-mismatch',
    SCRIPT,
    ['TOSCA.meta, line 9', 'put the file back'],
  ],
  [
    'an artifact of the manifest is missing',
    'a VNFD at its root',
    { member: SCRIPT, to: undefined },
    'csar.member-absent',
    SCRIPT,
    ['corpus.mf, line 4', 'add the file, or remove the block'],
  ],
  [
    'an artifact’s path leaves the package',
    'hashes in a manifest',
    { member: 'corpus.mf', from: SCRIPT, to: `../${SCRIPT}` },
    'csar.member-absent',
    `../${SCRIPT}`,
    ['corpus.mf, line 5', 'leads out of the package', 'from the root of the package'],
  ],
  [
    'the manifest is missing',
    'hashes in a manifest',
    { member: 'corpus.mf', to: undefined },
    'csar.member-absent',
    'corpus.mf',
    ['ETSI-Entry-Manifest', 'add it, or name the one that is meant'],
  ],
  [
    'the top definition is missing',
    'templates in templates',
    { member: TOP, to: undefined },
    'csar.member-absent',
    TOP,
    ['Entry-Definitions', 'add it, or name the one that is meant'],
  ],
  [
    'a flavour’s definition is missing',
    'several flavours',
    { member: 'Definitions/large.yaml', to: undefined },
    'vnfd.import-absent',
    'Definitions/large.yaml',
    [TOP, 'add it, or remove the import'],
  ],
  [
    'an import leaves the package',
    'several flavours',
    { member: TOP, from: 'large.yaml', to: '../../large.yaml' },
    'vnfd.import-refused',
    TOP,
    ['../../large.yaml', 'only files of the package'],
  ],
  [
    'there are two entry definitions',
    'hashes in TOSCA.meta alone',
    { member: META, from: `Entry-Definitions: ${TOP}\n`, to: `Entry-Definitions: ${TOP}\nEntry-Definitions: ${SCRIPT}\n` },
    'meta.malformed',
    META,
    ['line 5', 'line 4', 'entry-definitions', 'keep one of them'],
  ],
  [
    'there are two definitions at its root',
    'a VNFD at its root',
    { member: 'second.yaml', to: 'a: b\n' },
    'csar.no-entry-definitions',
    '',
    [META, '2 YAML files at its root where exactly one would do'],
  ],
  [
    'one hash of a block hides another',
    'hashes in a manifest',
    { member: 'corpus.mf', from: '\n\nSource: Base', to: '\nHash: 00\n\nSource: Base' },
    'meta.malformed',
    'corpus.mf',
    ['line 8', 'line 7', 'hash'],
  ],
  [
    'a template in a template is missing',
    'templates in templates',
    { member: FRONT, to: undefined },
    'base-hot.file-absent',
    PART,
    ['"front.yaml"', 'BaseHOT/default/nested/', 'add it there'],
  ],
  [
    'a template’s reference leaves the package',
    'templates in templates',
    { member: PART, from: 'type: front.yaml', to: 'type: ../../../../outside.yaml' },
    'base-hot.file-absent',
    PART,
    ['"../../../../outside.yaml"', 'correct the reference'],
  ],
  [
    'a template is part of itself',
    'templates in templates',
    { member: FRONT, from: 'type: OS::Neutron::Port', to: 'type: member.yaml' },
    'base-hot.invalid',
    'BaseHOT/default/nested/member.yaml',
    [`member.yaml -> ${PART} -> ${FRONT} -> BaseHOT/default/nested/member.yaml`, 'Remove one'],
  ],
  [
    'a definition is no YAML',
    'several flavours',
    { member: 'Definitions/large.yaml', from: 'topology_template:', to: 'topology_template: [' },
    'yaml.malformed',
    'Definitions/large.yaml',
    ['line '],
  ],
  [
    'a template in a template is no YAML',
    'templates in templates',
    { member: FRONT, from: 'resources:', to: 'resources: }' },
    'yaml.malformed',
    FRONT,
    ['line '],
  ],
  [
    'a template in a template is none',
    'templates in templates',
    { member: FRONT, to: 'heat_template_version: 2013-05-23\n' },
    'base-hot.invalid',
    FRONT,
    ['resources should be a map', 'no Heat template'],
  ],
  [
    'a VDU has two images',
    'several images',
    { member: TOP, from: 'sw_image: {', to: 'other: ../Files/images/db.img, sw_image: {' },
    'vnfd.invalid',
    TOP,
    ['node_templates.web.artifacts.sw_image', 'second SwImage', '"other"', 'remove the other'],
  ],
  [
    'an image leaves the package',
    'artifacts in short notation',
    { member: TOP, from: '../Files/images/web.img', to: '../../web.img' },
    'vnfd.invalid',
    TOP,
    ['node_templates.web.artifacts.sw_image', 'leads out of the package', '../../web.img'],
  ],
  [
    'a flavour stands in two files',
    'several flavours',
    { member: 'Definitions/large.yaml', from: 'flavour_id: large', to: 'flavour_id: small' },
    'vnfd.invalid',
    'Definitions/large.yaml',
    ['"small"', 'Definitions/small.yaml'],
  ],
];

/** What is wrong but no obstacle: the warning’s code, what it is about, and words of it. */
type Odd = [what: string, name: string, change: Change, code: string, subject: string, says: readonly string[]];

const ODD: readonly Odd[] = [
  [
    'a flavour has no templates, where another has',
    'several flavours',
    { member: 'BaseHOT/small/top.yaml', to: undefined },
    'base-hot.absent',
    'BaseHOT/small/',
    ['BaseHOT/large/', 'made from its VNFD', 'add one'],
  ],
  [
    'a folder of templates is no flavour’s',
    'several flavours',
    { member: 'BaseHOT/smal/top.yaml', to: 'heat_template_version: 2013-05-23\nresources: {}\n' },
    'base-hot.unknown-flavour',
    'BaseHOT/smal/',
    ['"small", "large"', 'name the folder as its flavour'],
  ],
  [
    'an image is missing',
    'several images',
    { member: 'Files/images/db.img', to: undefined },
    'image.absent',
    'Files/images/db.img, db',
    ['must exist in the VIM under the name "corpus-db"'],
  ],
  [
    'an image has other bytes',
    'artifacts in short notation',
    { member: 'Files/images/web.img', to: 'other bytes' },
    'image.checksum-mismatch',
    'Files/images/web.img, web',
    [sha256('other bytes'), 'an upload will be refused'],
  ],
  [
    'a group is smaller than its levels',
    'a load balancer and floating addresses',
    { member: 'BaseHOT/default/top.yaml', from: 'max_size: 4', to: 'max_size: 3' },
    'base-hot.group-size',
    'BaseHOT/default/top.yaml, more',
    ['allows 2 to 3', 'wants 4'],
  ],
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

describe('a package that is broken in one way', () => {
  test.each(BROKEN)(
    'is refused by what is at fault, with what to do about it: %s',
    async (_, name, change, code, member, says) => {
      const refused = await refusal(templated(name, change));
      expect(refused).toMatchObject({ code, member: member === '' ? undefined : member });
      for (const words of says) expect(refused.message).toContain(words);
    },
  );

  test('is refused where a member stands in it twice', async () => {
    const files = templated('several images');
    const twice = rawZip(
      [...Object.entries(files), ['Files/images/./web.img', 'x'] as const].map(([name, content = '']) => ({ name, content })),
    );
    await expect(openCsar(bufferCsarSource(twice))).rejects.toMatchObject({
      code: 'csar.duplicate-member',
      member: 'Files/images/web.img',
    });
  });

  test.each(ODD)(
    'is onboarded with a warning where it may work all the same: %s',
    async (_, name, change, code, subject, says) => {
      const { warnings } = await read(templated(name, change));
      const found: PackageWarning[] = warnings.filter((warning) => warning.code === code);
      expect(found).toMatchObject([{ subject }]);
      for (const words of says) expect(found[0]?.reason).toContain(words);
    },
  );
});
