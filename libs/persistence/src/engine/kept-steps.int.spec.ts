import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startPostgres, type RunningPostgres } from '@windlass/embedded';
import { testFolder, type TestFolder } from '@windlass/embedded/testing';
import { compilePlan, newStep, parallel, type JournalTransaction, type StepNode, type StepRecord } from '@windlass/saga';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { Vault } from '../sealing/vault.js';
import { KeptSteps } from './kept-steps.js';
import { PgJournal } from './pg-journal.js';

// Whoever runs SagaMachine on steps that are not those of the database does twice what is done once.

const vault = new Vault([randomBytes(32)]);
let folder: TestFolder;
let server: RunningPostgres;
let database: DataSource;

const start = async (): Promise<void> => {
  server = await startPostgres({ dataDir: join(folder.path, 'postgres'), durable: false, log: () => undefined });
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 4 });
};

beforeAll(async () => {
  folder = testFolder();
  await start();
  await migrate(database);
});

afterAll(async () => {
  await database.destroy();
  await server.stop();
  folder.remove();
});

let id: string;
let one: PgJournal;
let other: PgJournal;

const make = (name: string): StepNode => ({ kind: 'step', service: 'maker', action: 'make', version: 1, id: name, input: {} });

/** The operation's steps as the journal gives them, in what matters here. */
const seen = async (journal: PgJournal): Promise<string[]> => {
  const steps = await journal.transact(id, (tx) =>
    Promise.resolve(tx.steps.map(({ id: step, state, epoch }) => `${step} ${state} ${epoch}`)),
  );
  return steps ?? [];
};

const stepOfTx = (tx: JournalTransaction, name: string): StepRecord => tx.steps.find((step) => step.id === name)!;

const claimed = async (journal: PgJournal, name: string): Promise<void> => {
  await journal.transact(id, async (tx) => {
    const step = stepOfTx(tx, name);
    Object.assign(step, { state: 'running', epoch: step.epoch + 1 });
    await tx.save({ inserted: [], changed: [step] });
  });
};

beforeEach(async () => {
  id = randomUUID();
  one = new PgJournal(database, vault);
  other = new PgJournal(database, vault);
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', 't', 'running', 1)`,
    [id],
  );
  const plan = compilePlan({ root: parallel([make('a'), make('b')]) });
  await one.transact(id, (tx) => tx.save({ inserted: plan.steps.map((step, seq) => newStep(id, seq, step)), changed: [] }));
});

