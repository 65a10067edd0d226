import { seconds, type JsonObject, waitUntil, millis } from '@windlass/foundation';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

let system: System;
let vnfdId: unknown;
let request: JsonObject;

beforeAll(async () => {
  system = await startSystem({ stepsAtOnce: 1 });
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
  request = await sampleRequest('instantiate-simple-vm.json', 'net0');
});
afterAll(() => system.close());

/** Steps of the infra driver that could be claimed and that nobody has taken. */
async function ready(): Promise<number> {
  const [row] = await system.database.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM lcm.step WHERE service = 'infra-driver' AND state = 'ready'`,
  );
  return row?.count ?? 0;
}

it('a step more than a replica of the infra driver has places for stays claimable until one is free', async () => {
  const { api, emulator } = system;
  const posts = (): number => emulator.count('POST', /\/stacks$/);
  const urls = [await createVnf(api, vnfdId), await createVnf(api, vnfdId)];
  emulator.faults.add({ kind: 'hang', method: 'POST', path: '/stacks$', forMs: seconds(2), times: 1 });
  const begun = await Promise.all(urls.map((url) => api.post(`${url}/instantiate`, request)));
  const within = { within: seconds(60), every: millis(20) };
  await waitUntil(async () => (posts() === 1 && (await ready()) === 1 ? true : undefined), {
    for: 'a step without a place',
    ...within,
  });
  for (const each of begun) expect(await atRest(api, each, seconds(60))).toMatchObject({ operationState: 'COMPLETED' });
  expect(await ready()).toBe(0);
  expect(posts()).toBe(2);
});
