import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenStackEmulator } from './emulator.js';
import { at, TestClient } from './testing/client.js';
import { refusedStacks } from './testing/recordings.js';
import { normalized } from './testing/shape.js';

describe('POST stacks is refused in the words of real Heat', () => {
  let emulator: OpenStackEmulator;
  let client: TestClient;
  beforeAll(async () => {
    emulator = await OpenStackEmulator.start();
    client = await TestClient.login(emulator);
  });
  afterAll(() => emulator.stop());

  it.each(refusedStacks().map((one) => [one.name, one] as const))('%s', async (_name, recorded) => {
    const reply = await client.heat('POST', '/stacks', recorded.body);
    expect(reply.status).toBe(recorded.status);
    expect(normalized(JSON.stringify(at(reply.body, 'error')))).toBe(normalized(JSON.stringify(recorded.error)));
  });

  it('leaves nothing behind after all these refusals', () => {
    expect(emulator.inventory().find((one) => one.project === 'vnfm')).toMatchObject({ stacks: [], ports: [], servers: [] });
    expect(emulator.brokenness).toEqual([]);
  });
});
