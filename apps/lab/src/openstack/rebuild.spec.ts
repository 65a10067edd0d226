import { randomUUID } from 'node:crypto';
import type { Json } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStackEmulator } from './emulator.js';
import { at, TestClient, text } from './testing/client.js';
import { groupStack } from './testing/templates.js';

describe('a server that is rebuilt', () => {
  let emulator: OpenStackEmulator;
  let client: TestClient;
  let id: string;
  let image: string;
  beforeEach(async () => {
    emulator = await OpenStackEmulator.start();
    client = await TestClient.login(emulator);
    const stack = await client.create('rebuilt', groupStack({ desired: 1 }).template, groupStack({ desired: 1 }));
    const server = (await client.resources(stack)).find((one) => one.resource_type === 'OS::Nova::Server');
    id = text(server?.physical_resource_id);
    image = text(at(at(await shown(), 'image'), 'id'));
  });
  afterEach(async () => {
    expect(emulator.brokenness).toEqual([]);
    await emulator.stop();
  });

  const shown = async (): Promise<Json> => at((await client.nova('GET', `/servers/${id}`)).body, 'server');
  const rebuilt = (options: Json) => client.nova('POST', `/servers/${id}/action`, { rebuild: options });

  it('keeps its id and its ports, and is ACTIVE again', async () => {
    const before = await shown();
    const { status, body } = await rebuilt({ imageRef: image });
    expect([status, at(at(body, 'server'), 'id'), at(at(body, 'server'), 'OS-EXT-STS:task_state')]).toEqual([
      202,
      id,
      'rebuilding',
    ]);
    await expect.poll(async () => at(await shown(), 'status')).toBe('ACTIVE');
    for (const name of ['addresses', 'name', 'image'] as const) expect(at(await shown(), name)).toEqual(at(before, name));
  });

  it('is refused where its image is not there, or not named', async () => {
    expect((await rebuilt({ imageRef: randomUUID() })).status).toBe(400);
    expect((await rebuilt({})).status).toBe(400);
    expect((await rebuilt({ imageRef: image, adminPass: 'x' })).status).toBe(400);
    expect(at(await shown(), 'status')).toBe('ACTIVE');
  });
});
