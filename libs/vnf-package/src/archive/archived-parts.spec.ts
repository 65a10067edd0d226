import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openCsar, type Csar } from './csar.js';
import { provenBytes } from './proven-bytes.js';
import { rawZip, type RawMember } from '../testing/raw-zip.js';

const MIB = 1_024 * 1_024;
const PART = 64 * 1_024;
/** Half of it can be compressed. */
const content = Buffer.concat(
  Array.from({ length: 64 }, () => Buffer.concat([randomBytes(PART / 2), Buffer.alloc(PART / 2, 'windlass ')])),
);

/** The archive, and how many bytes were read of it. */
async function counted(member: RawMember): Promise<{ csar: Csar; read: () => number }> {
  const zip = rawZip([{ name: 'before.txt', content: 'x' }, member]);
  let read = 0;
  const csar = await openCsar({
    size: zip.length,
    read: (offset, length) => {
      read += length;
      return Promise.resolve(zip.subarray(offset, offset + length));
    },
  });
  return { csar, read: () => read };
}

async function* inOrder(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield await Promise.resolve(part);
}

async function all(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('the archived bytes of a member', () => {
  test.each([true, false])(
    'make its content, in parts that are asked for backwards, one of them twice (stored: %s)',
    async (stored) => {
      const { csar } = await counted({ name: 'image.img', content, stored });
      const { compressedSize } = csar.member('image.img');
      const parts: Buffer[] = [];
      for (let n = Math.floor(compressedSize / PART); n >= 0; n -= 1)
        parts[n] = await csar.archivedBytes('image.img', n * PART, PART);
      expect((await csar.archivedBytes('image.img', PART, PART)).equals(parts[1]!)).toBe(true);
      expect((await all(provenBytes(csar.member('image.img'), inOrder(parts)))).equals(content)).toBe(true);
    },
  );

  test('cost what they hold: reading all parts of a deflated member reads the archive once', async () => {
    const { csar, read } = await counted({ name: 'image.img', content });
    const { compressedSize } = csar.member('image.img');
    const before = read();
    for (let at = 0; at < compressedSize; at += PART) await csar.archivedBytes('image.img', at, PART);
    expect(compressedSize).toBeGreaterThan(2 * MIB);
    expect(read() - before).toBeLessThanOrEqual(compressedSize + PART); // and its own header
  });

  test('end with the member: nothing of the next one is given', async () => {
    const { csar } = await counted({ name: 'image.img', content: 'short', stored: true });
    expect((await csar.archivedBytes('image.img', 3, 100)).toString()).toBe('rt');
    expect(await csar.archivedBytes('image.img', 5, 100)).toHaveLength(0);
    expect(await csar.archivedBytes('image.img', 1_000_000, 100)).toHaveLength(0);
  });
});

describe('what is made of archived bytes', () => {
  const deflated = async (): Promise<{
    archived: Buffer;
    member: { name: string; size: number; deflated: boolean; crc32: number };
  }> => {
    const { csar } = await counted({ name: 'image.img', content });
    return { archived: await csar.archivedBytes('image.img', 0, 10 * MIB), member: csar.member('image.img') };
  };

  test('is refused where a part of it is missing, doubled or in another’s place', async () => {
    const { archived, member } = await deflated();
    const [first, second, rest] = [archived.subarray(0, PART), archived.subarray(PART, 2 * PART), archived.subarray(2 * PART)];
    for (const parts of [[first, rest], [first, second, second, rest], [second, first, rest], [first, second], []]) {
      await expect(all(provenBytes(member, inOrder(parts)))).rejects.toMatchObject({ code: /^csar\.(corrupt|size-mismatch)$/ });
    }
  });

  test('is refused with another CRC-32, and with another size', async () => {
    const { archived, member } = await deflated();
    const proven = (changes: object) => all(provenBytes({ ...member, ...changes }, inOrder([archived])));
    await expect(proven({ crc32: member.crc32 ^ 1 })).rejects.toMatchObject({ code: 'csar.corrupt' });
    await expect(proven({ size: member.size + 1 })).rejects.toMatchObject({ code: 'csar.size-mismatch' });
    await expect(proven({ size: member.size - 1 })).rejects.toMatchObject({ code: 'csar.size-mismatch' });
    await expect(proven({ deflated: false })).rejects.toMatchObject({ code: 'csar.size-mismatch' });
  });

  test('fails with the reader’s own error where the archive can’t be read on', async () => {
    const { archived, member } = await deflated();
    const lost = new Error('the road is gone');
    const breaking = async function* (): AsyncGenerator<Buffer> {
      yield await Promise.resolve(archived.subarray(0, PART));
      throw lost;
    };
    await expect(all(provenBytes(member, breaking()))).rejects.toBe(lost);
  });
});
