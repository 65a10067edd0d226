import { randomBytes } from 'node:crypto';
import { RequestError } from '@windlass/foundation';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodedFrame } from './frames.js';
import { checkBackup } from './restore-backup.js';
import { headerOf, opened, sealed, uint32, type BackupHeader } from './sealed-file.js';

const MIB = 1 << 20;
const key = randomBytes(32);
const header: BackupHeader = {
  ...{ format: 1, release: '0.1.0', schema: 'Incarnations1700000000042', takenAt: '2026-11-27T08:00:00.000Z', incarnation: 0 },
  ...{ deploymentId: 'd', masterKeys: [], withMasterKey: false },
};

async function* inPieces(bytes: Buffer, size = 100_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function whole(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

const seal = (content: Buffer, head = header) => whole(sealed(head, key, inPieces(content)));
const open = (file: Buffer, with_ = key) => whole(opened(inPieces(file), with_));
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'opened',
    (error: unknown) => (error instanceof RequestError ? error.code : String(error)),
  );

/** Where the header ends and each chunk begins. */
function chunksOf(file: Buffer): { head: Buffer; chunks: Buffer[] } {
  let at = 20 + file.readUInt32BE(16);
  const head = file.subarray(0, at);
  const chunks: Buffer[] = [];
  while (at < file.length) {
    const end = at + 5 + file.readUInt32BE(at + 1);
    chunks.push(file.subarray(at, end));
    at = end;
  }
  return { head, chunks };
}

describe('a sealed backup', () => {
  it.each([0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB])('gives back %i bytes', async (size) => {
    const content = randomBytes(size);
    const file = await seal(content);
    expect((await open(file)).equals(content)).toBe(true);
    expect(await headerOf(inPieces(file))).toEqual(header);
  });

  it('does not open with another key, and says so', async () => {
    expect(await codeOf(open(await seal(randomBytes(10)), randomBytes(32)))).toBe('backup.wrong-key');
  });

  it('does not open where it breaks off, wherever that is', async () => {
    const file = await seal(randomBytes(2 * MIB + 5));
    const { head, chunks } = chunksOf(file);
    const places = [head.length - 1, head.length, head.length + 3, head.length + 2000, file.length - 1];
    const behindEach = chunks.slice(0, -1).map((_chunk, index) => Buffer.concat([head, ...chunks.slice(0, index + 1)]).length);
    for (const place of [...places, ...behindEach])
      expect([place, await codeOf(open(file.subarray(0, place)))]).toEqual([place, 'backup.truncated']);
    expect(await codeOf(open(file.subarray(0, 15)))).toBe('backup.none');
  });

  it('does not open where chunks are reordered, left out, doubled or of another backup', async () => {
    const { head, chunks } = chunksOf(await seal(randomBytes(3 * MIB + 5)));
    const [a, b, c, d] = chunks as [Buffer, Buffer, Buffer, Buffer];
    const [other] = chunksOf(await seal(randomBytes(3 * MIB + 5))).chunks as [Buffer];
    for (const order of [
      [b, a, c, d],
      [a, c, d],
      [a, a, b, c, d],
      [other, b, c, d],
      [a, b, d],
    ])
      expect(await codeOf(open(Buffer.concat([head, ...order])))).toBe('backup.damaged');
    expect(await codeOf(open(Buffer.concat([head, a, b, c, d, d])))).toBe('backup.damaged');
  });

  it('does not open where a bit is another, in the header or behind it', async () => {
    const file = await seal(randomBytes(500));
    for (let at = 16; at < file.length; at += 13) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect([at, await codeOf(open(changed))]).not.toEqual([at, 'opened']);
    }
  });

  it('does not open where its middle says that it is the last', async () => {
    const { head, chunks } = chunksOf(await seal(randomBytes(2 * MIB)));
    const last = Buffer.from(chunks[0] ?? Buffer.alloc(0));
    last[0] = 1;
    expect(await codeOf(open(Buffer.concat([head, last])))).toBe('backup.damaged');
  });

  it('is refused where a later release wrote it, or where it is something else', async () => {
    const later = await whole(sealed({ ...header, format: 2 }, key, inPieces(Buffer.from('x'))));
    expect(await codeOf(open(later))).toBe('backup.newer-format');
    expect(await codeOf(open(Buffer.from('PGDMP and more of a dump')))).toBe('backup.none');
    expect(await codeOf(open(Buffer.alloc(0)))).toBe('backup.none');
    expect(await codeOf(open(Buffer.concat([Buffer.from('WINDLASS-BACKUP\n'), uint32(0xffffffff)])))).toBe('backup.damaged');
  });

  it('is refused where a later release has migrated what it was taken of, saying with which one it is restored', async () => {
    const content = gzipSync(encodedFrame({ kind: 'end', tables: 0, rows: 0 }));
    const file = await seal(content, { ...header, schema: 'OfALaterRelease1800000000001' });
    await expect(checkBackup(() => inPieces(file), key)).rejects.toMatchObject({
      code: 'backup.newer-schema',
      status: 400,
      message: expect.stringMatching(
        /the schema OfALaterRelease1800000000001 .* restore it with the release that has migrated that database, or a later one/,
      ) as string,
    });
    const known = await seal(content);
    expect(await checkBackup(() => inPieces(known), key)).toMatchObject({ header, rows: 0 });
  });

  it('seals the same content anew each time', async () => {
    const content = randomBytes(100);
    const [one, other] = [chunksOf(await seal(content)), chunksOf(await seal(content))];
    expect(one.chunks[0]?.equals(other.chunks[0] ?? Buffer.alloc(0))).toBe(false);
  });
});
