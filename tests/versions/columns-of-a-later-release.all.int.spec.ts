import { rowsOf } from '@windlass/persistence';
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

/** Runs an operation from begin to end: afterwards each connection has its statements prepared. */
async function life(): Promise<void> {
  const { api } = system;
  const url = await createVnf(api, vnfdId);
  const body = await sampleRequest('instantiate-simple-vm.json', 'net0');
  const made = await atRest(api, await api.post(`${url}/instantiate`, body));
  expect(made, JSON.stringify(made)).toMatchObject({ operationState: 'COMPLETED' });
  const gone = await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
  expect(gone, JSON.stringify(gone)).toMatchObject({ operationState: 'COMPLETED' });
  expect((await api.delete(url)).status).toBe(204);
}

describe('a release that runs on while a later one adds a column to every table', () => {
  it('goes on with the statements that its connections have planned', async () => {
    await life();
    const tables = await rowsOf<{ name: string }>(
      system.database.manager,
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'lcm'`,
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) await system.database.query(`ALTER TABLE ${name} ADD COLUMN of_a_later_release text`);
    await life();
  });
});
