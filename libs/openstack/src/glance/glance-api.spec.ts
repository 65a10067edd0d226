import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gibibytes, millis, type JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStack } from '../openstack.js';
import { FakeVim } from '../testing/fake-vim.js';

const IMAGES = '/glance/v2/images';
const ID = '5f7f2a52-3f0c-5f0f-8b5a-000000000001';

describe('a software image', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  const bytes = randomBytes(3 * 1024 * 1024);
  const sha512 = createHash('sha512').update(bytes).digest('hex');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const content = () => ({
    bytes: () => Readable.from([bytes.subarray(0, 1_000_000), bytes.subarray(1_000_000)]),
    length: bytes.length,
  });
  const image = (change: JsonObject = {}): JsonObject => ({ id: ID, name: 'ubuntu', status: 'queued', tags: [], ...change });
  const stored = (change: JsonObject = {}) => ({
    status: 200,
    json: image({ status: 'active', size: bytes.length, os_hash_algo: 'sha512', os_hash_value: sha512, ...change }),
  });

  beforeEach(async () => {
    vim = await FakeVim.start();
    vim.on('PUT', `${IMAGES}/${ID}/file`, { status: 204 }).on('GET', `${IMAGES}/${ID}`, stored());
    openStack = OpenStack.open(vim.connection());
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });

  it('is made private under an id of our choice, and never twice', async () => {
    vim.on('POST', IMAGES, { status: 201, json: image() });
    await openStack.glance.createImage({ id: ID, name: 'ubuntu', diskFormat: 'raw', tags: ['op-1'], minDiskGiB: gibibytes(2) });
    expect(JSON.parse(vim.serviceRequests[0]!.body)).toEqual({
      id: ID,
      name: 'ubuntu',
      disk_format: 'raw',
      container_format: 'bare',
      visibility: 'private',
      tags: ['op-1'],
      min_disk: 2,
      min_ram: 0,
    });
    vim.on('POST', IMAGES, { status: 409, text: '409 Conflict: Image ID exists' });
    await expect(openStack.glance.createImage({ id: ID, name: 'ubuntu', diskFormat: 'raw' })).rejects.toMatchObject({
      code: 'glance.image-exists',
    });
  });

  it('is streamed with its length, and compared with what Glance got and the VNFD says', async () => {
    const uploaded = await openStack.glance.upload(ID, {
      ...content(),
      checksum: { algorithm: 'SHA-256', hash: sha256.toUpperCase() },
    });
    expect(uploaded).toMatchObject({ id: ID, status: 'active', hash: sha512 });
    const [put] = vim.serviceRequests;
    expect(put!.headers).toMatchObject({ 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) });
    expect(put!.headers['transfer-encoding']).toBeUndefined();
  });

  it('whose bytes are not those of the VNFD is refused', async () => {
    const wrong = { algorithm: 'sha-512', hash: 'ab'.repeat(64) };
    await expect(openStack.glance.upload(ID, { ...content(), checksum: wrong })).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'glance.hash-mismatch',
      message: `the bytes of image "ubuntu" have sha-512 ${sha512}, the VNFD says ${wrong.hash}`,
    });
  });

  it('that Glance holds other bytes of is refused', async () => {
    vim.on('GET', `${IMAGES}/${ID}`, stored({ os_hash_value: 'cd'.repeat(64) }));
    await expect(openStack.glance.upload(ID, content())).rejects.toMatchObject({ code: 'glance.hash-mismatch' });
  });

  it('with a checksum in an unknown algorithm is refused before anything is sent', async () => {
    const checksum = { algorithm: 'crc32', hash: '00' };
    await expect(openStack.glance.upload(ID, { ...content(), checksum })).rejects.toMatchObject({
      code: 'glance.unknown-algorithm',
    });
    expect(vim.serviceRequests).toEqual([]);
  });

  it('is streamed from its beginning again when the token was refused', async () => {
    await openStack.session.token();
    vim.tokens.clear();
    let made = 0;
    const again = { ...content(), bytes: () => (made++, content().bytes()), checksum: { algorithm: 'sha256', hash: sha256 } };
    await expect(openStack.glance.upload(ID, again)).resolves.toMatchObject({ status: 'active' });
    expect(made).toBe(2);
  });

  it('whose source breaks off is an error that may pass', async () => {
    const broken = () => {
      const source = new Readable({ read: () => undefined });
      source.push(bytes.subarray(0, 1_000));
      setTimeout(() => source.destroy(new Error('chunk 2 of the package is gone')), 20);
      return source;
    };
    await expect(openStack.glance.upload(ID, { ...content(), bytes: broken })).rejects.toMatchObject({
      name: 'TransientError',
      message: expect.stringContaining('chunk 2 of the package is gone') as string,
    });
  });

  it('that stops moving is an error that may pass, and says where it stands: the package gives no more, or Glance does not answer', async () => {
    const silent = () => {
      const source = new Readable({ read: () => undefined });
      source.push(bytes.subarray(0, 100_000));
      return source;
    };
    const movesWithin = millis(200);
    await expect(openStack.glance.upload(ID, { ...content(), bytes: silent, movesWithin })).rejects.toMatchObject({
      name: 'TransientError',
      code: 'glance.upload-stalled',
      message: `nothing moved for 200 ms in the upload of image ${ID}, at 100000 of ${bytes.length} bytes: no more came from the package`,
    });
    vim.on('PUT', `${IMAGES}/${ID}/file`, 'hang');
    await expect(openStack.glance.upload(ID, { ...content(), movesWithin })).rejects.toMatchObject({
      code: 'glance.upload-stalled',
      message: expect.stringContaining('Glance did not answer') as string,
    });
  });

  it('that moves may take longer than that as a whole, and tells how far it is', async () => {
    const slow = async function* () {
      for (let at = 0; at < bytes.length; at += 250_000) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        yield bytes.subarray(at, at + 250_000);
      }
    };
    const told: number[] = [];
    const moving = { bytes: () => Readable.from(slow()), movesWithin: millis(2_000), sent: (sent: number) => told.push(sent) };
    await expect(openStack.glance.upload(ID, { ...content(), ...moving })).resolves.toMatchObject({ status: 'active' });
    expect(told.at(-1)).toBe(bytes.length);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
    expect(told.length).toBeGreaterThan(10);
  });

  it('that has bytes already is not overwritten', async () => {
    vim.on('PUT', `${IMAGES}/${ID}/file`, { status: 409, text: 'Image status transition from active to saving is not allowed' });
    await expect(openStack.glance.upload(ID, content())).rejects.toMatchObject({ code: 'glance.not-queued' });
  });

  it('is waited for while Glance saves it, and not when it was killed', async () => {
    const states = ['saving', 'saving', 'active'];
    vim.on('GET', `${IMAGES}/${ID}`, () => stored({ status: states.shift()! }));
    await expect(openStack.glance.waitActive(ID)).resolves.toMatchObject({ status: 'active' });
    vim.on('GET', `${IMAGES}/${ID}`, stored({ status: 'killed' }));
    await expect(openStack.glance.waitActive(ID)).rejects.toMatchObject({ code: 'glance.not-active' });
  });

  it('is found by name and tag over all pages', async () => {
    vim.on('GET', IMAGES, (request) => {
      const query = new URLSearchParams(request.path.split('?')[1]);
      expect(query.get('name')).toBe('ubu ntu');
      expect(query.get('tag')).toBe('inst-1');
      const from = query.get('marker') === null ? 0 : 100;
      return {
        status: 200,
        json: { images: Array.from({ length: from === 0 ? 100 : 20 }, (_, index) => image({ id: `i-${from + index}` })) },
      };
    });
    await expect(openStack.glance.findImages({ name: 'ubu ntu', tag: 'inst-1' })).resolves.toHaveLength(120);
  });

  it('is tagged, untagged and deleted; gone already is fine', async () => {
    vim.on('PUT', `${IMAGES}/${ID}/tags/a%20b`, { status: 204 }).on('DELETE', `${IMAGES}/${ID}/tags/a%20b`, { status: 404 });
    await openStack.glance.addTag(ID, 'a b');
    await openStack.glance.removeTag(ID, 'a b');
    vim.on('DELETE', `${IMAGES}/${ID}`, { status: 204 });
    await expect(openStack.glance.deleteImage(ID)).resolves.toBe(true);
    await expect(openStack.glance.deleteImage('gone')).resolves.toBe(false);
  });
});
