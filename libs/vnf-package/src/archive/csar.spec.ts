import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { TerminalError } from '@windlass/foundation';
import { describe, expect, test } from 'vitest';
import { openCsar } from './csar.js';
import { bufferCsarSource, type CsarSource } from '../source/csar-source.js';
import { rawZip } from '../testing/raw-zip.js';

const content = randomBytes(700_000);
const zip = rawZip([
  { name: 'deflated.bin', content },
  { name: 'stored.bin', content, stored: true },
  { name: 'empty', content: '' },
  { name: 'run.sh', content: 'echo', unixMode: 0o100755 },
]);

describe('an open package', () => {
  test.each(['deflated.bin', 'stored.bin'])('gives the bytes of %s, whole and in ranges', async (name) => {
    const csar = await openCsar(bufferCsarSource(zip));
    expect((await buffer(csar.openMember(name))).equals(content)).toBe(true);
    for (const [start, end] of [
      [0, 1],
      [1, 100_000],
      [65_536, 131_072],
      [699_999, 700_000],
      [0, 700_000],
      [100, 100],
    ] as const) {
      expect((await buffer(csar.openMember(name, { start, end }))).equals(content.subarray(start, end)), `${start}-${end}`).toBe(
        true,
      );
    }
    expect((await buffer(csar.openMember(name, { start: 650_000 }))).equals(content.subarray(650_000))).toBe(true);
  });

  test('reads an empty member, and says what it knows of each', async () => {
    const csar = await openCsar(bufferCsarSource(zip));
    expect(await text(csar.openMember('empty'))).toBe('');
    expect(csar.member('run.sh')).toMatchObject({ name: 'run.sh', size: 4, mode: 0o755 });
    expect(csar.has('nothing')).toBe(false);
    expect(() => csar.openMember('nothing')).toThrow(/^nothing: the package has no such member$/);
    await expect(csar.readMember('stored.bin', 1_000)).rejects.toMatchObject({
      code: 'csar.member-too-large',
      member: 'stored.bin',
    });
  });

  test('is never read whole: only the directory, and the members asked for', async () => {
    let read = 0;
    const source: CsarSource = {
      size: zip.length,
      read: (offset, length) => {
        read += length;
        return Promise.resolve(zip.subarray(offset, offset + length));
      },
    };
    const csar = await openCsar(source);
    expect(await text(csar.openMember('run.sh'))).toBe('echo');
    expect(read).toBeLessThan(4 * 65_536);
    const reading = csar.openMember('stored.bin');
    for await (const chunk of reading) {
      expect((chunk as Buffer).length).toBeGreaterThan(0);
      break; // destroys the stream
    }
    expect(read).toBeLessThan(zip.length / 2);
  });

  test('can be opened from a file, and makes a zip of some members', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'windlass-csar-'));
    try {
      const path = join(folder, 'a.csar');
      await writeFile(path, zip);
      const csar = await openCsar(path);
      const part = await openCsar(bufferCsarSource(await buffer(csar.zipOf(['run.sh', 'deflated.bin']))));
      expect(part.members.map(({ name }) => name)).toEqual(['run.sh', 'deflated.bin']);
      expect((await buffer(part.openMember('deflated.bin'))).equals(content)).toBe(true);
      await csar.close();
      await expect(openCsar(join(folder, 'absent.csar'))).rejects.toBeInstanceOf(TerminalError);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
