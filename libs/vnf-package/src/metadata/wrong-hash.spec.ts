import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readMetadata } from './tosca-meta.js';
import type { PackageError } from '../refusals/package-error.js';
import { readVnfPackage, type ReadOptions } from '../read-vnf-package.js';
import { csarOf, sha256, singleFileVnfd, smallestPackage, type PackageFiles } from '../testing/package-factory.js';

const FIRST_BLOCK = 'TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nCreated-By: me\nEntry-Definitions: Definitions/top.yaml\n';
const meta = (blocks: string, first = FIRST_BLOCK) => `${first}\n${blocks}`;
const SCRIPT = { 'Scripts/a.sh': 'echo a\n' };

const read = async (files: PackageFiles, options?: ReadOptions) => readVnfPackage(await csarOf(smallestPackage(files)), options);
const withBlocks = (blocks: string, files: PackageFiles = SCRIPT) =>
  read({ 'TOSCA-Metadata/TOSCA.meta': meta(blocks), ...files });

describe('hashes of a package', () => {
  test.each(['SHA-224', 'SHA-256', 'sha-384', 'SHA-512', 'sha256'])(
    'are verified by %s, and make the artifact downloadable',
    async (algorithm) => {
      const hash = createHash(algorithm.replace('-', '').toLowerCase())
        .update(SCRIPT['Scripts/a.sh'])
        .digest('hex')
        .toUpperCase();
      const { model } = await withBlocks(
        `Name: Scripts/a.sh\nContent-Type: application/sh\nAlgorithm: ${algorithm}\nHash: ${hash}\n`,
      );
      expect(model.additionalArtifacts).toEqual([{ artifactPath: 'Scripts/a.sh', checksum: { algorithm, hash }, metadata: {} }]);
    },
  );

  test('a wrong one is refused with the member, both hashes and the line', async () => {
    const refusal = (await withBlocks(`Name: Scripts/a.sh\nAlgorithm: SHA-256\nHash: ${sha256('other')}\n`).catch(
      (e: unknown) => e,
    )) as PackageError;
    expect(refusal).toMatchObject({ code: 'meta.hash-mismatch', member: 'Scripts/a.sh' });
    expect(refusal.message).toContain(sha256('other'));
    expect(refusal.message).toContain(sha256(SCRIPT['Scripts/a.sh']));
    expect(refusal.message).toContain('TOSCA-Metadata/TOSCA.meta, line 6');
  });

  test.each([
    ['an unknown algorithm', `Name: Scripts/a.sh\nAlgorithm: MD5\nHash: 00\n`, 'meta.unknown-algorithm', 'Scripts/a.sh'],
    ['a missing member', `Name: Scripts/b.sh\nAlgorithm: SHA-256\nHash: 00\n`, 'csar.member-absent', 'Scripts/b.sh'],
    [
      'a path out of the package',
      `Name: ../../etc/passwd\nAlgorithm: SHA-256\nHash: 00\n`,
      'csar.member-absent',
      '../../etc/passwd',
    ],
    ['a block without Hash', `Name: Scripts/a.sh\nAlgorithm: SHA-256\n`, 'meta.incomplete-block', 'TOSCA-Metadata/TOSCA.meta'],
    [
      'a block with an empty Hash',
      `Name: Scripts/a.sh\nAlgorithm: SHA-256\nHash:\n`,
      'meta.incomplete-block',
      'TOSCA-Metadata/TOSCA.meta',
    ],
    ['a block without Algorithm', `Name: Scripts/a.sh\nHash: 00\n`, 'meta.incomplete-block', 'TOSCA-Metadata/TOSCA.meta'],
    ['a block without Name', `Algorithm: SHA-256\nHash: 00\n`, 'meta.incomplete-block', 'TOSCA-Metadata/TOSCA.meta'],
    [
      'a file of the VNFM',
      `Source: file:///etc/passwd\nAlgorithm: SHA-256\nHash: 00\n`,
      'meta.remote-source',
      'file:///etc/passwd',
    ],
    ['a line that is no field', `Name: Scripts/a.sh\nnonsense\n`, 'meta.malformed', 'TOSCA-Metadata/TOSCA.meta'],
  ])('%s is refused', async (_, blocks, code, member) => {
    await expect(withBlocks(blocks)).rejects.toMatchObject({ code, member });
  });

  test('a forgotten blank line hides no hash', async () => {
    const good = sha256(SCRIPT['Scripts/a.sh']);
    const blocks = `Name: Scripts/b.sh\nAlgorithm: SHA-256\nHash: 00\nName: Scripts/a.sh\nAlgorithm: SHA-256\nHash: ${good}\n`;
    await expect(withBlocks(blocks, { ...SCRIPT, 'Scripts/b.sh': 'echo b\n' })).rejects.toMatchObject({
      code: 'meta.hash-mismatch',
      member: 'Scripts/b.sh',
    });
  });

  test('images are left to the VIM, and a Name with a Content-Type claims nothing', async () => {
    const blocks =
      'Name: Files/images/a.qcow2\nAlgorithm: SHA-512\nHash: 00\n\nName: Files/absent.txt\nContent-Type: text/plain\n';
    expect((await withBlocks(blocks)).model.additionalArtifacts).toEqual([]);
  });

  test('the same artifact claimed twice appears once', async () => {
    const block = `Name: Scripts/a.sh\nAlgorithm: SHA-256\nHash: ${sha256(SCRIPT['Scripts/a.sh'])}\n`;
    const manifest = `metadata:\n  vnf_product_name: Small\n\n${block.replace('Name', 'Source')}\n-----BEGIN CMS-----\nMIID\n-----END CMS-----\n`;
    const { model } = await read({
      ...SCRIPT,
      'TOSCA-Metadata/TOSCA.meta': meta(`${block}\n${block}`, `${FIRST_BLOCK}ETSI-Entry-Manifest: top.mf\n`),
      'top.mf': manifest,
    });
    expect(model.additionalArtifacts).toHaveLength(1);
  });

  test('the hashes of a manifest count as well', async () => {
    const files = {
      ...SCRIPT,
      'TOSCA-Metadata/TOSCA.meta': `${FIRST_BLOCK}ETSI-Entry-Manifest: top.mf\n`,
      'top.mf': `metadata:\n  vnf_product_name: Small\n\nSource: Scripts/a.sh\nAlgorithm: SHA-256\nHash: 00\n`,
    };
    await expect(read(files)).rejects.toMatchObject({
      code: 'meta.hash-mismatch',
      member: 'Scripts/a.sh',
      message: /top.mf, line 4/,
    });
  });
});

