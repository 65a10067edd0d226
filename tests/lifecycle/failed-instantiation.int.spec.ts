import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

let system: System;
let vnfdId: unknown;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
});

afterAll(() => system.close());

async function instance(): Promise<string> {
  const created = await system.api.post<JsonObject>('/vnflcm/v1/vnf_instances', { vnfdId });
  return new URL(String(created.headers.location)).pathname;
}

describe('an instantiation that the VIM refuses', () => {
  it('stands at FAILED_TEMP with the reason of the resource, and rolls back to nothing', async () => {
    const { api, emulator } = system;
    const before = JSON.stringify(emulator.inventory());
    emulator.faults.add({
      kind: 'fail-resource',
      resource: 'VDU1',
      action: 'CREATE',
      reason: 'No valid host was found.',
      times: 1,
    });
    const url = await instance();
    const op = await atRest(api, await api.post(`${url}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0')));
    expect(op).toMatchObject({
      operationState: 'FAILED_TEMP',
      error: { detail: expect.stringContaining('No valid host was found') as string },
    });
    const opOcc = `/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}`;
    expect((await api.post(`${opOcc}/cancel`, { cancelMode: 'FORCEFUL' })).status).toBe(409);
    const rolled = await api.post(`${opOcc}/rollback`);
    expect(await atRest(api, rolled)).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(JSON.stringify(emulator.inventory())).toBe(before);
    expect((await api.get<JsonObject>(url)).data).toMatchObject({ instantiationState: 'NOT_INSTANTIATED' });
    expect((await api.delete(url)).status).toBe(204);
  });

  it('marked as failed keeps what it left on record, and the next instantiation begins by removing it', async () => {
    const { api, emulator } = system;
    const before = JSON.stringify(emulator.inventory());
    const url = await failedInstance('Quota exceeded.');
    const again = await atRest(
      api,
      await api.post(`${url}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0')),
    );
    expect(again, JSON.stringify(again.error)).toMatchObject({ operationState: 'COMPLETED' });
    await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(JSON.stringify(emulator.inventory())).toBe(before);
    expect((await api.delete(url)).status).toBe(204);
  });
});

/** An instance whose instantiation failed and was marked so; its stack lies in the VIM. */
async function failedInstance(reason: string): Promise<string> {
  const { api, emulator } = system;
  emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason, times: 1 });
  const url = await instance();
  const op = await atRest(api, await api.post(`${url}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0')));
  const failed = await api.post<JsonObject>(`/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}/fail`);
  expect(failed.status).toBe(200);
  expect(failed.data).toMatchObject({ operationState: 'FAILED' });
  return url;
}
