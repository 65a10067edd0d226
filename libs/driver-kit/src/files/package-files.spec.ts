import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NatsPackageFiles, type PackageFileRef } from './package-files.js';

const MIB = 1024 * 1024;
const part = Buffer.alloc(MIB, 'x');
const signal = new AbortController().signal;

/** A file of so many parts, and how many of them were asked for. */
function packageOf(parts: number, more: Partial<PackageFileRef> = {}) {
  const hash = createHash('sha256');
  for (let n = 0; n < parts; n += 1) hash.update(part);
  const file = { vnfPkgId: 'a-package', path: 'Files/a.tar', size: parts * MIB, sha256: hash.digest('hex'), ...more };
  const asked = { parts: 0 };
  const files = new NatsPackageFiles({
    // eslint-disable-next-line @typescript-eslint/require-await -- as the real one, it comes bit by bit
    read: async function* () {
      for (let n = 0; n < parts; n += 1) {
        asked.parts += 1;
        yield part;
      }
    },
  });
  return { files, file, asked };
}

async function taken(stream: AsyncIterable<Buffer>, atMost = Number.POSITIVE_INFINITY): Promise<number> {
  let bytes = 0;
  for await (const each of stream) {
    bytes += each.length;
    if (bytes >= atMost) break;
  }
  return bytes;
}

describe('a file of a package as a stream', () => {
  it('may be larger than what is read at once, and is asked for as it is taken', async () => {
    const { files, file, asked } = packageOf(20);
    await expect(files.read(file, signal)).rejects.toMatchObject({ code: 'package.file-too-large' });
    expect(await taken(files.stream(file, signal), 2 * MIB)).toBe(2 * MIB);
    expect(asked.parts).toBe(2);
    expect(await taken(files.stream(file, signal))).toBe(20 * MIB);
  });

  it.each([
    ['another hash', { sha256: 'ab' }],
    ['more bytes', { size: MIB }],
  ])('fails in the end when it has %s than was planned with', async (_, more) => {
    const { files, file } = packageOf(2, more);
    await expect(taken(files.stream(file, signal))).rejects.toMatchObject({ code: 'package.changed' });
  });

  it('that has more bytes than planned is not read to its end', async () => {
    const { files, file, asked } = packageOf(20, { size: MIB });
    await expect(taken(files.stream(file, signal))).rejects.toMatchObject({ code: 'package.changed' });
    expect(asked.parts).toBe(2);
  });
});
