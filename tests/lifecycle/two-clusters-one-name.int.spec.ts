import { randomUUID } from 'node:crypto';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { HOOKS } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStackVim } from '../support/openstack-vim.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';

const DRIVER = 'mgmt-drivers-naming';
const PATH = '/additionalParams/vim_name';
const vnfdId = randomUUID();

let system: System;
let driver: TestDriver;

const withHook = (vnfd: string): string =>
  vnfd.replace(
    '\n    VDU1:',
    `\n      interfaces:\n        Vnflcm:\n          instantiate_end: { implementation: ${DRIVER} }\n    VDU1:`,
  );

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  driver = await startTestDriver(system, DRIVER, {
    hooks: [...HOOKS],
    validate: ({ requestParams: { vim_name: name } }) => ({ vimNames: [{ path: PATH, name: String(name) }] }),
  });
  await onboardZip(system.api, scalingPackage(vnfdId, withHook));
});
afterAll(async () => {
  await driver.stop();
  await system.close();
});

const named = (vim_name: string) => ({ ...scalingRequest('net0'), additionalParams: { vim_name } });

const asked = (url: string, name: string) => system.api.post<JsonObject>(`${url}/instantiate`, named(name));

/** Another resource than a failed node: an operation that stands at FAILED_TEMP, with its name. */
async function failing(url: string, name: string): Promise<string> {
  system.emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'no', times: 1 });
  const operation = await atRest(system.api, await asked(url, name), seconds(60));
  expect(operation, JSON.stringify(operation)).toMatchObject({ operationState: 'FAILED_TEMP' });
  return `/vnflcm/v1/vnf_lcm_op_occs/${String(operation.id)}`;
}

it('of two requests at one moment for clusters of one name, one is refused with its path, and nothing of it begins', async () => {
  const urls = [await createVnf(system.api, vnfdId), await createVnf(system.api, vnfdId)];
  const answers = await Promise.all(urls.map((url) => asked(url, 'twins')));
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.data).toMatchObject({ code: 'vim.name-reserved', invalidParams: [{ path: PATH }] });
  const accepted = answers.find(({ status }) => status === 202);
  if (accepted === undefined) throw new Error('none was accepted');
  expect(await atRest(system.api, accepted)).toMatchObject({ operationState: 'COMPLETED' });
  // Its end frees the name: this driver has registered none.
  const other = urls[answers.indexOf(accepted) === 0 ? 1 : 0] ?? '';
  expect(await atRest(system.api, await asked(other, 'twins'))).toMatchObject({ operationState: 'COMPLETED' });
});

it('an operation that stands failed keeps its name, which nobody registers meanwhile, and is free once it is rolled back', async () => {
  const [first, second] = [await createVnf(system.api, vnfdId), await createVnf(system.api, vnfdId)];
  const operation = await failing(first, 'kept');
  expect((await asked(second, 'kept')).data).toMatchObject({ status: 409, code: 'vim.name-reserved' });
  const preview = await system.api.post<JsonObject>(`/windlass/v1/plans${second}/instantiate`, named('kept'));
  expect(preview.status, JSON.stringify(preview.data)).toBe(409);
  const vim = openStackVim('kept', system.emulator);
  const registered = await system.api.post<JsonObject>('/v1.0/vims', { vim });
  expect([registered.status, registered.data]).toMatchObject([409, { TackerError: { type: 'vim.name-reserved' } }]);
  // A name that nobody has asked for is nobody's matter.
  expect((await system.api.post('/v1.0/vims', { vim: { ...vim, name: 'free' } })).status).toBe(201);
  expect((await system.api.post(`${operation}/rollback`)).status).toBe(202);
  await waitUntil(
    async (seen) => {
      const { operationState } = (await system.api.get<JsonObject>(operation)).data;
      seen(String(operationState));
      return operationState === 'ROLLED_BACK' || undefined;
    },
    { for: 'the operation to be rolled back', within: seconds(60), every: millis(50) },
  );
  expect(await atRest(system.api, await asked(second, 'kept'))).toMatchObject({ operationState: 'COMPLETED' });
});
