import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCsar } from '../build/build-csar.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, sha256, singleFileVnfd, smallestPackage, type PackageFiles } from '../testing/package-factory.js';

const read = async (files: PackageFiles) => readVnfPackage(await csarOf(files));
const APPLE_DOUBLE = Buffer.from([0, 5, 0x16, 7, 0, 2, 0, 0]);
const inFolder = (files: PackageFiles, folder = 'router-1.0'): PackageFiles =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));

describe('files that a desktop puts into a zip', () => {
  test.each([
    '__MACOSX/Definitions/._top.yaml',
    'Definitions/._top.yaml',
    'BaseHOT/default/._top.yaml',
    '._vnfd.yaml',
    '._a.mf',
    '.DS_Store',
    'Scripts/.DS_Store',
    'Files/images/Thumbs.db',
    'desktop.ini',
  ])('are passed over, and told of: %s', async (name) => {
    const { model, warnings } = await read(smallestPackage({ [name]: APPLE_DOUBLE }));
    expect(model).toEqual((await read(smallestPackage())).model);
    expect(warnings).toMatchObject([{ code: 'csar.left-out', subject: name }]);
  });

  test('make no second VNFD of a package without TOSCA.meta', async () => {
    const files = { 'small.yaml': singleFileVnfd(), '._small.yaml': APPLE_DOUBLE, '__MACOSX/._small.yaml': APPLE_DOUBLE };
    expect((await read(files)).model.entryDefinitions).toBe('small.yaml');
  });

  test('are not packed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'windlass-desktop-'));
    for (const [name, content] of Object.entries(smallestPackage({ 'Files/Thumbs.db': 'x', '__MACOSX/a': 'x' }))) {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), content ?? '');
    }
    const { members } = await buildCsar(folder, join(folder, 'out.csar'));
    await rm(folder, { recursive: true });
    expect(members).toEqual(Object.keys(smallestPackage()).sort());
  });
});

describe('a folder around everything', () => {
  const files = smallestPackage({
    'Scripts/a.sh': 'echo a',
    'a.mf': `Source: Scripts/a.sh\nAlgorithm: SHA-256\nHash: ${sha256('echo a')}\n`,
  });

  test.each(['router-1.0', 'Definitions', 'ein Ordner'])('is left away: %s', async (folder) => {
    const { model, warnings } = await read(inFolder(files, folder));
    expect(model).toEqual((await read(files)).model);
    expect(model.additionalArtifacts).toMatchObject([{ artifactPath: 'Scripts/a.sh' }]);
    expect(warnings).toMatchObject([{ code: 'csar.top-folder', subject: `${folder}/` }]);
  });

  test('is left away where a Mac zipped it', async () => {
    const mac = { ...inFolder(files), '__MACOSX/router-1.0/._a.mf': APPLE_DOUBLE, 'router-1.0/.DS_Store': 'x' };
    expect((await read(mac)).model).toEqual((await read(files)).model);
  });

  test('is none where something lies beside it', async () => {
    await expect(read({ ...inFolder(files), 'README.txt': 'x' })).rejects.toThrow(
      'router-1.0/TOSCA-Metadata/TOSCA.meta lies too deep',
    );
    await expect(read(inFolder(inFolder(files)))).rejects.toThrow('lies too deep');
  });
});
