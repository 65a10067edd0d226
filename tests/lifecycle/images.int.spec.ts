import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
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

  it('stand on the record of what a failed instantiation left by the ids that they have', async () => {
    const { api, emulator, database } = system;
    const before = JSON.stringify(emulator.inventory());
    const created = await api.post<JsonObject>('/vnflcm/v1/vnf_instances', { vnfdId });
    const url = new URL(String(created.headers.location)).pathname;
    const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
    expect(await atRest(api, await api.post(`${url}/instantiate`, request))).toMatchObject({ operationState: 'COMPLETED' });
    const terminated = await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' });
    expect(await atRest(api, terminated)).toMatchObject({ operationState: 'COMPLETED' });
    emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'No valid host.', times: 1 });
    const failed = await atRest(api, await api.post(`${url}/instantiate`, request));
    expect(failed).toMatchObject({ operationState: 'FAILED_TEMP' });
    await api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(failed.id)}/fail`);
    const there = emulator.inventory().flatMap(({ images }) => images.map(({ id }) => id));
    const known = new Set(before.match(/[0-9a-f-]{36}/g));
    const rows = await database.query<{ images: string[] }[]>(
      "SELECT leftovers->'images' AS images FROM lcm.vnf_instance WHERE id = $1",
      [url.split('/').at(-1)],
    );
    expect(rows[0]?.images).toEqual(expect.arrayContaining(there.filter((id) => !known.has(id))));
    expect(there.filter((id) => !known.has(id))).toHaveLength(1);
    expect((await api.delete(url)).status).toBe(204);
    await waitUntil(() => Promise.resolve(JSON.stringify(emulator.inventory()) === before ? true : undefined), {
      for: 'the clean-up to take all of it away',
      within: seconds(60),
      every: millis(50),
    });
  });
});