describe('steps that a coordinator has read before', () => {
  it('are what another coordinator has made of them since, and steps that it has added stand in their place', async () => {
    expect([await seen(one), await seen(other)]).toEqual([
      ['a waiting 0', 'b waiting 0'],
      ['a waiting 0', 'b waiting 0'],
    ]);
    await claimed(other, 'b');
    await claimed(one, 'b');
    await claimed(other, 'a');
    const added = compilePlan({ root: make('c') }).steps.map((step) => newStep(id, 2, step));
    await other.transact(id, (tx) => tx.save({ inserted: added, changed: [] }));
    expect(await seen(one)).toEqual(['a running 1', 'b running 2', 'c waiting 0']);
    expect(await seen(other)).toEqual(await seen(one));
  });

  it.each(['has read them', 'has not read them'])(
    'are what was made of them while it waited for the lock of the operation’s row, whether it %s before',
    async (before) => {
      if (before === 'has read them') await seen(one);
      let waiting: Promise<string[]> | undefined;
      await other.transact(id, async (tx) => {
        const step = stepOfTx(tx, 'a');
        Object.assign(step, { state: 'running', epoch: 1 });
        tx.operation.milestone = 'PROCESSING';
        await tx.save({ inserted: [], changed: [step] });
        waiting = seen(one);
        const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%steps_above%'`;
        await expect.poll(async () => (await database.query<unknown[]>(waits)).length, { timeout: 20_000 }).toBe(1);
      });
      expect(await waiting).toEqual(['a running 1', 'b waiting 0']);
      expect(await one.transact(id, (tx) => Promise.resolve(tx.operation.milestone))).toBe('PROCESSING');
    },
  );

  it('stay known where another transaction held the lock, and the operation was passed by', async () => {
    await seen(one);
    await other.transact(id, async () => {
      expect(await one.transact(id, () => Promise.resolve(1), { skipLocked: true })).toBeUndefined();
    });
    await database.query('ALTER TABLE lcm.step DISABLE TRIGGER number_revision');
    await database.query(`UPDATE lcm.step SET state = 'done' WHERE operation_id = $1 AND id = 'a'`, [id]);
    await database.query('ALTER TABLE lcm.step ENABLE TRIGGER number_revision');
    expect(await seen(one)).toEqual(['a waiting 0', 'b waiting 0']);
  });

  it('are those that stand where a transaction changed them and was rolled back', async () => {
    const failing = one.transact(id, async (tx) => {
      const step = stepOfTx(tx, 'a');
      Object.assign(step, { state: 'done', epoch: 7 });
      expect(() => step.deps.push('nobody')).toThrow(TypeError);
      await tx.save({ inserted: [], changed: [step] });
      throw new Error('the coordinator dies');
    });
    await expect(failing).rejects.toThrow('the coordinator dies');
    expect(await seen(one)).toEqual(['a waiting 0', 'b waiting 0']);
  });

  it('are what stands in the table, whoever wrote it there past every coordinator', async () => {
    await seen(one);
    await database.query(`UPDATE lcm.step SET state = 'failed' WHERE operation_id = $1 AND id = 'b'`, [id]);
    expect(await seen(one)).toEqual(['a waiting 0', 'b failed 0']);
  });

  it('are read anew from another server, which may know less: a replica that took over, or a restored one', async () => {
    const kept = new KeptSteps();
    const read = async (): Promise<string[]> => {
      const locked = await kept.lock(database.manager, id);
      return locked?.steps.map(({ id: step, state }) => `${step} ${state}`) ?? [];
    };
    await claimed(one, 'a');
    expect(await read()).toEqual(['a running', 'b waiting']);
    // As the other server has it: an earlier state, and numbers that are given once more.
    await database.query(`SELECT setval('lcm.step_revision', 1)`);
    await database.query(`UPDATE lcm.step SET state = 'ready' WHERE operation_id = $1 AND id = 'a'`, [id]);
    await database.destroy();
    await server.stop();
    await start();
    expect(await read()).toEqual(['a ready', 'b waiting']);
  });

  it('are not read again: of an operation’s steps a transaction reads those alone that have another number', async () => {
    await seen(one);
    await database.query('ALTER TABLE lcm.step DISABLE TRIGGER number_revision');
    await database.query(`UPDATE lcm.step SET state = 'done' WHERE operation_id = $1 AND id = 'a'`, [id]);
    await database.query('ALTER TABLE lcm.step ENABLE TRIGGER number_revision');
    expect(await seen(one)).toEqual(['a waiting 0', 'b waiting 0']);
    await claimed(other, 'a');
    expect(await seen(one)).toEqual(['a running 1', 'b waiting 0']);
  });

  it('are forgotten when many others came, those longest unasked for first, and read again', async () => {
    await seen(one);
    await database.query(
      `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version)
       SELECT gen_random_uuid(), 'TEST', 'many', 'running', 1 FROM generate_series(1, 6)`,
    );
    await database.query(
      `INSERT INTO lcm.step (operation_id, id, seq, action, version, service, deps, limit_keys, groups, traits, phase, state, epoch, attempt,
         attempt_epoch, resumed, losses, ever_claimed, recheck, rings)
       SELECT o.id, n::text, n, 'make', 1, 'maker', '[]', '[]', '[]', '{}', 'do', 'waiting', 0, 0, 0, false, 0, false, false, 0
       FROM lcm.operation AS o, generate_series(1, 2000) AS n WHERE o.tenant = 'many'`,
    );
    const many = await rowsOf<{ id: string }>(database.manager, `SELECT id FROM lcm.operation WHERE tenant = 'many'`);
    for (const each of many) expect(await one.transact(each.id, (tx) => Promise.resolve(tx.steps.length))).toBe(2000);
    // Only what is read again shows what has kept its number.
    await database.query('ALTER TABLE lcm.step DISABLE TRIGGER number_revision');
    await database.query(`UPDATE lcm.step SET state = 'done' WHERE operation_id = $1 AND id = 'a'`, [id]);
    await database.query('ALTER TABLE lcm.step ENABLE TRIGGER number_revision');
    expect(await seen(one)).toEqual(['a done 0', 'b waiting 0']);
  });
});
