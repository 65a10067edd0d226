import type { JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireFit } from './compute/flavor-and-image.js';
import { OpenStackEmulator } from './emulator.js';
import type { Image } from './state/state.js';
import { at, TestClient, text } from './testing/client.js';
import { templateOf } from './testing/templates.js';

const GIB = 2 ** 30;

describe('a flavor below what the image asks for', () => {
  let emulator: OpenStackEmulator;
  let client: TestClient;
  let made = 0;
  beforeEach(async () => {
    emulator = await OpenStackEmulator.start();
    client = await TestClient.login(emulator);
  });
  afterEach(async () => {
    expect(emulator.brokenness).toEqual([]);
    await emulator.stop();
  });

  const image = async (limits: JsonObject): Promise<string> => {
    made += 1;
    const body = { name: `limited-${made}`, disk_format: 'raw', container_format: 'bare', ...limits };
    const id = text(at((await client.glance('POST', '/images', body)).body, 'id'));
    const put = await client.glance('PUT', `/images/${id}/file`, 'bytes', { 'Content-Type': 'application/octet-stream' });
    expect(put.status).toBe(204);
    return id;
  };
  const onImage = (id: string, flavor: string): string =>
    templateOf(`  vdu: {type: OS::Nova::Server, properties: {flavor: ${flavor}, image: ${id}, networks: [{network: net0}]}}\n`);
  const onVolume = (id: string, flavor: string, size: number): string =>
    templateOf(`  boot: {type: OS::Cinder::Volume, properties: {size: ${size}, image: ${id}}}
  vdu:
    type: OS::Nova::Server
    properties: {flavor: ${flavor}, block_device_mapping_v2: [{volume_id: {get_resource: boot}, boot_index: 0}], networks: [{network: net0}]}
`);
  const create = (template: string) =>
    client.heat('POST', '/stacks', { stack_name: `s${made}`, template, timeout_mins: 5 } as JsonObject);
  const reasonOf = async (template: string): Promise<string> => {
    expect((await create(template)).status).toBe(201);
    const { stack_status: status, stack_status_reason: reason } = await client.settled(`s${made}`);
    return `${text(status)}: ${text(reason)}`;
  };

  it('is refused by Heat before anything is made, by memory and by disk', async () => {
    const disk = await create(onImage(await image({ min_disk: 2 }), 'm1.tiny'));
    expect(disk.status).toBe(400);
    expect(JSON.stringify(disk.body)).toMatch(/requires 2 GB minimum disk space\. Flavor \S+ has only 1 GB\./);
    const memory = await create(onImage(await image({ min_ram: 1000 }), 'm1.tiny'));
    expect(JSON.stringify(memory.body)).toMatch(/requires 1000 minimum ram\. Flavor \S+ has only 512\./);
    expect((await create(onImage(await image({ min_disk: 5, min_ram: 2048 }), 'm1.medium'))).status).toBe(201);
  });

  it('counts by its memory alone where the server boots from a volume, whose size Cinder compares', async () => {
    expect(await reasonOf(onVolume(await image({ min_disk: 2 }), 'm1.tiny', 2))).toMatch(/^CREATE_COMPLETE/);
    expect(await reasonOf(onVolume(await image({ min_disk: 2 }), 'm1.tiny', 1))).toContain(
      'Volume size 1GB cannot be smaller than the image minDisk size 2GB.',
    );
    expect(await reasonOf(onVolume(await image({ min_ram: 600 }), 'm1.tiny', 1))).toContain(
      "Flavor's memory is too small for requested image.",
    );
  });

  it('can not be asked for by a number that Glance has no room for', async () => {
    const body = { name: 'huge', disk_format: 'raw', container_format: 'bare', min_disk: 2 ** 31 };
    const { status, body: page } = await client.glance('POST', '/images', body);
    expect(status).toBe(400);
    expect(JSON.stringify(page)).toContain('&#x27;min_disk&#x27; value out of range, must not exceed 2147483647.');
  });
});

describe('Nova’s own look at them', () => {
  const flavor = { id: 'f', name: 'f', ram: 512, vcpus: 1, disk: 1, ephemeral: 0, swap: 0, isPublic: true, extraSpecs: {} };
  const image = (limits: Partial<Image>): Image => ({ minDisk: 0, minRam: 0, size: 1, ...limits }) as Image;

  it('refuses in its words, and takes a flavor whose disk is 0 for one without a limit', () => {
    const fit =
      (limits: Partial<Image>, disk = 1, onVolume = false) =>
      () =>
        requireFit({ ...flavor, disk }, image(limits), onVolume);
    expect(fit({ minRam: 513 })).toThrow("Flavor's memory is too small for requested image.");
    expect(fit({ minDisk: 2 })).toThrow(
      `Flavor's disk is smaller than the minimum size specified in image metadata. Flavor disk is ${GIB} bytes, minimum size is ${2 * GIB} bytes.`,
    );
    expect(fit({ size: GIB + 1 })).toThrow(`Flavor disk is ${GIB} bytes, image is ${GIB + 1} bytes.`);
    expect(fit({ minDisk: 1, minRam: 512, size: GIB })).not.toThrow();
    expect(fit({ minDisk: 2 }, 0)).not.toThrow();
    expect(fit({ minDisk: 2 }, 1, true)).not.toThrow();
    expect(fit({ minRam: 513 }, 1, true)).toThrow('memory');
  });
});
