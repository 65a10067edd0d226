import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { hours, TerminalError } from '@windlass/foundation';
import { Coordinator, defaultPolicy, reportError } from '@windlass/saga';
import { describeJournal, unbounded } from '@windlass/saga/testing';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { Vault } from '../sealing/vault.js';
import { PgJournal } from './pg-journal.js';

let server: TestDatabase;
let database: DataSource;
const vault = new Vault([randomBytes(32)]);

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 8 });
  await Promise.all([migrate(database), migrate(database)]);
});

beforeEach(() => database.query('TRUNCATE lcm.operation CASCADE'));

afterAll(async () => {
  await database.destroy();
  await server.close();
});

const accept = async () => {
  const id = randomUUID();
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', 't', 'accepted', 1)`,
    [id],
  );
  return id;
};

describeJournal('PostgreSQL', () => ({
  journal: new PgJournal(database, vault),
  accept,
  payloads: async (id) => {
    const sql = `SELECT step_id || ' ' || kind AS name FROM lcm.payload WHERE operation_id = $1`;
    return (await rowsOf<{ name: string }>(database.manager, sql, [id])).map(({ name }) => name);
  },
  age: (id, by = hours(1)) =>
    database.query(
      `UPDATE lcm.step SET lease_until = lease_until - make_interval(secs => $2), rung_at = rung_at - make_interval(secs => $2)
       WHERE operation_id = $1`,
      [id, by / 1_000],
    ),
}));

describe('the journal in PostgreSQL', () => {
  it('keeps nothing of a transaction that fails', async () => {
    const journal = new PgJournal(database, vault);
    const id = await accept();
    const failing = journal.transact(id, async (tx) => {
      tx.operation.status = 'completed';
      await tx.writePayload('x', 'output', { secret: 1 });
      await tx.save({ inserted: [], changed: [] });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await rowsOf(database.manager, 'SELECT status FROM lcm.operation')).toEqual([{ status: 'accepted' }]);
    expect(await rowsOf(database.manager, 'SELECT * FROM lcm.payload')).toEqual([]);
  });

  it('holds no payload in the clear', async () => {
    const journal = new PgJournal(database, vault);
    const id = await accept();
    await journal.transact(id, (tx) => tx.writePayload('x', 'input', { password: 'hunter2-hunter2' }));
    const [row] = await rowsOf<{ sealed: Buffer }>(database.manager, 'SELECT sealed FROM lcm.payload');
    expect(row?.sealed.includes('hunter2')).toBe(false);
    await journal.transact(id, async (tx) => expect(await tx.readPayload('x', 'input')).toEqual({ password: 'hunter2-hunter2' }));
  });

  it('has what was written behind a drop of its kind, and of that kind nothing else', async () => {
    const journal = new PgJournal(database, vault);
    const id = await accept();
    await journal.transact(id, async (tx) => {
      for (const step of ['x', 'y']) await tx.writePayload(step, 'input', `first of ${step}`);
    });
    await journal.transact(id, async (tx) => {
      await tx.dropPayloads(['input']);
      await tx.writePayload('x', 'input', 'second');
      await tx.writePayload('x', 'output', 'kept');
    });
    await journal.transact(id, async (tx) => {
      expect(await tx.readPayload('x', 'input')).toBe('second');
      expect(await tx.readPayload('x', 'output')).toBe('kept');
      expect(await tx.readPayload('y', 'input')).toBeUndefined();
    });
  });

  it('gives nothing of an operation that another transaction holds, when asked to skip it', async () => {
    const journal = new PgJournal(database, vault);
    const id = await accept();
    await journal.transact(id, async () => {
      expect(await journal.transact(id, () => Promise.resolve(1), { skipLocked: true })).toBeUndefined();
    });
  });

  it('lists first what can’t wait, however many wake-ups are unheard', async () => {
    await database.query(
      `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version)
       SELECT gen_random_uuid(), 'TEST', 't', 'running', 1 FROM generate_series(1, 300)`,
    );
    await database.query(
      `INSERT INTO lcm.step (operation_id, id, seq, action, version, service, deps, limit_keys, groups, traits, phase, state, epoch, attempt,
         attempt_epoch, resumed, losses, ever_claimed, recheck, rings, rung_at)
       SELECT id, 's', 0, 'make', 1, 'maker', '[]', '[]', '[]', '{}', 'do', 'ready', 0, 0, 0, false, 0, false, false, 5,
         clock_timestamp() - interval '40 seconds' FROM lcm.operation`,
    );
    const waiting = await rowsOf<{ operation_id: string }>(
      database.manager,
      `UPDATE lcm.step SET rung_at = clock_timestamp() - interval '1 minute' WHERE ctid IN (SELECT ctid FROM lcm.step OFFSET 150 LIMIT 1)
       RETURNING operation_id`,
    );
    const accepted = await accept();
    const { due } = await new PgJournal(database, vault).look(50);
    expect(due).toHaveLength(50);
    expect(due.slice(0, 2)).toEqual([accepted, waiting[0]!.operation_id]);
  });

  it('lists an unheard wake-up exactly when the policy says that it is to be sent again', async () => {
    const id = await accept();
    const journal = new PgJournal(database, vault);
    await database.query(`UPDATE lcm.operation SET status = 'running'`);
    await database.query(
      `INSERT INTO lcm.step (operation_id, id, seq, action, version, service, deps, limit_keys, groups, traits, phase, state, epoch, attempt,
         attempt_epoch, resumed, losses, ever_claimed, recheck, rings)
       VALUES ($1, 's', 0, 'make', 1, 'maker', '[]', '[]', '[]', '{}', 'do', 'ready', 0, 0, 0, false, 0, false, false, 0)`,
      [id],
    );
    for (let rings = 0; rings < 8; rings++) {
      const listed = async (milliseconds: number) => {
        const notified = `UPDATE lcm.step SET rings = $1, rung_at = clock_timestamp() - make_interval(secs => $2)`;
        await database.query(notified, [rings, milliseconds / 1_000]);
        return (await journal.look(1)).due.length === 1;
      };
      const pause = defaultPolicy.wakeUpAgainAfter(rings);
      expect([await listed(pause - 500), await listed(pause)]).toEqual([false, true]);
    }
  });

  it('keeps what a broken script printed last, whatever bytes that had', async () => {
    const journal = new PgJournal(database, vault);
    const id = await accept();
    const refused = reportError(new TerminalError('script.failed', 'last lines: \u0000\ud800 \\u0000', { title: '\udc00' }));
    const coordinator = new Coordinator({
      journal,
      policy: defaultPolicy,
      wakeUpSender: { notify: () => Promise.resolve() },
      owner: {
        ...unbounded,
        plan: () => Promise.reject(new TerminalError(refused.code, refused.detail, { title: '\udc00' })),
        source: () => Promise.resolve(undefined),
        runInline: () => Promise.resolve(undefined),
        moved: () => Promise.resolve(),
      },
    });
    await coordinator.begin(id);
    const [row] = await rowsOf<{ failure: object }>(database.manager, 'SELECT failure FROM lcm.operation');
    expect(row?.failure).toMatchObject({ detail: 'last lines: \ufffd\ufffd \\u0000', title: '\ufffd' });
  });
});
