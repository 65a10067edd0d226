import { describe, expect, test } from 'vitest';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, sha256, singleFileVnfd, smallestPackage, type PackageFiles } from '../testing/package-factory.js';

const read = async (files: PackageFiles) => readVnfPackage(await csarOf(smallestPackage(files)));
const META = String(smallestPackage()['TOSCA-Metadata/TOSCA.meta']);
const HOT = String(smallestPackage()['BaseHOT/default/top.yaml']);
const VNFD = singleFileVnfd();
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const getFile = `${HOT}      description: { get_file: user-data.bin }\n`;
const attached = async (content: Buffer) => {
  const { model } = await read({ 'BaseHOT/default/top.yaml': getFile, 'BaseHOT/default/user-data.bin': content });
  return model.flavours[0]?.baseHot?.files['user-data.bin'];
};

describe('a file under get_file', () => {
  test('that is no UTF-8 is handed to Heat as Heat’s own client does: in base64, 76 characters a line', async () => {
    const bytes = Buffer.from(Array.from({ length: 136 }, (_, index) => 120 + index));
    // What Python's base64.encodebytes makes of them.
    const text =
      'eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+w\n' +
      'sbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp\n' +
      '6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==\n';
    expect(await attached(bytes)).toEqual({ path: 'BaseHOT/default/user-data.bin', text });
  });

  test('that is UTF-8 is handed over as it is, its byte order mark too', async () => {
    expect((await attached(Buffer.from('\ufeffGrüße\r\n')))?.text).toBe('\ufeffGrüße\r\n');
  });

  test('that is UTF-8 with a NUL is refused by its name', async () => {
    await expect(attached(Buffer.from('one\ntwo\0'))).rejects.toMatchObject({
      code: 'text.nul',
      member: 'BaseHOT/default/user-data.bin',
      message: /line 2 has a NUL character/,
    });
  });
});

describe('a text of a package', () => {
  test.each<[string, string, PackageFiles]>([
    ['the VNFD', 'Definitions/top.yaml', { 'Definitions/top.yaml': latin1(VNFD.replace('provider: Me', 'provider: Café')) }],
    ['a template', 'BaseHOT/default/top.yaml', { 'BaseHOT/default/top.yaml': latin1(`# é\n${HOT}`) }],
    ['TOSCA.meta', 'TOSCA-Metadata/TOSCA.meta', { 'TOSCA-Metadata/TOSCA.meta': latin1(META.replace('me\n', 'é\n')) }],
    ['a manifest', 'a.mf', { 'a.mf': latin1('metadata:\n  vnf_provider_id: é\n') }],
  ])('in Latin-1 is refused with its place: %s', async (_, member, files) => {
    await expect(read(files)).rejects.toMatchObject({
      code: 'text.not-utf8',
      member,
      message: /line \d+, column \d+: the byte 0xe9 is no UTF-8. Is it Latin-1/,
    });
  });

  test('in UTF-16 is refused as that', async () => {
    const utf16 = Buffer.from(`\ufeff${VNFD}`, 'utf16le');
    await expect(read({ 'Definitions/top.yaml': utf16 })).rejects.toMatchObject({ message: /is UTF-16/ });
    await expect(read({ 'Definitions/top.yaml': Buffer.from(utf16).swap16() })).rejects.toMatchObject({ message: /is UTF-16/ });
  });

  test('with the byte order mark of UTF-8 is read, and its templates go to Heat without it', async () => {
    const { model } = await read({
      'Definitions/top.yaml': `\ufeff${VNFD}`,
      'BaseHOT/default/top.yaml': `\ufeff${HOT}`,
      'a.mf': `\ufeffSource: Definitions/top.yaml\nAlgorithm: SHA-256\nHash: ${sha256(`\ufeff${VNFD}`)}\n`,
    });
    expect(model.flavours[0]?.baseHot?.top.text).toBe(HOT);
    expect(model.additionalArtifacts).toHaveLength(1);
  });

  test.each<[string, string, PackageFiles]>([
    ['the VNFD', 'Definitions/top.yaml', { 'Definitions/top.yaml': VNFD.replace('Me', 'M\0e') }],
    ['a template', 'BaseHOT/default/top.yaml', { 'BaseHOT/default/top.yaml': HOT.replace('nfv:', '# \0\n  nfv:') }],
    ['a manifest', 'a.mf', { 'a.mf': 'metadata:\n  vnf_provider_id: \0\n' }],
    ['TOSCA.meta', 'TOSCA-Metadata/TOSCA.meta', { 'TOSCA-Metadata/TOSCA.meta': META.replace('me\n', '\0\n') }],
  ])('with a NUL is refused by its name and line: %s', async (_, member, files) => {
    await expect(read(files)).rejects.toMatchObject({ code: 'text.nul', member, message: /line \d+ has a NUL/ });
  });

  test.each(['"M\\0e"', '"M\\x00e"', '"\\u0000"', '"\\ud800"', '"\\udc00 lone"'])(
    'with the escape %s is refused by its place',
    async (value) => {
      await expect(read({ 'Definitions/top.yaml': VNFD.replace('provider: Me', `provider: ${value}`) })).rejects.toMatchObject({
        code: 'text.nul',
        member: 'Definitions/top.yaml',
        message: /topology_template\.node_templates\.VNF\.properties\.provider has a NUL/,
      });
      const named = `${HOT}    metadata: { ${value}: x }\n`;
      await expect(read({ 'BaseHOT/default/top.yaml': named })).rejects.toMatchObject({
        message: /a name in resources\.VDU1_CP1\.metadata has a NUL/,
      });
    },
  );

  test('with a whole surrogate pair is read', async () => {
    const { model } = await read({ 'Definitions/top.yaml': VNFD.replace('provider: Me', 'provider: "\\U0001F600 😀"') });
    expect(model.provider).toBe('😀 😀');
  });

  test('is never quoted with half of a character', async () => {
    const long = `${'x'.repeat(1_999 - 'the document imports '.length)}😀😀😀😀.yaml`;
    for (let more = 0; more < 30; more += 1) {
      const imports = `[ "${'y'.repeat(more)}${long}:" ]`;
      const refusal = await read({ 'Definitions/top.yaml': singleFileVnfd({ imports }) }).catch((error: unknown) => error);
      expect((refusal as Error).message).not.toMatch(/\p{Surrogate}/u);
    }
  });
});
