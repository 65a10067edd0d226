import { processorTime } from '@windlass/foundation/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { smallestPackage, zipOf, type PackageFiles } from '../testing/package-factory.js';
import { envelopeOf, readSigned, saidOfSignature } from '../testing/signed-packages.js';
import { AUTHORITY, MANIFEST, packageWithManifest, SigningDesk, withSignature } from '../testing/signing-desk.js';

const desk = new SigningDesk();
afterAll(() => desk.close());

const root = desk.certificate('Root', { extensions: AUTHORITY });
const maker = desk.certificate('Maker', { by: root });
const rsa = desk.certificate('RSA Maker', { by: root, key: 'rsa:2048' });
const signers = { certificates: [root.pem], required: true };

const csar = zipOf(smallestPackage({ 'Files/note.txt': 'a note' }));
const signed = withSignature(packageWithManifest(), (manifest) => desk.sign(manifest, maker));
const changedManifest = (change: (text: string) => string): PackageFiles => ({
  ...signed,
  [MANIFEST]: change(String(signed[MANIFEST])),
});
const wrong = (reason: RegExp) => ({ code: 'package.signature-wrong', message: expect.stringMatching(reason) as string });

describe('a signature in the manifest is refused', () => {
  test.each<[string, PackageFiles, RegExp]>([
    ['after one byte of it changed', changedManifest((text) => text.replace('Small', 'Smell')), /not over these bytes/],
    [
      'with a block before it',
      changedManifest((text) => text.replace('metadata:', 'Name: x\n\nmetadata:')),
      /not over these bytes/,
    ],
    ['with a block behind it', changedManifest((text) => `${text}Source: evil.sh\n`), /something follows it/],
    ['with a second one', changedManifest((text) => text + desk.sign(text, maker).toString()), /something follows it/],
    ['that was cut off', changedManifest((text) => text.slice(0, -30)), /expected "-----BEGIN CMS-----" to/],
    [
      'of another kind',
      changedManifest((text) => text.replaceAll('CMS-----', 'PGP SIGNATURE-----')),
      /expected "-----BEGIN CMS-----"/,
    ],
    [
      'that is huge',
      changedManifest((text) => text.replace('-----END', `${'QUFB\n'.repeat(30_000)}-----END`)),
      /longer than the 64 KiB/,
    ],
    ['that is nothing', changedManifest((text) => text.replace(/CMS-----\n[^-]*/, 'CMS-----\nQUFB\n')), /no CMS signature/],
    [
      'over something else',
      withSignature(packageWithManifest(), () => desk.sign('something else', maker)),
      /not over these bytes/,
    ],
    [
      'over something else that it carries',
      withSignature(packageWithManifest(), () => desk.sign('something else', maker, { more: ['-nodetach'] })),
      /not over these bytes/,
    ],
    [
      'over something else, without attributes',
      withSignature(packageWithManifest(), () => desk.sign('something else', maker, { more: ['-noattr'] })),
      /not over these bytes/,
    ],
    ...['md5', 'sha1', 'sha224'].map((md): [string, PackageFiles, RegExp] => [
      `by ${md}`,
      withSignature(packageWithManifest(), (manifest) => desk.sign(manifest, rsa, { more: ['-md', md] })),
      /made with (MD5|SHA-1|SHA-224): sign again/,
    ]),
  ])('%s', async (_, files, reason) => {
    await expect(readSigned(files, signers)).rejects.toMatchObject(wrong(reason));
    // An operator who takes unsigned packages takes no wrong ones.
    await expect(readSigned(files, { ...signers, required: false })).rejects.toMatchObject(wrong(reason));
  });

  test('whose attributes or value were changed', async () => {
    const text = String(signed[MANIFEST]);
    const start = text.indexOf('-----BEGIN CMS-----\n') + '-----BEGIN CMS-----\n'.length;
    const der = Buffer.from(text.slice(start, text.indexOf('-----END')), 'base64');
    // From the end: the value of the signature, then its algorithm, then the attributes.
    for (const back of [1, 20, 110, 140]) {
      const changed = Buffer.from(der);
      changed[changed.length - back]! ^= 1;
      const files = { ...signed, [MANIFEST]: `${text.slice(0, start)}${changed.toString('base64')}\n-----END CMS-----\n` };
      await expect(readSigned(files, signers)).rejects.toMatchObject({ code: 'package.signature-wrong' });
    }
  });

  test('with the hash of another content', async () => {
    await expect(readSigned({ ...signed, 'Scripts/install.sh': 'echo evil\n' }, signers)).rejects.toMatchObject({
      code: 'meta.hash-mismatch',
      member: 'Scripts/install.sh',
    });
  });

  test('with more certificates than are read', async () => {
    const crowd = Array.from({ length: 21 }, (_, index) => desk.certificate(`Crowd ${index}`));
    const files = withSignature(packageWithManifest(), (manifest) => desk.sign(manifest, maker, { with: crowd }));
    await expect(readSigned(files, signers)).rejects.toMatchObject(wrong(/22 certificates; at most 20/));
  });
});

