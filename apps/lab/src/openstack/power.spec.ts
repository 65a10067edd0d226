import type { JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStackEmulator } from './emulator.js';
import { at, TestClient, text } from './testing/client.js';
import { groupStack } from './testing/templates.js';

describe('a server that is stopped and started', () => {
  let emulator: OpenStackEmulator;
  let client: TestClient;
  let id: string;
  beforeEach(async () => {
    emulator = await OpenStackEmulator.start();
    client = await TestClient.login(emulator);
    const stack = await client.create('power', groupStack({ desired: 1 }).template, groupStack({ desired: 1 }));
    const server = (await client.resources(stack)).find((one) => one.resource_type === 'OS::Nova::Server');
    id = text(server?.physical_resource_id);
  });
  afterEach(async () => {
    expect(emulator.brokenness).toEqual([]);
    await emulator.stop();
  });

  const act = (action: 'os-stop' | 'os-start') => client.nova('POST', `/servers/${id}/action`, { [action]: null });
  const shown = async (): Promise<unknown[]> => {
    const { body } = await client.nova('GET', `/servers/${id}`);
    return ['status', 'OS-EXT-STS:vm_state', 'OS-EXT-STS:task_state', 'OS-EXT-STS:power_state'].map((name) =>
      at(at(body, 'server'), name),
    );
  };

  it('is asked with 202 and an empty body, and shows what is being done with it until it is', async () => {
    expect(await shown()).toEqual(['ACTIVE', 'active', null, 1]);
    emulator.faults.add({ kind: 'slow-power', delayMs: 200, times: 1 });
    expect((await act('os-stop')).status).toBe(202);
    expect(await shown()).toEqual(['ACTIVE', 'active', 'powering-off', 1]);
    await emulator.settled();
    expect(await shown()).toEqual(['SHUTOFF', 'stopped', null, 4]);
    expect((await act('os-start')).status).toBe(202);
    await emulator.settled();
    expect(await shown()).toEqual(['ACTIVE', 'active', null, 1]);
  });

  it('is refused with 409 in another state, and while something is being done with it, in the words of Nova', async () => {
    const refusal = async (action: 'os-stop' | 'os-start'): Promise<JsonObject> => {
      const { status, body } = await act(action);
      return { status, message: at(at(body, 'conflictingRequest'), 'message') };
    };
    const says = (verb: string, what: string) => ({
      status: 409,
      message: `Cannot '${verb}' instance ${id} while it is in ${what}`,
    });
    expect(await refusal('os-start')).toEqual(says('start', 'vm_state active'));
    emulator.faults.add({ kind: 'slow-power', delayMs: 3_000, times: 1 });
    await act('os-stop');
    expect(await refusal('os-stop')).toEqual(says('stop', 'task_state powering-off'));
    await emulator.settled();
    expect(await refusal('os-stop')).toEqual(says('stop', 'vm_state stopped'));
  });
});
