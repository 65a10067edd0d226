import { randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { minutes } from '@windlass/foundation';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate } from '../database.js';
import { PgTelemetry } from './pg-telemetry.js';

let server: TestDatabase;
let database: DataSource;
let telemetry: PgTelemetry;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 2 });
  await migrate(database);
  telemetry = new PgTelemetry(database);
});
beforeEach(async () => {
  await database.query('DELETE FROM lcm.operation');
  await database.query('DELETE FROM lcm.outbox');
});
afterAll(async () => {
  await database.destroy();
  await server.close();
});

async function operation(): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'INSTANTIATE', 'a', 'running', 1)`,
    [id],
  );
  return id;
}

/** An occurrence that entered its state so many seconds ago. */
async function occurrence(state: string, ago: number): Promise<string> {
  const id = await operation();
  await database.query(
    `INSERT INTO lcm.vnf_lcm_op_occ (id, tenant, vnf_instance_id, operation, operation_state, state_entered_time, start_time, is_automatic_invocation, request)
     VALUES ($1, 'a', gen_random_uuid(), 'INSTANTIATE', $2, now() - make_interval(secs => $3), now(), false, '')`,
    [id, state, ago],
  );
  return id;
}

/** A step that may be claimed for so many seconds still, of ten minutes. */
async function step(state: string, left: number, more: { blockedOn?: string; pauses?: number } = {}): Promise<void> {
  await database.query(
    `INSERT INTO lcm.step (operation_id, id, seq, action, version, service, deps, limit_keys, groups, traits, phase, state, epoch, attempt,
       attempt_epoch, resumed, losses, ever_claimed, recheck, rings, dispatch_by, blocked_on, next_attempt_at)
     VALUES ($1, 's', 1, 'make', 1, 'maker', '[]', '[]', '[]', '{}', 'do', $2, 1, 1, 1, false, 0, false, false, 0,
       now() + make_interval(secs => $3), $4, now() + make_interval(secs => $5))`,
    [await operation(), state, left, more.blockedOn ?? null, more.pauses ?? null],
  );
}

const around = (seconds: number): unknown => expect.closeTo(seconds, -1);

describe('figures of what is under way', () => {
  it('have a row for each state that is not over, with the age of the oldest', async () => {
    await occurrence('FAILED_TEMP', 900);
    await occurrence('FAILED_TEMP', 60);
    await occurrence('PROCESSING', -30);
    for (const final of ['COMPLETED', 'FAILED', 'ROLLED_BACK']) await occurrence(final, 99_999);
    expect(await telemetry.operations()).toEqual([
      { state: 'STARTING', count: 0, oldestAge: 0 },
      { state: 'PROCESSING', count: 1, oldestAge: 0 },
      { state: 'FAILED_TEMP', count: 2, oldestAge: around(900) },
      { state: 'ROLLING_BACK', count: 0, oldestAge: 0 },
    ]);
  });

  it('count steps that a worker could claim, and not those that pause, are kept out or are in hands', async () => {
    await step('ready', 540);
    await step('ready', 300, { pauses: -5 });
    await step('ready', 10, { blockedOn: 'vim:1' });
    await step('ready', 10, { pauses: 30 });
    await step('running', 10);
    expect(await telemetry.claimable(minutes(10))).toEqual([{ service: 'maker', count: 2, oldestAge: around(300) }]);
    await database.query('DELETE FROM lcm.operation');
    expect(await telemetry.claimable(minutes(10))).toEqual([]);
  });

  it('tell how long the outbox has kept what no relay has sent', async () => {
    expect(await telemetry.outbox()).toEqual({ waiting: 0, oldestAge: 0 });
    await database.query(
      `INSERT INTO lcm.outbox (subject, message, sent, created_at)
       VALUES ('a', '{}', false, now() - interval '100 s'), ('b', '{}', false, now()), ('c', '{}', true, now() - interval '1 d')`,
    );
    expect(await telemetry.outbox()).toEqual({ waiting: 2, oldestAge: around(100) });
  });

  it('say of an operation when it was accepted and what it is of, and of an internal one that nobody asked for it', async () => {
    const asked = await occurrence('COMPLETED', 1);
    expect(await telemetry.accepted(asked)).toMatchObject({ state: 'COMPLETED', createdAt: expect.any(Date) as Date });
    expect(await telemetry.accepted(await operation())).toMatchObject({ vnfInstanceId: null, state: null });
    expect(await telemetry.accepted(randomUUID())).toBeUndefined();
  });

  it('are read by indexes that have nothing of what is over', async () => {
    const plans = await database.transaction(async (manager) => {
      await manager.query('SET LOCAL enable_seqscan = off');
      const plan = async (sql: string) => JSON.stringify(await manager.query(`EXPLAIN ${sql}`));
      return [
        await plan(
          `SELECT operation_state, count(*) FROM lcm.vnf_lcm_op_occ WHERE operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK') GROUP BY 1`,
        ),
        await plan(`SELECT service, count(*) FROM lcm.step WHERE state = 'ready' AND blocked_on IS NULL GROUP BY service`),
        await plan('SELECT count(*), min(created_at) FROM lcm.outbox WHERE NOT sent'),
      ];
    });
    expect(plans[0]).toContain('vnf_lcm_op_occ_lock');
    expect(plans[1]).toContain('step_ready');
    expect(plans[2]).toContain('outbox_unsent');
  });
});
