import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { openCsar, readVnfPackage } from '@windlass/vnf-package';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageBytes } from './image-bytes.js';
import { writeImagePackage } from './image-package.js';
import { plainCopy } from './plain-copy.js';

const HOME = resolve(import.meta.dirname, '../../../../..');
const SIZE = 3 * 2 ** 20 + 1_234;

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'windlass-image-package-'))));
afterAll(() => rm(folder, { recursive: true }));

describe('the package of the bench', () => {
  it('can be onboarded: its image is deflated to about a half, and is what its VNFD says', async () => {
    const file = join(folder, 'package.zip');
    const size = await writeImagePackage(HOME, SIZE, file);
    const csar = await openCsar(file);
    try {
      const { model } = await readVnfPackage(csar);
      const [image] = model.softwareImages;
      const sha512 = createHash('sha512');
      for (const block of imageBytes(SIZE)) sha512.update(block);
      expect(image).toMatchObject({ size: SIZE, checksum: { hash: sha512.digest('hex') } });
      const member = csar.member('Files/images/ubuntu-22.04-server-cloudimg-amd64.img');
      expect(member).toMatchObject({ size: SIZE, deflated: true });
      expect(size).toBeGreaterThan(SIZE * 0.45);
      expect(size).toBeLessThan(SIZE * 0.6);
    } finally {
      await csar.close();
    }
  });

  it('fails with the reason where it can’t be written', async () => {
    await expect(writeImagePackage(HOME, SIZE, join(folder, 'no-such-folder/package.zip'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});

describe('a plain copy', () => {
  it('takes its time, and leaves nothing', async () => {
    expect(await plainCopy(Readable.from(imageBytes(SIZE), { objectMode: false }), SIZE, folder)).toBeGreaterThan(0);
    await expect(openCsar(join(folder, 'plain-copy'))).rejects.toThrow(/can't be opened/);
  });

  it('fails where its bytes do', async () => {
    const broken = new Readable({
      read() {
        this.destroy(new Error('no more'));
      },
    });
    await expect(plainCopy(broken, SIZE, folder)).rejects.toThrow('no more');
  });
});
