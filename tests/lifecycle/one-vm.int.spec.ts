import type { JsonObject } from '@windlass/foundation';
import { rowsOf } from '@windlass/persistence';
import { schemaErrors } from '@windlass/sol003/schemas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ONCE_CLEANED_UP } from '../support/cleaned-up.js';
import { atRest, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

let system: System;
let networkId: string;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  networkId = 'net0';
});

afterAll(async () => {
  await system.close();
});

describe('a VNF of one VM without hooks', () => {
  it('is instantiated from REST to a server in the VIM, and terminated to nothing', async () => {
    const { api, emulator } = system;
    const pkg = await onboard(api, 'simple-vm');
    expect(pkg).toMatchObject({ onboardingState: 'ONBOARDED', operationalState: 'ENABLED', usageState: 'NOT_IN_USE' });
    const created = await api.post<JsonObject>('/vnflcm/v1/vnf_instances', { vnfdId: pkg.vnfdId, vnfInstanceName: 'one' });
    expect(created.status).toBe(201);
    const url = new URL(String(created.headers.location)).pathname;
    const before = JSON.stringify(emulator.inventory());

    const op = await atRest(
      api,
      await api.post(`${url}/instantiate`, await sampleRequest('instantiate-simple-vm.json', networkId)),
    );
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED', operation: 'INSTANTIATE' });
    expect(schemaErrors('VnfLcmOpOcc', op)).toEqual([]);
    const { data: instance } = await api.get<JsonObject>(url);
    expect(schemaErrors('VnfInstance', instance)).toEqual([]);
    expect(instance).toMatchObject({
      instantiationState: 'INSTANTIATED',
      instantiatedVnfInfo: { flavourId: 'default', vnfState: 'STARTED' },
    });
    const payloads = () => rowsOf(system.database.manager, 'SELECT step_id, kind FROM lcm.payload');
    expect(await payloads()).toEqual([]);
    const second = await api.post(`${url}/instantiate`, await sampleRequest('instantiate-simple-vm.json', networkId));
    expect(second.status).toBe(409);

    const end = await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(end, JSON.stringify(end)).toMatchObject({ operationState: 'COMPLETED' });
    await expect.poll(() => JSON.stringify(emulator.inventory()), ONCE_CLEANED_UP).toBe(before);
    await expect.poll(payloads, ONCE_CLEANED_UP).toEqual([]);
    expect((await api.delete(url)).status).toBe(204);
    expect((await api.get(url)).status).toBe(404);
  });
});
