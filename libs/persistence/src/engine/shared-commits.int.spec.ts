import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { seconds } from '@windlass/foundation';
import { compilePlan, Coordinator, defaultPolicy, type JournalTransaction, type StepNode } from '@windlass/saga';
import { unbounded } from '@windlass/saga/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { Vault } from '../sealing/vault.js';
import { PgJournal } from './pg-journal.js';

const KEY = 'vim:a';
const vault = new Vault([randomBytes(32)]);
let server: TestDatabase;
let database: DataSource;
let journal: PgJournal;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 14 });
  await migrate(database);
});

beforeEach(async () => {
  await database.query('TRUNCATE lcm.operation CASCADE');
  journal = new PgJournal(database, vault);
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

async function accepted(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const insert = `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) SELECT id, 'TEST', 't', 'accepted', 1 FROM unnest($1::uuid[]) AS id`;
  await database.query(insert, [ids]);
  return ids;
}

/** Moves an operation, and writes the input of a step that tells whose it is. */
const moved = (id: string, before?: () => void, on = journal): Promise<string | undefined> =>
  on.transact(
    id,
    async (tx) => {
      before?.();
      const earlier = await tx.readPayload('s', 'input');
      await tx.writePayload('s', 'input', { of: id, earlier: earlier ?? null });
      tx.operation.milestone = `${tx.operation.milestone ?? ''}+`;
      tx.operation.failure = { kind: 'terminal', status: 500, code: 'x.y', detail: `of ${id}` } as never;
      await tx.save({ inserted: [], changed: [] });
      return id;
    },
    { beside: true },
  );

interface Row {
  id: string;
  milestone: string | null;
  failure: { detail: string } | null;
  written: string;
}

const rows = (): Promise<Row[]> =>
  rowsOf<Row>(database.manager, 'SELECT id, milestone, failure, xmin::text AS written FROM lcm.operation');

describe('operations that move at the same time', () => {
  it('share commits, and each has its own answer, record and payloads', async () => {
    const ids = await accepted(20);
    expect(await Promise.all(ids.map((id) => moved(id)))).toEqual(ids);
    expect(await Promise.all(ids.map((id) => moved(id)))).toEqual(ids);
    const found = await rows();
    expect(found.every(({ milestone }) => milestone === '++')).toBe(true);
    expect(found.map(({ failure }) => failure?.detail)).toEqual(found.map(({ id }) => `of ${id}`));
    // The first two find a lane free; the others come together, eight at most.
    expect(new Set(found.map(({ written }) => written)).size).toBeLessThanOrEqual(5);
    for (const id of ids) {
      const payload = await journal.transact(id, (tx) => tx.readPayload('s', 'input'));
      expect(payload).toEqual({ of: id, earlier: { of: id, earlier: null } });
    }
  });

  it('that one of them throws is told to its own caller alone, and the others are done once', async () => {
    const ids = await accepted(10);
    const bad = ids[6]!;
    const refuse = (): never => {
      throw new Error('of its own');
    };
    const ends = await Promise.allSettled(ids.map((id) => moved(id, id === bad ? refuse : undefined)));
    expect(ends.flatMap((end, at) => (end.status === 'rejected' ? [[ids[at], (end.reason as Error).message]] : []))).toEqual([
      [bad, 'of its own'],
    ]);
    for (const { id, milestone } of await rows()) expect(milestone).toBe(id === bad ? null : '+');
  });

  it('that PostgreSQL refuses what one of them does takes no other along', async () => {
    const ids = await accepted(10);
    const bad = ids[5]!;
    const broken = (id: string): Promise<unknown> =>
      journal.transact<unknown>(id, (tx) => rowsOf(tx.handle as EntityManager, 'SELECT 1 / 0'), { beside: true });
    const ends = await Promise.allSettled(ids.map((id) => (id === bad ? broken(id) : moved(id))));
    expect(ends.flatMap(({ status }, at) => (status === 'rejected' ? [ids[at]] : []))).toEqual([bad]);
    for (const { id, milestone } of await rows()) expect(milestone).toBe(id === bad ? null : '+');
  });

  it('do not wait for one that another coordinator holds, which is moved when it is free', async () => {
    const ids = await accepted(12);
    const held = ids[7]!;
    const other = new PgJournal(database, vault);
    let late: Promise<unknown> | undefined;
    await other.transact(held, async (tx) => {
      const ends = ids.map((id) => moved(id));
      late = ends[7];
      await Promise.all(ends.filter((_end, at) => at !== 7));
      tx.operation.milestone = 'of the other';
      await tx.save({ inserted: [], changed: [] });
    });
    expect(await late).toBe(held);
    for (const { id, milestone } of await rows()) expect(milestone).toBe(id === held ? 'of the other+' : '+');
  });

  it('do not wait for lanes whose transactions wait for somebody', async () => {
    const ids = await accepted(8);
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((resolve) => (gate.open = resolve));
    const hung = ids.slice(0, 2).map((id) => journal.transact(id, () => opened, { beside: true }));
    expect(await Promise.all(ids.slice(2).map((id) => moved(id)))).toEqual(ids.slice(2));
    gate.open?.();
    await Promise.all(hung);
  });

  it('do not wait for long with one of them that waits for a lock of somebody’s', async () => {
    const ids = await accepted(10);
    const waiting = ids[6]!;
    const holder = database.createQueryRunner();
    await holder.query(`SELECT pg_advisory_lock(hashtextextended('limit ${KEY}', 0))`);
    const claiming = (tx: JournalTransaction): Promise<unknown> => tx.countRunning([{ key: KEY, limit: 1, places: 1 }]);
    const ends = ids.map((id) => (id === waiting ? journal.transact(id, claiming, { beside: true }) : moved(id)));
    await Promise.all(ends.filter((_end, at) => at !== 6));
    await holder.query('SELECT pg_advisory_unlock_all()');
    await holder.release();
    expect(await ends[6]).toEqual(new Map([[KEY, 0]]));
    for (const { id, milestone } of await rows()) expect(milestone).toBe(id === waiting ? null : '+');
  });

  it('wait as long as it takes for somebody’s lock where they move alone', async () => {
    const [waiting = ''] = await accepted(1);
    const holder = database.createQueryRunner();
    await holder.query(`SELECT pg_advisory_lock(hashtextextended('limit ${KEY}', 0))`);
    const claiming = (tx: JournalTransaction): Promise<unknown> => tx.countRunning([{ key: KEY, limit: 1, places: 1 }]);
    const end = journal.transact(waiting, claiming, { beside: true });
    end.catch(() => undefined);
    // Longer than those wait that share a transaction.
    await pause(seconds(1.5));
    await holder.query('SELECT pg_advisory_unlock_all()');
    await holder.release();
    expect(await end).toEqual(new Map([[KEY, 0]]));
  });

  it('are all told where PostgreSQL is away, and none is done again', async () => {
    const ids = await accepted(6);
    let tries = 0;
    const kill = async (id: string): Promise<void> => {
      await journal.transact(
        id,
        async (tx) => {
          tries += 1;
          await (tx.handle as EntityManager).query('SELECT pg_terminate_backend(pg_backend_pid())');
        },
        { beside: true },
      );
    };
    const ends = await Promise.allSettled(ids.map(kill));
    expect(ends.map((end) => end.status === 'rejected' && (end.reason as { code?: string }).code)).toEqual(
      ids.map(() => 'database.away'),
    );
    expect(tries).toBe(ids.length);
  });
});

it('internal operations, which look at an instance under its lock, and claims of lost steps have transactions of their own', async () => {
  const ids = await accepted(8);
  await database.query(`UPDATE lcm.operation SET kind = 'REFRESH' WHERE id = $1`, [ids[5]]);
  const claimsLost = (id: string) => journal.transact(id, (tx) => tx.quarantinedIn('m@h:1'), { beside: true });
  const ends = await Promise.all(ids.map((id) => (id === ids[6] ? claimsLost(id) : moved(id))));
  expect(ends).toEqual(ids.map((id) => (id === ids[6] ? [] : id)));
  const found = await rows();
  const written = (id: string | undefined) => found.find((row) => row.id === id)?.written;
  expect(found.filter((row) => row.written === written(ids[5]))).toHaveLength(1);
});

it('claims that come together keep a limit, and those that it keeps out are called when a place is free', async () => {
  const limit = 3;
  const woken: { operationId: string; stepId: string; epoch: number; service: string }[] = [];
  const step: StepNode = {
    ...{ kind: 'step', id: 's', action: 'make', version: 1, service: 'maker', input: {}, limits: [KEY] },
  };
  const coordinator = new Coordinator({
    journal,
    policy: { ...defaultPolicy, limitOf: (key: string) => (key === KEY ? limit : undefined) },
    wakeUpSender: { notify: (sent) => Promise.resolve(void woken.push(...sent)) },
    owner: {
      ...unbounded,
      plan: () => Promise.resolve(compilePlan({ root: step })),
      source: () => Promise.resolve(undefined),
      runInline: () => Promise.resolve(undefined),
      moved: () => Promise.resolve(),
    },
  });
  const ids = await accepted(9);
  await Promise.all(ids.map((id) => coordinator.begin(id)));
  expect(woken.map(({ operationId }) => operationId).sort()).toEqual([...ids].sort());
  let ended = 0;
  while (ended < ids.length) {
    const asked = woken.splice(0);
    expect(asked.length).toBeGreaterThan(0);
    const replies = await Promise.all(asked.map((each) => coordinator.claim({ ...each, worker: 'm@h:1', actions: ['make@1'] })));
    const [running] = await rowsOf<{ n: number }>(
      database.manager,
      `SELECT count(*)::int AS n FROM lcm.step WHERE state = 'running'`,
    );
    expect(running?.n).toBeLessThanOrEqual(limit);
    const claims = replies.flatMap((reply) => (reply.granted ? [reply.claim] : []));
    await Promise.all(
      claims.map(({ operationId, stepId, epoch }) =>
        coordinator.result({ operationId, stepId, epoch, outcome: { kind: 'done' } }),
      ),
    );
    ended += claims.length;
  }
});

it('leases are extended together, by one statement and one transaction, and whatever speaks against one is told for it alone', async () => {
  const step: StepNode = { kind: 'step', id: 's', action: 'make', version: 1, service: 'maker', input: {} };
  const coordinator = new Coordinator({
    journal,
    policy: defaultPolicy,
    wakeUpSender: { notify: () => Promise.resolve() },
    owner: {
      ...unbounded,
      plan: () => Promise.resolve(compilePlan({ root: step })),
      source: () => Promise.resolve(undefined),
      runInline: () => Promise.resolve(undefined),
      moved: () => Promise.resolve(),
    },
  });
  const ids = await accepted(100);
  await Promise.all(ids.map((id) => coordinator.begin(id)));
  const claimed = { stepId: 's', epoch: 0, service: 'maker', worker: 'm@h:1', actions: ['make@1'] };
  await Promise.all(ids.map((operationId) => coordinator.claim({ ...claimed, operationId })));
  const [stopped, lost, taken] = [ids[10]!, ids[20]!, ids[30]!];
  await coordinator.cancel(stopped, 'FORCEFUL');
  const renewed = async (): Promise<string[]> => {
    const renew = (operationId: string) =>
      coordinator.renew({ operationId, stepId: 's', epoch: operationId === lost ? 7 : 1, progress: `of ${operationId}` });
    const replies = await Promise.all(ids.map(renew));
    return replies.map(({ verdict, cancel }) => cancel ?? verdict);
  };
  await database.query(`UPDATE lcm.step SET lease_until = clock_timestamp() - interval '1 minute'`);
  const holder = database.createQueryRunner();
  await holder.startTransaction();
  await holder.query('SELECT id FROM lcm.operation WHERE id = $1 FOR UPDATE', [taken]);
  const answers = renewed();
  await pause(300);
  await holder.rollbackTransaction();
  await holder.release();
  expect(await answers).toEqual(ids.map((id) => (id === stopped ? 'FORCEFUL' : id === lost ? 'stale' : 'journaled')));
  const steps = await rowsOf<{ operation_id: string; written: string; holds: boolean; progress: string }>(
    database.manager,
    `SELECT operation_id, xmin::text AS written, lease_until > clock_timestamp() + interval '5 seconds' AS holds, progress FROM lcm.step`,
  );
  for (const { operation_id: id, holds, progress } of steps)
    expect({ holds, progress }).toEqual({ holds: id !== lost, progress: id === lost ? null : `of ${id}` });
  // All at once, the two that the machine was asked about, and the one that was never extended.
  expect(new Set(steps.map(({ written }) => written)).size).toBeLessThanOrEqual(4);
});

it('a lease that is extended while its step ends stays ended, whichever is first', async () => {
  const ids = await accepted(40);
  const step: StepNode = { kind: 'step', id: 's', action: 'make', version: 1, service: 'maker', input: {} };
  const owner = {
    ...unbounded,
    plan: () => Promise.resolve(compilePlan({ root: step })),
    source: () => Promise.resolve(undefined),
  };
  const ports = {
    policy: defaultPolicy,
    wakeUpSender: { notify: () => Promise.resolve() },
    owner: { ...owner, runInline: () => Promise.resolve(undefined), moved: () => Promise.resolve() },
  };
  const [one, other] = [
    new Coordinator({ journal, ...ports }),
    new Coordinator({ journal: new PgJournal(database, vault), ...ports }),
  ];
  await Promise.all(ids.map((id) => one.begin(id)));
  const claimed = { stepId: 's', epoch: 0, service: 'maker', worker: 'm@h:1', actions: ['make@1'] };
  await Promise.all(ids.map((operationId) => one.claim({ ...claimed, operationId })));
  const ends = ids.flatMap((operationId) => [
    other.renew({ operationId, stepId: 's', epoch: 1 }),
    one.result({ operationId, stepId: 's', epoch: 1, outcome: { kind: 'done' } }),
  ]);
  const verdicts = (await Promise.all(ends)).map(({ verdict }) => verdict);
  expect(verdicts.filter((_verdict, at) => at % 2 === 1).every((verdict) => verdict === 'journaled')).toBe(true);
  const left = await rowsOf(database.manager, `SELECT id FROM lcm.step WHERE state <> 'done' OR lease_until IS NOT NULL`);
  expect(left).toEqual([]);
});

it('who waits for a place is looked for once for all who ask at the same time, and woken once', async () => {
  const step: StepNode = { kind: 'step', id: 's', action: 'make', version: 1, service: 'maker', input: {}, limits: [KEY] };
  const coordinator = new Coordinator({
    journal,
    policy: { ...defaultPolicy, limitOf: (key: string) => (key === KEY ? 1 : undefined) },
    wakeUpSender: { notify: () => Promise.resolve() },
    owner: {
      ...unbounded,
      plan: () => Promise.resolve(compilePlan({ root: step })),
      source: () => Promise.resolve(undefined),
      runInline: () => Promise.resolve(undefined),
      moved: () => Promise.resolve(),
    },
  });
  const ids = await accepted(2);
  for (const operationId of ids) {
    await coordinator.begin(operationId);
    await coordinator.claim({ operationId, stepId: 's', epoch: 0, service: 'maker', worker: 'm@h:1', actions: ['make@1'] });
  }
  await database.query(`UPDATE lcm.step SET state = 'done' WHERE state = 'running'`);
  const asked = vi.spyOn((database.driver as unknown as { master: { query: () => unknown } }).master, 'query');
  const vacancies = [
    { key: KEY, limit: 1, most: 1 },
    { key: 'vim:other', limit: 1, most: 1 },
  ];
  const found = await Promise.all(ids.flatMap(() => [journal.waiting(vacancies), journal.waiting(vacancies.slice(0, 1))]));
  expect(asked).toHaveBeenCalledTimes(1);
  asked.mockRestore();
  expect(found).toEqual([[{ operationId: ids[1], stepId: 's', epoch: 0, service: 'maker' }], [], [], []]);
});
