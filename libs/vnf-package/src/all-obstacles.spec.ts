import { describe, expect, test } from 'vitest';
import type { PackageError } from './refusals/package-error.js';
import { readVnfPackage } from './read-vnf-package.js';
import { csarOf, singleFileVnfd, smallestPackage, type PackageFiles } from './testing/package-factory.js';

const refusalOf = async (files: PackageFiles): Promise<PackageError> => {
  const refusal = await csarOf(smallestPackage(files)).then((csar) => readVnfPackage(csar).catch((error: unknown) => error));
  return refusal as PackageError;
};
const HOT = String(smallestPackage()['BaseHOT/default/top.yaml']);
const WRONG = '0'.repeat(64);
const block = (file: string) => `Source: ${file}\nAlgorithm: SHA-256\nHash: ${WRONG}\n\n`;

describe('what is wrong with a package', () => {
  test('is told all at once, as far as none of it follows from another', async () => {
    const refusal = await refusalOf({
      'a.mf': `metadata:\n\n${block('Scripts/a.sh')}${block('Scripts/b.sh')}`,
      'Scripts/a.sh': 'echo a',
      'Scripts/b.sh': 'echo b',
      'Definitions/top.yaml': singleFileVnfd({ vnfProperties: '{ descriptor_id: a, provider: b }' }),
      'BaseHOT/default/top.yaml': HOT.replace(
        'VDU1_CP1:',
        'more: { type: gone.yaml, properties: { a: { get_file: gone.sh } } }\n  VDU1_CP1:',
      ),
    });
    expect(refusal.message).toMatch(/^7 things are to be put right: \(1\) /);
    for (const said of [
      'product_name is missing',
      'software_version',
      'descriptor_version',
      'gone.yaml',
      'gone.sh',
      'a.sh: a.mf',
      'b.sh: a.mf',
    ])
      expect(refusal.message).toContain(said);
    expect(refusal.parts?.map(({ code }) => code)).toEqual([
      ...['vnfd.no-vnf-node', 'vnfd.no-vnf-node', 'vnfd.no-vnf-node', 'base-hot.file-absent', 'base-hot.file-absent'],
      ...['meta.hash-mismatch', 'meta.hash-mismatch'],
    ]);
  });

  test('is told of every import', async () => {
    const imports = '[ gone.yaml, http://example.com/x.yaml, ../../out.yaml, broken.yaml ]';
    const refusal = await refusalOf({ 'Definitions/top.yaml': singleFileVnfd({ imports }), 'Definitions/broken.yaml': 'a: [' });
    expect(refusal.parts?.map(({ code }) => code)).toEqual([
      ...['vnfd.import-absent', 'vnfd.import-refused', 'vnfd.import-refused', 'yaml.malformed'],
    ]);
  });

  test('all in one file is told under its name', async () => {
    const refusal = await refusalOf({
      'Definitions/top.yaml': singleFileVnfd({ vnfProperties: '{ descriptor_id: a, provider: b, product_name: c }' }),
    });
    expect(refusal).toMatchObject({
      member: 'Definitions/top.yaml',
      message:
        /^Definitions\/top\.yaml: 2 things are to be put right: \(1\) topology_template\.node_templates\.VNF\.properties\.software_version is missing; \(2\)/,
    });
  });

  test('is told alone, with its own member, where it is one thing', async () => {
    const refusal = await refusalOf({ 'a.mf': block('Scripts/gone.sh') });
    expect(refusal).toMatchObject({ code: 'csar.member-absent', member: 'Scripts/gone.sh', parts: undefined });
  });

  test('is no more than can be read', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `Scripts/${'x'.repeat(150)}${index}.sh`);
    const refusal = await refusalOf({ 'a.mf': names.map(block).join('') });
    expect(refusal.message).toMatch(/^50 things/);
    expect(refusal.message).toMatch(/; and 30 more$/);
    expect(refusal.message.length).toBeLessThan(10_100);
  });
});
