import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

let system: System;
let vnfdId: unknown;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
});

afterAll(() => system.close());

describe('the images of an instance that is made a second time', () => {
  it('have other ids, which a heal keeps on record, and go with its termination', async () => {
    const { api, emulator } = system;
    const before = JSON.stringify(emulator.inventory());
    const url = await createVnf(api, vnfdId);
    const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
    const ends = async (task: string, body: JsonObject): Promise<void> => {
      const op = await atRest(api, await api.post(`${url}/${task}`, body));
      expect(op, JSON.stringify(op.error)).toMatchObject({ operationState: 'COMPLETED' });
    };
    await ends('instantiate', request);
    await ends('terminate', { terminationType: 'FORCEFUL' });
    await ends('instantiate', request);
    const recorded = (): Promise<unknown> =>
      system.database.query("SELECT instantiated->'images' AS images FROM lcm.vnf_instance WHERE id = $1", [
        url.split('/').at(-1),
      ]);
    const made = await recorded();
    await ends('heal', { additionalParams: { all: false } });
    expect(await recorded()).toEqual(made);
    await ends('terminate', { terminationType: 'FORCEFUL' });
    expect(JSON.stringify(emulator.inventory())).toBe(before);
  });
});
