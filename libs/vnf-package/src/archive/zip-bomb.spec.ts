import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { openCsar } from './csar.js';
import { bufferCsarSource } from '../source/csar-source.js';
import type { CsarLimitOptions } from '../refusals/limits.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { smallestPackage } from '../testing/package-factory.js';
import { rawZip, type RawMember } from '../testing/raw-zip.js';

const MIB = 1_024 * 1_024;
const open = (members: RawMember[], limits?: CsarLimitOptions) => openCsar(bufferCsarSource(rawZip(members)), limits);

describe('zip bombs', () => {
  test('refuses a package that is too large before reading any of it', async () => {
    const source = { size: 2_000, read: () => Promise.reject(new Error('must not be read')) };
    await expect(openCsar(source, { packageBytes: 1_000 })).rejects.toMatchObject({ code: 'csar.too-large', message: /2 KiB/ });
  });

  test('refuses too many members by the announced number, without listing them', async () => {
    const zip = rawZip([{ name: 'a' }], { announcedMembers: 60_000 });
    await expect(openCsar(bufferCsarSource(zip))).rejects.toMatchObject({
      code: 'csar.too-many-members',
      message: /60000.*10000/,
    });
  });

  test('refuses a member that announces too much', async () => {
    await expect(
      open([{ name: 'big.bin', content: 'x'.repeat(2_000), stored: true }], { memberBytes: 1_000 }),
    ).rejects.toMatchObject({
      code: 'csar.member-too-large',
      member: 'big.bin',
    });
  });

  test('refuses the member with which all together announce too much', async () => {
    const members = ['a', 'b', 'c'].map((name) => ({ name, content: 'x'.repeat(400) }));
    await expect(open(members, { totalBytes: 1_000 })).rejects.toMatchObject({ code: 'csar.total-too-large', member: 'c' });
  });

  test('refuses a ratio by what the member announces', async () => {
    await expect(open([{ name: 'zeros.bin', content: Buffer.alloc(20 * MIB) }])).rejects.toMatchObject({
      code: 'csar.compression-ratio',
      member: 'zeros.bin',
    });
  });

  test('takes a small member of any ratio, and a large one that is stored', async () => {
    const csar = await open([
      { name: 'sparse.img', content: Buffer.alloc(64 * 1_024) },
      { name: 'stored.img', content: Buffer.alloc(20 * MIB), stored: true },
    ]);
    expect(await csar.digestMember('stored.img', ['sha256'])).toHaveProperty('sha256');
    expect(await csar.digestMember('sparse.img', [])).toEqual({});
  });

  test('stops reading where a member holds more than it announces, and hands none of that on', async () => {
    const zip = rawZip([{ name: 'liar.bin', content: randomBytes(20 * MIB), announced: { size: 100_000 } }]);
    let read = 0;
    const csar = await openCsar({
      size: zip.length,
      read: (offset, length) => {
        read += length;
        return Promise.resolve(zip.subarray(offset, offset + length));
      },
    });
    let received = 0;
    const reading = async () => {
      for await (const chunk of csar.openMember('liar.bin')) received += (chunk as Buffer).length;
    };
    await expect(reading()).rejects.toMatchObject({ code: 'csar.size-mismatch', member: 'liar.bin' });
    expect(received).toBeLessThanOrEqual(100_000);
    expect(read).toBeLessThan(2 * MIB); // what the streams between had read ahead
  });

  test('can not be fooled into a better ratio by a larger announced size of what is compressed', async () => {
    const content = Buffer.alloc(20 * MIB);
    const announced = { compressedSize: 10 * MIB };
    await expect(
      open([{ name: 'liar.bin', content, announced }]).then((csar) => buffer(csar.openMember('liar.bin'))),
    ).rejects.toMatchObject({
      code: 'csar.corrupt',
      member: 'liar.bin',
      message: /overflows file bounds/,
    });
  });

  test('refuses members that share their bytes', async () => {
    await expect(
      open([
        { name: 'a', content: 'x'.repeat(5_000) },
        { name: 'b', content: 'x'.repeat(5_000), overlaps: 0 },
      ]),
    ).rejects.toMatchObject({
      code: 'csar.overlapping-members',
      member: 'b',
    });
  });

  test('onboarding finds a bomb in a member that nothing refers to', async () => {
    const members = Object.entries(smallestPackage()).map(([name, content]) => ({ name, content: content! }));
    const bomb = { name: 'Files/forgotten.bin', content: Buffer.alloc(9 * MIB), announced: { size: 10 } };
    const csar = await open([...members, bomb]);
    await expect(readVnfPackage(csar)).rejects.toMatchObject({ code: 'csar.size-mismatch', member: 'Files/forgotten.bin' });
  });

  test('gives up between two reads when it is told to', async () => {
    const csar = await open([{ name: 'a.bin', content: Buffer.alloc(MIB), stored: true }]);
    const stop = new AbortController();
    const reading = buffer(csar.openMember('a.bin', { signal: stop.signal }));
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });
});
