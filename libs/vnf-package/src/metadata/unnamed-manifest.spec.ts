import { describe, expect, test } from 'vitest';
import { vnfdMembers } from '../index.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, sha256, singleFileVnfd, smallestPackage, type PackageFiles } from '../testing/package-factory.js';

const SCRIPT = { 'Scripts/hello.sh': 'echo something else\n' };
const BY_AUTHOR = sha256('echo hello\n');
const manifest = (hash: string, algorithm = 'SHA-256') =>
  `metadata:\n  vnf_product_name: Small\n\nSource: Scripts/hello.sh\nAlgorithm: ${algorithm}\nHash: ${hash}\n`;
const toscaMeta = (entries: string) => ({
  'TOSCA-Metadata/TOSCA.meta': `TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nCreated-By: me\nEntry-Definitions: Definitions/top.yaml\n${entries}`,
});

const read = async (files: PackageFiles) => readVnfPackage(await csarOf(smallestPackage({ ...SCRIPT, ...files })));

/** The ways in which packages have a manifest, each with the file it lies in. */
const SHAPES: [string, string, PackageFiles][] = [
  ['the key of SOL004 2.6.1', 'a.mf', toscaMeta('ETSI-Entry-Manifest: a.mf\n')],
  ['the key of SOL004 2.4.1', 'a.mf', toscaMeta('Entry-Manifest: a.mf\n')],
  ['a key in lower case', 'a.mf', toscaMeta('entry-manifest: a.mf\n')],
  ['a key in upper case, quoted', 'a.mf', toscaMeta('ENTRY-MANIFEST: "a.mf"\n')],
  ['a key in the second block', 'deep/er/a.mf', toscaMeta('\nEntry-Manifest: deep/er/a.mf\n')],
  ['line ends of Windows', 'deep/a.mf', toscaMeta('Entry-Manifest: deep/a.mf\n'.replace(/\n/g, '\r\n'))],
  ['an ending in upper case', 'MRF.MF', toscaMeta('ETSI-Entry-Manifest: MRF.MF\n')],
  ['no key, at the root', 'vendor.mf', {}],
  ['no key, at the root in upper case', 'MRF.MF', {}],
  ['no key, beside the VNFD', 'Definitions/top.mf', {}],
  ['no key, beside TOSCA.meta', 'TOSCA-Metadata/a.mf', {}],
  ['another manifest that a key names', 'b.mf', { ...toscaMeta('ETSI-Entry-Manifest: a.mf\n'), 'a.mf': 'metadata:\n' }],
  [
    'no TOSCA.meta, and another name than the VNFD',
    'other.mf',
    { 'TOSCA-Metadata/TOSCA.meta': undefined, 'Definitions/top.yaml': undefined, 'small.yaml': singleFileVnfd() },
  ],
];

describe('a manifest', () => {
  test.each(SHAPES)('is compared where there is %s', async (_, file, files) => {
    await expect(read({ ...files, [file]: manifest(BY_AUTHOR) })).rejects.toMatchObject({
      code: 'meta.hash-mismatch',
      member: 'Scripts/hello.sh',
      message: expect.stringMatching(
        new RegExp(`${file}, line 4.*${BY_AUTHOR}.*${sha256(SCRIPT['Scripts/hello.sh'])}`),
      ) as string,
    });
    const right = { ...files, [file]: manifest(sha256(SCRIPT['Scripts/hello.sh'])) };
    const { model } = await read(right);
    expect(model.additionalArtifacts).toMatchObject([{ artifactPath: 'Scripts/hello.sh' }]);
    expect(await vnfdMembers(await csarOf(smallestPackage(right)), model)).toContain(file);
  });

  test.each([
    ['lower case', 'sha-256', BY_AUTHOR],
    ['no dash', 'SHA256', BY_AUTHOR],
    ['upper case', 'SHA-256', BY_AUTHOR.toUpperCase()],
  ])('is compared whatever its algorithm and its hash look like: %s', async (_, algorithm, hash) => {
    await expect(read({ 'a.mf': manifest(hash, algorithm) })).rejects.toMatchObject({ code: 'meta.hash-mismatch' });
  });

  test.each([
    ['line ends of Windows', manifest(BY_AUTHOR).replace(/\n/g, '\r\n')],
    ['items of a list', manifest(BY_AUTHOR).replace('Source', '- Source')],
    ['names in upper case', manifest(BY_AUTHOR).replace(/^(Source|Algorithm|Hash)/gm, (name) => name.toUpperCase())],
  ])('is compared with %s', async (_, text) => {
    await expect(read({ 'a.mf': text })).rejects.toMatchObject({ code: 'meta.hash-mismatch' });
  });

  test('that contradicts another is refused: one of them is wrong', async () => {
    const right = manifest(sha256(SCRIPT['Scripts/hello.sh']));
    const both = {
      ...toscaMeta('ETSI-Entry-Manifest: a.mf\nEntry-Manifest: b.mf\n'),
      'a.mf': right,
      'b.mf': manifest(BY_AUTHOR),
    };
    await expect(read(both)).rejects.toMatchObject({ code: 'meta.hash-mismatch', message: /b\.mf, line 4/ });
    await expect(read(toscaMeta('Entry-Manifest: a.mf\nEntry-Manifest: b.mf\n'))).rejects.toMatchObject({
      code: 'meta.malformed',
      message: /line 6 gives entry-manifest another value than line 5/,
    });
  });

  test('that 2.4.1’s key names must be there', async () => {
    await expect(read(toscaMeta('Entry-Manifest: gone.mf\n'))).rejects.toMatchObject({
      code: 'csar.member-absent',
      message: /names it as Entry-Manifest/,
    });
    await expect(read(toscaMeta('Entry-Manifest: a.txt\n'))).rejects.toMatchObject({ code: 'meta.manifest-name' });
  });

  test('that lies where nobody looks for one is told of', async () => {
    const { warnings } = await read({ 'Files/deep/a.mf': manifest(BY_AUTHOR) });
    expect(warnings).toMatchObject([{ code: 'meta.manifest-unread', subject: 'Files/deep/a.mf' }]);
  });

  test('with the wrong hash of an image that the package carries is warned of, with both hashes', async () => {
    const path = 'Files/images/small.img';
    const block = `metadata:\n\nSource: ${path}\nAlgorithm: SHA-256\nHash: `;
    const { warnings } = await read({ [path]: 'an image', 'a.mf': `${block}${sha256('another')}\n` });
    expect(warnings).toMatchObject([{ code: 'meta.image-hash', subject: path }]);
    expect(warnings[0]?.reason).toMatch(new RegExp(`${sha256('another')}.*${sha256('an image')}`));
    expect((await read({ [path]: 'an image', 'a.mf': `${block}${sha256('an image')}\n` })).warnings).toEqual([]);
  });
});

