import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ONCE_CLEANED_UP } from '../support/cleaned-up.js';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

let system: System;
let vnfdId: unknown;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
});

afterAll(() => system.close());

const instance = (): Promise<string> => createVnf(system.api, vnfdId);

describe.each([
  ['whose image is shared', true],
  ['that has its own image', false],
])('an instantiation %s and that the VIM refuses', (_how, shares) => {
  beforeAll(() => system.replaceCoordinator(shares));

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
    await expect.poll(() => JSON.stringify(emulator.inventory()), ONCE_CLEANED_UP).toBe(before);
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
    await expect.poll(() => JSON.stringify(emulator.inventory()), ONCE_CLEANED_UP).toBe(before);
    expect((await api.delete(url)).status).toBe(204);
  });

  it('that fails again after it removed what was left is retried to its end', async () => {
    const { api, emulator } = system;
    const url = await failedInstance('Quota exceeded.');
    emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'Quota exceeded again.', times: 1 });
    const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
    const accepted = await api.post(`${url}/instantiate`, request);
    const again = await atRest(api, accepted);
    expect(again).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect((await api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(again.id)}/retry`)).status).toBe(202);
    const retried = await atRest(api, accepted);
    expect(retried, JSON.stringify(retried.error)).toMatchObject({ operationState: 'COMPLETED' });
    await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
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
