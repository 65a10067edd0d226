import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStackEmulator } from './emulator.js';
import { at, TestClient, text } from './testing/client.js';

const SAMPLE = fileURLToPath(new URL('../../../../samples/kubernetes/BaseHOT/', import.meta.url));
const node = { flavor: 'm1.medium', image: 'cirros' };

describe('the sample cluster’s templates', () => {
  let emulator: OpenStackEmulator;
  let client: TestClient;
  beforeEach(async () => {
    emulator = await OpenStackEmulator.start({});
    client = await TestClient.login(emulator);
  });
  afterEach(async () => {
    expect(emulator.brokenness).toEqual([]);
    await emulator.stop();
  });

  async function stackOf(flavour: string): Promise<JsonObject> {
    const nested = `${SAMPLE}${flavour}/nested/`;
    const files = Object.fromEntries(readdirSync(nested).map((name) => [name, readFileSync(`${nested}${name}`, 'utf8')]));
    const nfv = {
      VDU: { masterNode: node, workerNode: node },
      CP: { masterNode_CP1: { network: 'net0' }, workerNode_CP2: { network: 'net0' } },
    };
    const template = readFileSync(`${SAMPLE}${flavour}/${flavour}_hot_top.yaml`, 'utf8');
    return client.create(flavour, template, { files, parameters: { nfv } });
  }

  it.each(['complex', 'podaffinity'])(
    'make three masters whose ports allow the virtual address, and a port that keeps it: %s',
    async (flavour) => {
      const stack = await stackOf(flavour);
      expect(stack.stack_status).toBe('CREATE_COMPLETE');
      const named = (await client.resources(stack)).map((one) => text(one.resource_name));
      expect(named.filter((name) => name === 'masterNode')).toHaveLength(3);
      expect(named.filter((name) => name === 'workerNode')).toHaveLength(2);
      const { ports } = (await client.neutron('GET', '/ports')).body as { ports: JsonObject[] };
      const bare = ports.filter((port) => text(port.device_id) === '' && text(port.name).includes('vip_CP'));
      expect(bare).toHaveLength(1);
      const vip = addressesOf(bare[0]!)[0]!;
      const allowing = ports.filter((port) => pairsOf(port).includes(vip));
      expect(allowing).toHaveLength(3);
      for (const port of allowing) expect(text(port.device_id)).not.toBe('');
    },
  );
});

const listOf = (port: JsonObject, name: string): string[] => {
  const list = at(port, name);
  return (Array.isArray(list) ? list : []).filter(isJsonObject).map((one) => text(one.ip_address));
};
const addressesOf = (port: JsonObject): string[] => listOf(port, 'fixed_ips');
const pairsOf = (port: JsonObject): string[] => listOf(port, 'allowed_address_pairs');