describe('a signature beside the CSAR is refused', () => {
  const cms = desk.sign(csar, maker);

  test('after one byte of the CSAR changed', async () => {
    const changed = Buffer.from(csar);
    // The time of a member in the zip's directory: nothing but the signature would tell.
    const at = changed.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 12;
    changed[at]! ^= 0x40;
    expect(saidOfSignature(await readSigned(envelopeOf(changed, { 'small.cms': cms })))).toEqual([
      'package.signature-unverified',
    ]);
    await expect(readSigned(envelopeOf(changed, { 'small.cms': cms }), signers)).rejects.toMatchObject(
      wrong(/not over these bytes/),
    );
  });

  test.each<[string, Buffer, string, RegExp]>([
    ['over another CSAR', desk.sign(zipOf(smallestPackage()), maker), 'package.signature-wrong', /not over these bytes/],
    ['of two blocks', Buffer.concat([cms, cms]), 'package.signature-wrong', /more than one block/],
    ['by SHA-1', desk.sign(csar, maker, { more: ['-md', 'sha1'] }), 'package.signature-wrong', /made with SHA-1/],
    ['that is a text', Buffer.from('yes, I signed that'), 'package.signature-wrong', /no CMS signature/],
    ['that is a certificate', Buffer.from(maker.pem), 'package.signature-wrong', /no CMS signature/],
    [
      'that is nested without end',
      Buffer.alloc(65_536, Buffer.from([0x30, 0x80])),
      'package.signature-wrong',
      /no CMS signature/,
    ],
    [
      'of a crowd of small parts',
      Buffer.concat([Buffer.from([0x30, 0x82, 0xff, 0]), Buffer.alloc(0xff00, Buffer.from([5, 0]))]),
      'package.signature-wrong',
      /no CMS signature/,
    ],
    ['that is huge', Buffer.alloc(65_537, 0x30), 'csar.member-too-large', /at most 64 KiB/],
  ])('%s', async (_, signature, code, reason) => {
    const before = processorTime();
    await expect(readSigned(envelopeOf(csar, { 'small.cms': signature }), signers)).rejects.toMatchObject({
      code,
      member: 'small.cms',
      message: expect.stringMatching(reason) as string,
    });
    expect(processorTime() - before).toBeLessThan(5_000);
  });

  test('with a certificate beside it that is none', async () => {
    const zip = envelopeOf(csar, { 'small.cms': cms, 'small.cert': 'not a certificate' });
    await expect(readSigned(zip, signers)).rejects.toMatchObject(wrong(/certificate beside it can't be read/));
  });

  test('that was made for the CSAR’s manifest', async () => {
    const inner = zipOf(signed);
    const block = String(signed[MANIFEST]).slice(String(signed[MANIFEST]).indexOf('-----BEGIN'));
    await expect(readSigned(envelopeOf(inner, { 'small.cms': block }), signers)).rejects.toMatchObject(
      wrong(/not over these bytes/),
    );
  });
});