describe('artifacts that lie elsewhere', () => {
  const url = 'https://user:secret@artifacts.example/a.tgz';
  const block = (hash: string) => ({ 'TOSCA-Metadata/TOSCA.meta': meta(`Source: ${url}\nAlgorithm: SHA-256\nHash: ${hash}\n`) });

  test('are not fetched, and the refusal shows no password', async () => {
    const refusal = (await read(block('00')).catch((e: unknown) => e)) as PackageError;
    expect(refusal.code).toBe('meta.remote-source');
    expect(refusal.message).toContain('https://***@artifacts.example/a.tgz');
    expect(refusal.message).toContain('put the file into the package');
    expect(refusal.message).not.toContain('secret');
  });

  test('are fetched where the caller gives a way', async () => {
    const asked: string[] = [];
    const remoteArtifacts = {
      refusal: () => undefined,
      fetch: (wanted: string) => {
        asked.push(wanted);
        return Promise.resolve(
          (async function* () {
            yield await Promise.resolve(Buffer.from('content'));
          })(),
        );
      },
    };
    const { model } = await read(block(sha256('content')), { remoteArtifacts });
    expect(asked).toEqual([url]);
    expect(model.additionalArtifacts).toHaveLength(1);
    await expect(read(block(sha256('other')), { remoteArtifacts })).rejects.toMatchObject({ code: 'meta.hash-mismatch' });
  });

  test('are refused with what the caller has against them, before anything is fetched', async () => {
    const remoteArtifacts = {
      refusal: ({ hostname }: URL) => `not from ${hostname}`,
      fetch: () => Promise.reject(new Error('nobody asks')),
    };
    const refusal = (await read(block('00'), { remoteArtifacts }).catch((e: unknown) => e)) as PackageError;
    expect(refusal).toMatchObject({ code: 'meta.remote-source', message: /line 6: not from artifacts\.example/ });
    expect(refusal.message).not.toContain('secret');
  });

  test('are told of where they are only looked at from afar, and are no artifacts then', async () => {
    const { model, warnings } = await read(block('00'), { remoteArtifacts: { refusal: () => undefined } });
    expect(model.additionalArtifacts).toEqual([]);
    expect(warnings).toMatchObject([
      { code: 'meta.remote-unseen', reason: /^https:\/\/\*\*\*@artifacts.example\/a.tgz is not fetched/ },
    ]);
  });
});

