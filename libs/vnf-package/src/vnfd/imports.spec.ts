import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readVnfPackage } from '../read-vnf-package.js';
import { kubernetesSkeleton } from '../testing/kubernetes-skeleton.js';
import { csarOf, singleFileVnfd, smallestPackage, type PackageFiles } from '../testing/package-factory.js';

const read = async (files: PackageFiles) => readVnfPackage(await csarOf(files));
const importing = (imports: string, files: PackageFiles = {}) =>
  read(smallestPackage({ 'Definitions/top.yaml': singleFileVnfd({ imports }), ...files }));

describe('imports of a VNFD', () => {
  test('may be written in every way that TOSCA knows', async () => {
    const other = 'tosca_definitions_version: tosca_simple_yaml_1_2\n';
    const files = {
      'Definitions/a.yaml': other,
      'Definitions/b.yaml': other,
      'types/c.yaml': other,
      'Definitions/d.yaml': other,
    };
    const { model } = await importing(
      '[ a.yaml, { file: ./b.yaml }, { vendor: { file: ../types/c.yaml } }, { short: d.yaml } ]',
      files,
    );
    expect(model.vnfdFiles).toEqual(['Definitions/top.yaml', ...Object.keys(files)]);
  });

  test('are relative to the file that imports', async () => {
    const files = {
      'Definitions/deep/a.yaml': 'imports: [ b.yaml, ../c.yaml ]',
      'Definitions/deep/b.yaml': 'a: 1',
      'Definitions/c.yaml': 'a: 1',
    };
    expect((await importing('[ deep/a.yaml ]', files)).model.vnfdFiles).toContain('Definitions/deep/b.yaml');
  });

  test('may go in a circle', async () => {
    const files = { 'Definitions/a.yaml': 'imports: [ b.yaml ]', 'Definitions/b.yaml': 'imports: [ a.yaml, top.yaml, b.yaml ]' };
    expect((await importing('[ a.yaml ]', files)).model.vnfdFiles).toEqual([
      'Definitions/top.yaml',
      'Definitions/a.yaml',
      'Definitions/b.yaml',
    ]);
  });

  test('of an absent file are refused by its name and the importing one', async () => {
    await expect(importing('[ absent.yaml ]')).rejects.toMatchObject({
      code: 'vnfd.import-absent',
      member: 'Definitions/absent.yaml',
      message: /Definitions\/top.yaml imports it/,
    });
  });

  test.each(['http://example.org/types.yaml', 'file:///etc/passwd', '../../etc/passwd', '/etc/passwd'])(
    'of %s are refused',
    async (address) => {
      await expect(importing(`[ '${address}' ]`)).rejects.toMatchObject({
        code: 'vnfd.import-refused',
        member: 'Definitions/top.yaml',
      });
    },
  );

  test("of ETSI's own address need no network: the types are built in", async () => {
    const address = 'https://raw.githubusercontent.com/etsi/types/v2.6.1/etsi_nfv_sol001_vnfd_types.yaml';
    expect((await importing(`[ '${address}' ]`)).model.vnfdFiles).toEqual(['Definitions/top.yaml']);
  });

  test("take ETSI's files from the package where it carries them, faults of their YAML included", async () => {
    const names = ['etsi_nfv_sol001_common_types.yaml', 'etsi_nfv_sol001_vnfd_types.yaml'];
    const carried = await Promise.all(
      names.map(
        async (name) => [`Definitions/${name}`, await readFile(new URL(`../../data/sol001/${name}`, import.meta.url))] as const,
      ),
    );
    const { model } = await read(kubernetesSkeleton(Object.fromEntries(carried)));
    expect(model.vnfdFiles).toHaveLength(7);
    expect(model.flavours[0]!.vdus).toHaveLength(2);
  });

  test('without end are stopped', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`Definitions/f${index}.yaml`, `imports: [ f${index + 1}.yaml ]`]),
    );
    await expect(importing('[ f0.yaml ]', files)).rejects.toMatchObject({ code: 'vnfd.too-many-files' });
  });
});
