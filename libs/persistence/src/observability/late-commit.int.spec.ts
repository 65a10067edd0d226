import { randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, migrate } from '../database.js';
import { PgObservability } from './pg-observability.js';

let server: TestDatabase;
let database: DataSource;
let observability: PgObservability;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 6 });
  await migrate(database);
  observability = new PgObservability(database);
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

/** A running operation with one step. */
async function operation(tenant: string): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'INSTANTIATE', $2, 'running', 1)`,
    [id, tenant],
  );
  await database.query(
    `INSERT INTO lcm.vnf_lcm_op_occ (id, tenant, vnf_instance_id, operation, operation_state, state_entered_time, start_time,
       is_automatic_invocation, request) VALUES ($1, $2, $3, 'INSTANTIATE', 'PROCESSING', now(), now(), false, '')`,
    [id, tenant, randomUUID()],
  );
  await database.query(
    `INSERT INTO lcm.step (operation_id, id, seq, action, version, service, deps, limit_keys, groups, traits, phase, state, epoch, attempt,
       attempt_epoch, resumed, losses, ever_claimed, recheck, rings)
     VALUES ($1, 's', 0, 'make', 1, 'maker', '[]', '[]', '[]', '{}', 'do', 'running', 1, 1, 1, false, 0, true, false, 0)`,
    [id],
  );
  return id;
}

const PROGRESS = `UPDATE lcm.step SET progress = $2 WHERE operation_id = $1`;
const changedSince = async (position: string, tenant: string): Promise<string[]> =>
  (await observability.since(position, { tenant }))!.operationIds.sort();

describe('the changes since a position', () => {
  it('hold what began before the position was taken and was committed after it', async () => {
    const [slow, quick] = [await operation('a'), await operation('a')];
    let position = '';
    await database.transaction(async (manager) => {
      await manager.query(PROGRESS, [slow, 'half']);
      await database.query(PROGRESS, [quick, 'half']);
      ({ position } = await observability.snapshot({ tenant: 'a' }));
    });
    expect(await changedSince(position, 'a')).toContain(slow);
  });

  it('are none while nothing changes; a renewed lease is no change, a final state is one', async () => {
    const id = await operation('b');
    const { position } = await observability.snapshot({ tenant: 'b' });
    expect(await changedSince(position, 'b')).toEqual([]);
    await database.query(`UPDATE lcm.step SET lease_until = now() WHERE operation_id = $1`, [id]);
    expect(await changedSince(position, 'b')).toEqual([]);
    await database.query(PROGRESS, [id, 'more']);
    expect(await changedSince(position, 'b')).toEqual([id]);
    const { position: later } = (await observability.since(position, { tenant: 'b' }))!;
    expect(await changedSince(later, 'b')).toEqual([]);
    await database.query(`UPDATE lcm.vnf_lcm_op_occ SET operation_state = 'COMPLETED' WHERE id = $1`, [id]);
    expect(await changedSince(later, 'b')).toEqual([id]);
    expect((await observability.snapshot({ tenant: 'b' })).operationIds).toEqual([]);
    expect((await observability.snapshot({ tenant: 'b', operationId: id })).operationIds).toEqual([id]);
  });

  it('are not known for a position of another database', async () => {
    expect(await observability.since('9'.repeat(18), { tenant: 'b' })).toBeUndefined();
    expect(await observability.since('1; DROP TABLE lcm.step', { tenant: 'b' })).toBeUndefined();
  });
});