describe('the way into a package', () => {
  test.each([
    ['no Entry-Definitions', { 'TOSCA-Metadata/TOSCA.meta': 'CSAR-Version: 1.1\n' }, 'csar.no-entry-definitions'],
    ['an empty TOSCA.meta', { 'TOSCA-Metadata/TOSCA.meta': '' }, 'csar.no-entry-definitions'],
    ['an absent top VNFD', { 'Definitions/top.yaml': undefined }, 'csar.member-absent'],
    ['a top VNFD outside', { 'TOSCA-Metadata/TOSCA.meta': 'Entry-Definitions: ../top.yaml\n' }, 'meta.malformed'],
    [
      'a manifest of another ending',
      { 'TOSCA-Metadata/TOSCA.meta': `${FIRST_BLOCK}ETSI-Entry-Manifest: top.txt\n` },
      'meta.manifest-name',
    ],
    ['an absent manifest', { 'TOSCA-Metadata/TOSCA.meta': `${FIRST_BLOCK}ETSI-Entry-Manifest: top.mf\n` }, 'csar.member-absent'],
    ['nothing at all', { 'TOSCA-Metadata/TOSCA.meta': undefined }, 'csar.no-entry-definitions'],
    [
      'two YAML files at the root',
      { 'TOSCA-Metadata/TOSCA.meta': undefined, 'a.yaml': 'a: 1', 'b.yml': 'b: 1' },
      'csar.no-entry-definitions',
    ],
  ])('%s is refused', async (_, files: PackageFiles, code) => {
    await expect(read(files)).rejects.toMatchObject({ code });
  });

  test('a single YAML file at the root will do, with the manifest of its name', async () => {
    const files = {
      'TOSCA-Metadata/TOSCA.meta': undefined,
      'Definitions/top.yaml': undefined,
      'small.yaml': singleFileVnfd(),
      'small.mf': `metadata:\n\nSource: Scripts/a.sh\nAlgorithm: SHA-256\nHash: ${sha256(SCRIPT['Scripts/a.sh'])}\n`,
      ...SCRIPT,
    };
    const { model } = await read(files);
    expect(model).toMatchObject({ entryDefinitions: 'small.yaml', additionalArtifacts: [{ artifactPath: 'Scripts/a.sh' }] });
  });

  test('TOSCA.meta may come from Windows, with a mark of its byte order and quoted values', async () => {
    const text =
      '\ufeffTOSCA-Meta-File-Version: 1.0\r\nentry-definitions: "Definitions/top.yaml"\r\n\r\n# a comment\r\nName: x\r\n';
    const csar = await csarOf(smallestPackage({ 'TOSCA-Metadata/TOSCA.meta': text }));
    expect(await readMetadata(csar)).toMatchObject({
      entryDefinitions: 'Definitions/top.yaml',
      artifactBlocks: [{ block: { line: 5 } }],
    });
  });
});
