import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCsar } from '../archive/csar.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { sha256, singleFileVnfd, smallestPackage, zipOf, type PackageFiles } from '../testing/package-factory.js';
import { buildCsar, rebuildCsar } from './build-csar.js';

const META = 'TOSCA-Metadata/TOSCA.meta';
const FIRST_BLOCK = 'TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nCreated-By: me\nEntry-Definitions: Definitions/top.yaml\n';
const SCRIPT = 'echo a\n';

let root = '';
let made = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'windlass-hashes-'));
});
afterAll(() => rm(root, { recursive: true }));

/** A folder with these files beside those of the smallest package. */
async function folderOf(files: PackageFiles): Promise<string> {
  const folder = join(root, `package-${(made += 1)}`);
  for (const [name, content] of Object.entries(smallestPackage(files))) {
    if (content === undefined) continue;
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

const packed = async (files: PackageFiles) => {
  const folder = await folderOf({ 'Scripts/a.sh': SCRIPT, ...files });
  const built = await buildCsar(folder, `${folder}.csar`);
  const csar = await openCsar(built.path);
  const { model } = await readVnfPackage(csar);
  await csar.close();
  return { folder, built, model };
};

describe('hashes that are no longer those of the files', () => {
  test.each([
    ['another file’s', sha256('other')],
    ['a placeholder', '@HASH@'],
    ['none yet', ''],
  ])('are renewed in what is packed: %s', async (_, hash) => {
    const text = `${FIRST_BLOCK}\r\nName: Scripts/a.sh\r\nAlgorithm: SHA-256\r\nHash: ${hash}\r\n# the end`;
    const { built, model, folder } = await packed({ [META]: text });
    expect(built.renewed).toEqual([{ file: META, line: 8, member: 'Scripts/a.sh' }]);
    expect(model.additionalArtifacts).toMatchObject([{ artifactPath: 'Scripts/a.sh', checksum: { hash: sha256(SCRIPT) } }]);
    // Nothing else of it is changed, and the folder is its author's.
    expect(built.texts.get(META)).toBe(text.replace(`Hash: ${hash}`, `Hash: ${sha256(SCRIPT)}`));
    expect(await readFile(join(folder, META), 'utf8')).toBe(text);
  });

  test.each(['SHA-224', 'sha-384', 'SHA-512'])('are renewed by their own algorithm: %s', async (algorithm) => {
    const { built } = await packed({ [META]: `${FIRST_BLOCK}\nSource: ./Scripts/a.sh\nAlgorithm: ${algorithm}\nHash: 00\n` });
    const hash = createHash(algorithm.replace('-', '').toLowerCase()).update(SCRIPT).digest('hex');
    expect(built.texts.get(META)).toContain(`Hash: ${hash}\n`);
  });

  test.each([
    ['named by the key of SOL004 2.4.1', 'deep/a.mf', 'Entry-Manifest: deep/a.mf\n'],
    ['that no key names', 'MRF.MF', ''],
  ])('of a manifest %s are renewed', async (_, file, entry) => {
    const { built } = await packed({
      [META]: `${FIRST_BLOCK}${entry}`,
      [file]: 'Source: Scripts/a.sh\nAlgorithm: SHA-256\nHash: 00\n',
    });
    expect(built.renewed).toEqual([{ file, line: 3, member: 'Scripts/a.sh' }]);
  });

  test('of a manifest are renewed, too, TOSCA.meta’s own last; a signature is told to be of the text before', async () => {
    const block = (name: string) => `Source: ${name}\nAlgorithm: SHA-256\nHash: ${'0'.repeat(64)}\n`;
    const { built, model } = await packed({
      [META]: `${FIRST_BLOCK}ETSI-Entry-Manifest: top.mf\n\n${block('Scripts/a.sh')}`,
      'top.mf': `metadata:\n  vnf_product_name: x\n\n${block(META)}\n${block('Scripts/a.sh')}\n-----BEGIN CMS-----\nMIID\n-----END CMS-----\n`,
    });
    expect(built.renewed.map(({ file, member }) => `${file} ${member}`)).toEqual([
      `${META} Scripts/a.sh`,
      `top.mf ${META}`,
      'top.mf Scripts/a.sh',
    ]);
    expect(built.unsigned).toEqual(['top.mf']);
    expect(model.additionalArtifacts).toHaveLength(2);
  });

  test('of the manifest beside a single YAML file are renewed', async () => {
    const { model } = await packed({
      [META]: undefined,
      'Definitions/top.yaml': undefined,
      'small.yaml': singleFileVnfd(),
      'small.mf': 'metadata:\n\nSource: Scripts/a.sh\nAlgorithm: SHA-256\nHash: 00\n',
    });
    expect(model.additionalArtifacts).toMatchObject([{ artifactPath: 'Scripts/a.sh' }]);
  });

  test('of the manifest in TOSCA.meta are renewed after the manifest’s own', async () => {
    const { built } = await packed({
      [META]: `${FIRST_BLOCK}ETSI-Entry-Manifest: top.mf\n\nName: top.mf\nAlgorithm: SHA-256\nHash: 00\n`,
      'top.mf': 'Source: Scripts/a.sh\nAlgorithm: SHA-256\nHash: 00\n',
    });
    expect(built.renewed.map(({ file }) => file)).toEqual(['top.mf', META]);
  });

  test('that no file could have are refused: of each other, and of the file they stand in', async () => {
    const each = (name: string) => `Source: ${name}\nAlgorithm: SHA-256\nHash: 00\n`;
    const manifest = `${FIRST_BLOCK}ETSI-Entry-Manifest: top.mf\n`;
    await expect(packed({ [META]: `${manifest}\n${each('top.mf')}`, 'top.mf': each(META) })).rejects.toThrow(
      "give each other's hash, which changes as it is written down",
    );
    await expect(packed({ [META]: manifest, 'top.mf': each('top.mf') })).rejects.toThrow('top.mf gives its own hash');
  });

  test('of what the package has not, or has elsewhere, are left as they are', async () => {
    const folder = await folderOf({
      [META]: `${FIRST_BLOCK}\nName: Scripts/b.sh\nAlgorithm: SHA-256\nHash: 00\n\nName: https://a.example/x\nAlgorithm: SHA-256\nHash: 11\n`,
    });
    expect((await buildCsar(folder, `${folder}.csar`)).renewed).toEqual([]);
  });

  test('are renewed in a zip that somebody made, whose copy is the same bytes as the folder’s', async () => {
    const files = { [META]: `${FIRST_BLOCK}\nName: Scripts/a.sh\nAlgorithm: SHA-256\nHash: 00\n`, 'Scripts/a.sh': SCRIPT };
    const zip = join(root, 'made.zip');
    await writeFile(zip, zipOf(smallestPackage(files)));
    const again = await rebuildCsar(zip, join(root, 'again.zip'));
    expect(again.renewed).toHaveLength(1);
    const { built } = await packed(files);
    expect(again.sha256).toBe(built.sha256);
  });

  test('stay where the package is only looked at', async () => {
    const folder = await folderOf({
      [META]: `${FIRST_BLOCK}\nName: Scripts/a.sh\nAlgorithm: SHA-256\nHash: 00\n`,
      'Scripts/a.sh': SCRIPT,
    });
    const { path } = await buildCsar(folder, `${folder}.csar`, { asItLies: true });
    const csar = await openCsar(path);
    await expect(readVnfPackage(csar)).rejects.toMatchObject({ code: 'meta.hash-mismatch' });
    await csar.close();
  });
});
