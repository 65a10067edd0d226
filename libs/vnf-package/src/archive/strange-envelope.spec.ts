import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openCsar } from './csar.js';
import { bufferCsarSource } from '../source/csar-source.js';
import { smallestPackage, zipOf } from '../testing/package-factory.js';
import { rawZip } from '../testing/raw-zip.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { envelopeOf } from '../testing/signed-packages.js';

const csar = zipOf(smallestPackage());
const open = (zip: Buffer) => openCsar(bufferCsarSource(zip));

describe('a zip around a CSAR', () => {
  test('gives the CSAR as the package, and reads no more of it than is asked for', async () => {
    const zip = envelopeOf(csar, { 'small.cms': 'x', 'small.cert': 'y' });
    let read = 0;
    const opened = await openCsar({
      size: zip.length,
      read: (offset, length) => {
        read = Math.max(read, length);
        return Promise.resolve(zip.subarray(offset, offset + length));
      },
    });
    expect(opened.members.map(({ name }) => name)).toEqual(Object.keys(smallestPackage()));
    expect(opened.envelope).toMatchObject({ csar: 'small.csar', signature: 'small.cms', certificate: 'small.cert' });
    expect(read).toBeLessThanOrEqual(64 * 1_024);
  });

  test.each<[string, Buffer, RegExp]>([
    [
      'with a large CSAR deflated',
      envelopeOf(
        zipOf(smallestPackage({ 'Files/large.bin': randomBytes(5 * 1_024 * 1_024) })),
        { 'small.cms': 'x' },
        { stored: false },
      ),
      /larger than the 4 MiB.*zip -0 package.zip small.csar small.cms"/,
    ],
    ['without a signature', envelopeOf(csar, {}), /has no small\.cms/],
    [
      'with signatures of other names alone',
      envelopeOf(csar, { 'other.cms': 'x', 'another.sig': 'y' }),
      /several signatures, of which none has its name/,
    ],
    ['with two CSARs', envelopeOf(csar, { 'small.cms': 'x', 'second.csar': csar }), /^second\.csar: /],
  ])('is refused %s', async (_, zip, reason) => {
    await expect(open(zip)).rejects.toMatchObject({ code: 'csar.envelope', message: reason });
  });

  test.each([
    ['small.cms', 'small.cert'],
    ['small.csar.cms', 'small.csar.crt'],
    ['small.sig', 'small.pem'],
    ['small.p7s', 'small.cer'],
    ['signature.cms', 'vendor.cert'],
  ])('may have its files called %s and %s', async (signature, certificate) => {
    const opened = await open(envelopeOf(csar, { [signature]: 'x', [certificate]: 'y' }));
    expect(opened.envelope).toMatchObject({ csar: 'small.csar', signature, certificate });
  });

  test('may have further files, which are told of and belong to no package', async () => {
    const beside = { 'small.cms': 'x', 'readme.txt': 'y', 'Scripts/a.sh': 'z', 'other.cms': 'x' };
    const opened = await open(envelopeOf(csar, beside));
    expect(opened.has('Scripts/a.sh')).toBe(false);
    const { warnings } = await readVnfPackage(opened);
    expect(warnings.filter(({ code }) => code === 'csar.beside').map(({ subject }) => subject)).toEqual([
      'readme.txt',
      'Scripts/a.sh',
      'other.cms',
    ]);
  });

  test('may hold a package that is called .zip, where a signature lies beside it', async () => {
    const members = [
      { name: 'vendor.zip', content: csar, stored: true },
      { name: 'vendor.cms', content: 'x' },
    ];
    expect((await open(rawZip(members))).envelope).toMatchObject({ csar: 'vendor.zip', signature: 'vendor.cms' });
  });

  test('may have been zipped with its folder, on a Mac', async () => {
    const members = [
      { name: 'vendor/small.csar', content: csar, stored: true },
      { name: 'vendor/small.cms', content: 'x' },
      { name: 'vendor/.DS_Store', content: 'x' },
      { name: '__MACOSX/vendor/._small.csar', content: 'x' },
    ];
    const opened = await open(rawZip(members));
    expect(opened.envelope).toMatchObject({ csar: 'small.csar', signature: 'small.cms' });
    expect((await readVnfPackage(opened)).model.productName).toBe('Small');
  });

  test('gives a small CSAR that is deflated, and holds it to what the zip announces', async () => {
    const opened = await open(envelopeOf(csar, { 'small.cms': 'x' }, { stored: false }));
    expect((await opened.readMember('Definitions/top.yaml', 10_000)).toString()).toBe(smallestPackage()['Definitions/top.yaml']);
    const lying = envelopeOf(csar, { 'small.cms': 'x' }, { stored: false, announced: { size: 100 } });
    await expect(open(lying)).rejects.toMatchObject({ code: 'csar.size-mismatch' });
    const torn = envelopeOf(csar, { 'small.cms': 'x' }, { stored: false, announced: { crc32: 1 } });
    await expect(open(torn)).rejects.toMatchObject({ code: 'csar.corrupt' });
  });

  test('is refused where the CSAR is none, or ends after the zip', async () => {
    await expect(open(envelopeOf(Buffer.from('no zip'), { 'small.cms': 'x' }))).rejects.toMatchObject({ code: 'csar.malformed' });
    const announced = { size: 1_000_000, compressedSize: 1_000_000 };
    const cut = rawZip([
      { name: 'small.cms', content: 'x' },
      { name: 'small.csar', content: csar, stored: true, announced },
    ]);
    await expect(open(cut)).rejects.toMatchObject({ code: expect.stringMatching(/^csar\.(corrupt|malformed)$/) as string });
  });

  test('is not opened twice, and a package that has a .csar of its own is a package', async () => {
    const inner = envelopeOf(csar, { 'small.cms': 'x' });
    expect((await open(envelopeOf(inner, { 'small.cms': 'x' }))).members.map(({ name }) => name)).toEqual([
      'small.csar',
      'small.cms',
    ]);
    const own = await open(zipOf(smallestPackage({ 'extra.csar': csar })));
    expect(own.envelope).toBeUndefined();
    expect(own.has('extra.csar')).toBe(true);
  });
});
