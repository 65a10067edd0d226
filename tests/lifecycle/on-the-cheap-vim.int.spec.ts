import type { JsonObject } from '@windlass/foundation';
import { CheapServer } from '@windlass/workbench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

let system: System;
let vim: CheapServer;

beforeAll(async () => {
  system = await startSystem();
  vim = await CheapServer.start();
});

afterAll(async () => {
  await system.close();
  await vim.stop();
});

describe('what the bench of the engine measures', () => {
  it('is instantiated and terminated on the cheap VIM, which refuses nothing of it', async () => {
    const { api } = system;
    await registerVim({ api, emulator: { url: vim.url, tenant: vim.vim.tenant } });
    const { vnfdId } = await onboard(api, 'simple-vm');
    const url = await createVnf(api, vnfdId);
    const made = await atRest(
      api,
      await api.post(`${url}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0')),
    );
    expect(made, JSON.stringify(made)).toMatchObject({ operationState: 'COMPLETED', operation: 'INSTANTIATE' });
    const { data: instance } = await api.get<JsonObject>(url);
    expect(instance).toMatchObject({ instantiatedVnfInfo: { vnfcResourceInfo: [{ vduId: 'VDU1' }] } });
    const gone = await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(gone, JSON.stringify(gone)).toMatchObject({ operationState: 'COMPLETED' });
    const asked = vim.taken();
    const services = new Set(asked.map(({ service }) => service));
    expect([...services].sort()).toEqual(['compute', 'identity', 'image', 'network', 'orchestration']);
    expect(asked.filter(({ status }) => status >= 400 && status !== 404)).toEqual([]);
  });
});
