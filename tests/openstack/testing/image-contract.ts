import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ContractRun } from './contract-vim.js';

/** Tests Glance: an image with an id of ours, its bytes, hash and tags. */
export function imageContract(run: ContractRun): void {
  const id = randomUUID();
  const bytes = randomBytes(300_000);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const content = () => ({
    bytes: () => Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)]),
    length: bytes.length,
  });

  describe('Glance', () => {
    it('makes an image under the id we choose, queued and empty', async () => {
      const image = await run.openStack.glance.createImage({ id, name: run.name('image'), diskFormat: 'raw', tags: [run.tag] });
      expect(image).toMatchObject({
        id,
        name: run.name('image'),
        status: 'queued',
        tags: [run.tag],
        hash: undefined,
        sizeBytes: undefined,
      });
    });

    it('refuses a second one with that id', async () => {
      const again = run.openStack.glance.createImage({ id, name: 'other', diskFormat: 'raw' });
      await expect(again).rejects.toMatchObject({ code: 'glance.image-exists' });
    });

    it('takes the bytes as a stream, hashes them with SHA-512, and is active then', async () => {
      const image = await run.openStack.glance.upload(id, { ...content(), checksum: { algorithm: 'sha-256', hash: sha256 } });
      expect(image).toMatchObject({
        status: 'active',
        sizeBytes: bytes.length,
        hashAlgorithm: 'sha512',
        hash: createHash('sha512').update(bytes).digest('hex'),
      });
    });

    it('takes no bytes a second time', async () => {
      await expect(run.openStack.glance.upload(id, content())).rejects.toMatchObject({ code: 'glance.not-queued' });
    });

    it('finds images by name and tag, and nothing by others', async () => {
      const { glance } = run.openStack;
      const name = run.name('image');
      const ids = async (filter: { name?: string; tag?: string }) => (await glance.findImages(filter)).map((image) => image.id);
      await expect(ids({ name, tag: run.tag })).resolves.toEqual([id]);
      await expect(ids({ name })).resolves.toEqual([id]);
      await expect(ids({ name, tag: 'other' })).resolves.toEqual([]);
      await expect(ids({ name: `${name}x` })).resolves.toEqual([]);
    });

    it('adds and removes tags, twice too', async () => {
      const { glance } = run.openStack;
      await glance.addTag(id, 'op-1');
      await glance.addTag(id, 'op-1');
      expect((await glance.getImage(id))?.tags.sort()).toEqual([run.tag, 'op-1'].sort());
      await glance.removeTag(id, 'op-1');
      await glance.removeTag(id, 'op-1');
      expect((await glance.getImage(id))?.tags).toEqual([run.tag]);
    });

    it('deletes it, once', async () => {
      const { glance } = run.openStack;
      await expect(glance.deleteImage(id)).resolves.toBe(true);
      await expect(glance.getImage(id)).resolves.toBeUndefined();
      await expect(glance.deleteImage(id)).resolves.toBe(false);
    });
  });
}
