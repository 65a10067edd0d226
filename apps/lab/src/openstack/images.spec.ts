import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStackEmulator } from './emulator.js';
import { at, TestClient, text } from './testing/client.js';
import { templateOf } from './testing/templates.js';

describe('images', () => {
  let emulator: OpenStackEmulator;
  let client: TestClient;
  beforeEach(async () => {
    emulator = await OpenStackEmulator.start();
    client = await TestClient.login(emulator);
  });
  afterEach(async () => {
    expect(emulator.brokenness).toEqual([]);
    await emulator.stop();
  });

  const create = async (name: string): Promise<string> =>
    text(at((await client.glance('POST', '/images', { name, disk_format: 'raw', container_format: 'bare' })).body, 'id'));

  it('are queued, then active with the SHA-512 and MD5 of what was put in pieces', async () => {
    const pieces = [randomBytes(70_000), randomBytes(3), randomBytes(200_000)];
    const content = Buffer.concat(pieces);
    const id = await create('pieces');
    expect(at((await client.glance('GET', `/images/${id}`)).body, 'status')).toBe('queued');
    const { port } = emulator;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const put = request(
        {
          port,
          method: 'PUT',
          path: `/image/v2/images/${id}/file`,
          headers: { 'X-Auth-Token': client.token, 'Content-Type': 'application/octet-stream' },
        },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      put.on('error', reject);
      for (const piece of pieces) put.write(piece);
      put.end();
    });
    expect(status).toBe(204);
    expect((await client.glance('GET', `/images/${id}`)).body).toMatchObject({
      status: 'active',
      size: content.length,
      os_hash_algo: 'sha512',
      os_hash_value: createHash('sha512').update(content).digest('hex'),
      checksum: createHash('md5').update(content).digest('hex'),
    });
  });

  it('stay queued when an upload breaks off, and can be uploaded again', async () => {
    const id = await create('broken');
    await new Promise<void>((resolve) => {
      const put = request({
        port: emulator.port,
        method: 'PUT',
        path: `/image/v2/images/${id}/file`,
        headers: { 'X-Auth-Token': client.token, 'Content-Type': 'application/octet-stream', 'Content-Length': '1000' },
      });
      put.on('error', () => resolve());
      put.write('half', () => put.destroy());
    });
    await waitUntil(() => Promise.resolve(emulator.count('PUT', /\/file$/) === 1 ? true : undefined), {
      for: 'the broken upload to be noticed',
      within: seconds(20),
      every: millis(5),
    });
    const again = await client.upload(id, 'whole');
    expect(again.status).toBe(204);
    expect(at((await client.glance('GET', `/images/${id}`)).body, 'size')).toBe(5);
  });

  it('are listed by name, tag, owner and hash, a page at a time', async () => {
    const [one, two] = [await create('a'), await create('b')];
    await client.upload(one, 'x');
    await client.glance('PUT', `/images/${two}/tags/vnf-1`);
    const names = async (query: string): Promise<unknown> => {
      const images = at((await client.glance('GET', `/images?${query}`)).body, 'images');
      return Array.isArray(images) ? images.map((image) => at(image, 'name')) : [];
    };
    expect(await names('name=a')).toEqual(['a']);
    expect(await names('tag=vnf-1')).toEqual(['b']);
    expect(await names(`owner=${client.projectId}`)).toEqual(['b', 'a']);
    expect(await names(`os_hash_value=${createHash('sha512').update('x').digest('hex')}`)).toEqual(['a']);
    const page = await client.glance('GET', `/images?owner=${client.projectId}&limit=1`);
    expect(text(at(page.body, 'next'))).toContain(`marker=${two}`);
    expect(await names(text(at(page.body, 'next')).split('?')[1] ?? '')).toEqual(['a']);
  });

  it('are found by servers by name or id; two of one name are refused', async () => {
    const [one, two] = [await create('same'), await create('same')];
    await client.upload(one, 'x');
    await client.upload(two, 'y');
    const template = (image: string): string =>
      templateOf(
        `  vdu: {type: OS::Nova::Server, properties: {flavor: m1.tiny, image: ${image}, networks: [{network: net0}]}}\n`,
      );
    const refused = await client.heat('POST', '/stacks', { stack_name: 'twice', template: template('same') });
    expect(text(at(at(refused.body, 'error'), 'message'))).toContain("Error validating value 'same'");
    expect((await client.create('by-id', template(one))).stack_status).toBe('CREATE_COMPLETE');
  });
});
