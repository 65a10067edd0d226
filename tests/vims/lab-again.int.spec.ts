import { OpenStackEmulator } from '@windlass/lab';
import { ApiClient } from '@windlass/windlass';
import { instancesOn, LabMoved, registerLab } from '@windlass/workbench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, sampleRequest, startSystem, type System } from '../support/system.js';

let system: System;
const labs: OpenStackEmulator[] = [];
beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => {
  await Promise.all(labs.map((lab) => lab.stop()));
  await system.close();
});

/** A lab that knows nothing of the one before, as `up --lab` starts it. */
async function labAt(port: number): Promise<OpenStackEmulator> {
  const lab = await OpenStackEmulator.start({ speed: 'instant', port, password: 'a-password-that-is-kept' });
  labs.push(lab);
  return lab;
}
const accessOf = (lab: OpenStackEmulator) => ({ ...lab.tenant, keystoneUrl: lab.url });

describe('the lab of a data folder that has an instance', () => {
  it('is the VIM that it was at its address, and its instance can be terminated although its machines are gone', async () => {
    const api = new ApiClient(String(system.api.defaults.baseURL), 'test-token', () => undefined);
    const first = await labAt(0);
    const vimId = await registerLab(api, accessOf(first));
    const { vnfdId } = await onboard(system.api, 'simple-vm');
    const vnf = await createVnf(system.api, vnfdId);
    expect(await instancesOn(api, vimId)).toEqual([]);
    const body = await sampleRequest('instantiate-simple-vm.json', 'net0');
    const made = await atRest(system.api, await system.api.post(`${vnf}/instantiate`, body));
    expect(made, JSON.stringify(made)).toMatchObject({ operationState: 'COMPLETED' });
    await first.stop();

    const elsewhere = await labAt(0);
    const moved = await registerLab(api, accessOf(elsewhere)).catch((error: unknown) => error);
    expect(moved).toBeInstanceOf(LabMoved);
    expect(moved).toMatchObject({ port: first.port, message: expect.stringContaining(`takes the port ${first.port}`) as string });

    const again = await labAt(first.port);
    expect(await registerLab(api, accessOf(again))).toBe(vimId);
    expect(await instancesOn(api, vimId)).toEqual([vnf.split('/').at(-1)]);
    const end = await atRest(system.api, await system.api.post(`${vnf}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(end, JSON.stringify(end)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await instancesOn(api, vimId)).toEqual([]);
  });
});
