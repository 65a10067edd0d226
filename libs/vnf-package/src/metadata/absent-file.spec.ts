import { describe, expect, test } from 'vitest';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, smallestPackage, type PackageFiles } from '../testing/package-factory.js';

const MANIFEST = 'small.mf';
const META =
  'TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nCreated-By: me\nEntry-Definitions: Definitions/top.yaml\nETSI-Entry-Manifest: small.mf\n';

/** What is told of files that are named and absent. */
async function toldOf(files: PackageFiles): Promise<[string, string][]> {
  const { warnings } = await readVnfPackage(await csarOf(smallestPackage({ 'Scripts/a.sh': 'echo a', ...files })));
  return warnings.filter(({ code }) => code === 'meta.file-absent').map(({ subject, reason }) => [subject, reason]);
}

describe('a file that is named without a hash, and that the package has not', () => {
  test('is told of with its name, the line and what to do: a Source of the manifest', async () => {
    expect(await toldOf({ [MANIFEST]: 'metadata:\n  vnf_product_name: Small\n\nSource: Scripts/b.sh\n' })).toEqual([
      [MANIFEST, 'line 4 names "Scripts/b.sh": the package has no such member. Add the file, or remove the block'],
    ]);
  });

  test('is told of, too: a Name of TOSCA.meta', async () => {
    const told = await toldOf({
      'TOSCA-Metadata/TOSCA.meta': `${META}\nName: Files/b.img\nContent-Type: image\n`,
      [MANIFEST]: 'a: b',
    });
    expect(told).toEqual([['TOSCA-Metadata/TOSCA.meta', expect.stringContaining('line 7 names "Files/b.img"')]]);
  });

  test.each([
    ['/etc/passwd', 'its path leads out of the package'],
    ['../b.sh', 'its path leads out of the package'],
    ['Scripts\\a.sh', 'its path has a backslash'],
    ['file:///etc/passwd', 'its path leads out of the package'],
    ['scripts/A.sh', 'the package has no such member'],
  ])('may be named so that no file of a package is: %s', async (path, why) => {
    expect(await toldOf({ [MANIFEST]: `Source: ${path}\n` })).toEqual([[MANIFEST, expect.stringContaining(why)]]);
  });

  test.each(['Scripts/a.sh', './Scripts/a.sh', 'Scripts', 'Scripts/', 'https://images.example/b.img'])(
    'is not what the package has, nor what lies elsewhere: %s',
    async (path) => {
      expect(await toldOf({ [MANIFEST]: `Source: ${path}\n` })).toEqual([]);
    },
  );

  test('does not make a warning each where there are thousands', async () => {
    const blocks = Array.from({ length: 3_000 }, (_, n) => `Source: f${n}\n`).join('\n');
    const told = await toldOf({ [MANIFEST]: blocks });
    expect(told).toHaveLength(21);
    expect(told.at(-1)?.[1]).toBe('2980 more files are named, and absent');
  });
});