describe('a hash by other words than Algorithm and Hash', () => {
  const RIGHT = sha256(SCRIPT['Scripts/hello.sh']);
  const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
  const lines = (...more: string[]) => `metadata:\n\nName: Scripts/hello.sh\n${more.join('\n')}\n`;

  test.each(['SHA-256-Digest', 'SHA256-Digest', 'sha-256', 'SHA-256-Hash', 'SHA256-Checksum'])('is compared: %s', async (key) => {
    for (const wrong of [BY_AUTHOR, base64(BY_AUTHOR)])
      await expect(read({ 'a.mf': lines(`${key}: ${wrong}`) })).rejects.toMatchObject({
        code: 'meta.hash-mismatch',
        member: 'Scripts/hello.sh',
      });
    for (const right of [RIGHT, base64(RIGHT), RIGHT.toUpperCase()]) {
      const { model, warnings } = await read({ 'a.mf': lines(`${key}: ${right}`) });
      expect(model.additionalArtifacts).toMatchObject([{ artifactPath: 'Scripts/hello.sh' }]);
      expect(warnings.map(({ code }) => code)).not.toContain('meta.hash-unread');
    }
  });

  test('is compared where it is one of several of a file, in TOSCA.meta as well', async () => {
    const two = [`SHA-256-Digest: ${RIGHT}`, `SHA-512-Digest: ${'0'.repeat(128)}`];
    const meta = toscaMeta(`\nName: Scripts/hello.sh\n${two.join('\n')}\n`);
    await expect(read(meta)).rejects.toMatchObject({ code: 'meta.hash-mismatch' });
    await expect(read({ 'a.mf': lines('SHA1-Digest: 0') })).rejects.toMatchObject({ code: 'meta.unknown-algorithm' });
  });

  test('is none in a line that only begins like an algorithm', async () => {
    const { model, warnings } = await read({ 'a.mf': lines('Shared: yes', 'Shape: round', 'MDate: 1') });
    expect(model.additionalArtifacts).toEqual([]);
    expect(warnings.map(({ code }) => code)).not.toContain('meta.hash-unread');
  });

  test.each(['Checksum', 'Hahs', 'Content-Digest'])('is warned of, where its algorithm is not said: %s', async (key) => {
    const { warnings } = await read({ 'a.mf': lines(`${key}: ${BY_AUTHOR}`) });
    expect(warnings).toContainEqual(
      expect.objectContaining({
        code: 'meta.hash-unread',
        reason: expect.stringMatching(/^line 4 .*Scripts\/hello.sh.*Hash/) as string,
      }),
    );
  });

  test('is told the backslash of its path, not that it leads out', async () => {
    const text = manifest(BY_AUTHOR).replace('Scripts/', 'Scripts\\');
    await expect(read({ 'a.mf': text })).rejects.toThrow(/has a backslash.*"\/"/);
  });
});
