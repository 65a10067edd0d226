import { buffer, text } from 'node:stream/consumers';
import { TransientError } from '@windlass/foundation';
import { describe, expect, test } from 'vitest';
import { openCsar } from './csar.js';
import { bufferCsarSource, type CsarSource } from '../source/csar-source.js';
import { rawZip, type RawMember } from '../testing/raw-zip.js';

const open = (members: RawMember[]) => openCsar(bufferCsarSource(rawZip(members)));

describe('malformed and hostile zips', () => {
  test('refuses what is no zip', async () => {
    await expect(openCsar(bufferCsarSource(Buffer.from('GIF89a')))).rejects.toMatchObject({
      code: 'csar.malformed',
      message: /zip/,
    });
    await expect(openCsar(bufferCsarSource(Buffer.alloc(0)))).rejects.toMatchObject({ code: 'csar.malformed' });
  });

  test('refuses a zip that is cut short', async () => {
    const zip = rawZip([{ name: 'a', content: 'x'.repeat(1_000) }]);
    await expect(openCsar(bufferCsarSource(zip.subarray(0, zip.length - 10)))).rejects.toMatchObject({ code: 'csar.malformed' });
  });

  test('refuses a directory that points past the end', async () => {
    const zip = rawZip([{ name: 'a' }]);
    zip.writeUInt32LE(0x7fffffff, zip.length - 6);
    await expect(openCsar(bufferCsarSource(zip))).rejects.toMatchObject({ code: 'csar.malformed', message: /past the end/ });
  });

  test.each([
    ['a symbolic link', { unixMode: 0o120777 }, 'csar.special-file'],
    ['a device', { unixMode: 0o020666 }, 'csar.special-file'],
    ['an encrypted member', { flags: 1 }, 'csar.encrypted'],
    ['a member of unknown compression', { method: 14 }, 'csar.compression-method'],
  ])('refuses %s by its name', async (_, member, code) => {
    await expect(open([{ name: 'Scripts/x', content: '/etc/passwd', ...member }])).rejects.toMatchObject({
      code,
      member: 'Scripts/x',
    });
  });

  test('refuses strong encryption, telling where', async () => {
    await expect(open([{ name: 'first' }, { name: 'second', flags: 0x40 }])).rejects.toMatchObject({
      code: 'csar.encrypted',
      message: /after member first/,
    });
  });

  test('refuses two members of one name, also where only the spelling differs', async () => {
    const twice = { code: 'csar.duplicate-member', member: 'Definitions/a.yaml' };
    await expect(open([{ name: 'Definitions/a.yaml' }, { name: 'Definitions/a.yaml' }])).rejects.toMatchObject(twice);
    await expect(open([{ name: 'Definitions/a.yaml' }, { name: './Definitions//a.yaml' }])).rejects.toMatchObject(twice);
  });

  test('refuses a member that is both file and folder', async () => {
    await expect(open([{ name: 'Scripts' }, { name: 'Scripts/a.sh' }])).rejects.toMatchObject({
      code: 'csar.duplicate-member',
      member: 'Scripts',
    });
  });

  test('refuses to read a member whose own header carries another name', async () => {
    const csar = await open([{ name: 'Scripts/good.sh', localName: 'Scripts/evil.sh', content: 'x' }]);
    await expect(text(csar.openMember('Scripts/good.sh'))).rejects.toMatchObject({
      code: 'csar.malformed',
      member: 'Scripts/good.sh',
    });
  });

  test.each([
    ['a wrong CRC', { content: 'hello', announced: { crc32: 1 } }, 'csar.corrupt'],
    ['less than it announces', { content: 'hello', announced: { size: 9 } }, 'csar.size-mismatch'],
    ['a broken deflate stream', { content: Buffer.alloc(64, 0xff), stored: true, method: 8 }, 'csar.corrupt'],
  ])('fails to read a member with %s', async (_, member, code) => {
    const csar = await open([{ name: 'x.bin', ...member }]);
    await expect(buffer(csar.openMember('x.bin'))).rejects.toMatchObject({ code, member: 'x.bin' });
  });

  test('says that the store failed, not that the package is wrong', async () => {
    const zip = rawZip([{ name: 'a', content: 'x'.repeat(100_000), stored: true }]);
    let broken = false;
    const source: CsarSource = {
      size: zip.length,
      read: (offset, length) =>
        broken ? Promise.reject(new Error('connection lost')) : Promise.resolve(zip.subarray(offset, offset + length)),
    };
    const csar = await openCsar(source);
    broken = true;
    await expect(buffer(csar.openMember('a'))).rejects.toBeInstanceOf(TransientError);
    await expect(openCsar(source)).rejects.toMatchObject({ code: 'package.source-unreadable' });
    const short: CsarSource = { size: zip.length, read: () => Promise.resolve(Buffer.alloc(1)) };
    await expect(openCsar(short)).rejects.toBeInstanceOf(TransientError);
  });
});
