import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { compilePlan, Coordinator, defaultPolicy, parallel, type ClaimReply, type StepNode, type WakeUp } from '@windlass/saga';
import { unbounded } from '@windlass/saga/testing';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { Vault } from '../sealing/vault.js';
import { permitsOf } from './limit-places.js';
import { PgJournal } from './pg-journal.js';

const KEY = 'vim:a';
const vault = new Vault([randomBytes(32)]);
let server: TestDatabase;
/** Two coordinators', each with connections of its own. */
let databases: DataSource[];

beforeAll(async () => {
  server = await testPostgres();
  databases = await Promise.all([1, 2].map(() => connectDatabase({ url: server.url, applicationName: 'test', poolSize: 12 })));
  await migrate(databases[0]!);
});

beforeEach(() => databases[0]!.query('TRUNCATE lcm.operation CASCADE'));

afterAll(async () => {
  await Promise.all(databases.map((database) => database.destroy()));
  await server.close();
});

interface Scene {
  coordinators: Coordinator[];
  journal: PgJournal;
  /** Sent and not yet answered by a claim. */
  wakeUps: WakeUp[];
  operations: string[];
}

/** @param steps of each operation, all of them under the limit */
async function scene(limit: number, operations: number, steps: number): Promise<Scene> {
  const wakeUps: WakeUp[] = [];
  const step = (n: number): StepNode => ({
    ...{ kind: 'step', id: `s${n}`, action: 'make', version: 1, service: 'maker', input: {}, limits: [KEY] },
  });
  const ports = (database: DataSource) => ({
    journal: new PgJournal(database, vault),
    policy: { ...defaultPolicy, limitOf: (key: string) => (key === KEY ? limit : undefined) },
    wakeUpSender: { notify: (sent: readonly WakeUp[]) => Promise.resolve(void wakeUps.push(...sent)) },
    owner: {
      ...unbounded,
      plan: () => Promise.resolve(compilePlan({ root: parallel(Array.from({ length: steps }, (_none, n) => step(n))) })),
      source: () => Promise.resolve(undefined),
      runInline: () => Promise.resolve(undefined),
      moved: () => Promise.resolve(),
    },
  });
  const coordinators = databases.map((database) => new Coordinator(ports(database)));
  const ids = Array.from({ length: operations }, () => randomUUID());
  for (const id of ids) {
    await databases[0]!.query(
      `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', 't', 'accepted', 1)`,
      [id],
    );
    await coordinators[0]!.begin(id);
  }
  return { coordinators, journal: new PgJournal(databases[0]!, vault), wakeUps, operations: ids };
}

const claimed = (coordinator: Coordinator, wakeUp: WakeUp): Promise<ClaimReply> =>
  coordinator.claim({ ...wakeUp, worker: 'maker@host:1', actions: ['make@1'] });

/** How many run, as whoever looks from outside sees it. */
async function runningNow(): Promise<number> {
  const sql = `SELECT count(*)::int AS n FROM lcm.step WHERE state = 'running'`;
  return (await rowsOf<{ n: number }>(databases[0]!.manager, sql))[0]?.n ?? 0;
}

/** The most that ran at once while the work was under way, by looks one after the other. */
async function mostWhile(work: Promise<unknown>): Promise<number> {
  const state = { isOver: false };
  const over = work.finally(() => (state.isOver = true));
  let most = 0;
  while (!state.isOver) most = Math.max(most, await runningNow());
  await over;
  return Math.max(most, await runningNow());
}

/** Claims whatever a wake-up was sent for and says that it is done, until nothing is left to claim. */
async function worked({ coordinators, wakeUps }: Scene, workers: number, isDone: () => boolean): Promise<void> {
  const one = async (n: number): Promise<void> => {
    for (let turn = n; !isDone(); turn += 1) {
      const wakeUp = wakeUps.shift();
      const coordinator = coordinators[turn % coordinators.length]!;
      const reply = wakeUp === undefined ? undefined : await claimed(coordinator, wakeUp);
      if (reply?.granted === true) {
        const { operationId, stepId, epoch } = reply.claim;
        await coordinator.result({ operationId, stepId, epoch, outcome: { kind: 'done' } });
      } else await pause(2);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_none, n) => one(n)));
}

const leftToDo = async (): Promise<number> =>
  (await rowsOf<{ n: number }>(databases[0]!.manager, `SELECT count(*)::int AS n FROM lcm.step WHERE state <> 'done'`))[0]?.n ??
  0;

describe('a limit that many claim under at once, through two coordinators', () => {
  it.each([1, 2, 3, 7, 40])('of %i is reached, and never exceeded', async (limit) => {
    const rounds = limit === 40 ? 1 : 3;
    for (let round = 0; round < rounds; round += 1) {
      await databases[0]!.query('TRUNCATE lcm.operation CASCADE');
      const { coordinators, wakeUps } = await scene(limit, Math.ceil(limit * 1.5) + 4, 1);
      let granted = 0;
      // Who is refused while others take what is left is called again, as long as it is not taken.
      while (wakeUps.length > 0) {
        const replies = await Promise.all(wakeUps.splice(0).map((wakeUp, n) => claimed(coordinators[n % 2]!, wakeUp)));
        granted += replies.filter((reply) => reply.granted).length;
        expect(await runningNow()).toBe(granted);
      }
      expect(granted).toBe(limit);
    }
  });

  it('is kept by transactions that claim several steps, and by those that end some meanwhile', async () => {
    const limit = 6;
    const made = await scene(limit, 8, 5);
    let left = 40;
    const looks = (async () => {
      while (left > 0) left = await leftToDo();
    })();
    const most = await mostWhile(worked(made, 16, () => left === 0));
    await looks;
    expect(most).toBeLessThanOrEqual(limit);
    expect(most).toBeGreaterThan(1);
  }, 60_000);
});

describe('places that are far from all taken', () => {
  it('are taken beside a transaction that has taken one and is not committed', async () => {
    const limit = 10;
    const { coordinators, journal, wakeUps, operations } = await scene(limit, 3, 1);
    await journal.transact(operations[2]!, async (tx) => {
      expect(await tx.countRunning([{ key: KEY, limit, places: 1 }])).toEqual(new Map([[KEY, 0]]));
      const replies = await Promise.all(wakeUps.slice(0, 2).map((wakeUp, n) => claimed(coordinators[n]!, wakeUp)));
      expect(replies.map(({ granted }) => granted)).toEqual([true, true]);
    });
  });

  it('are not all given away to those that are not counted yet: the last ones wait for their commits', async () => {
    const limit = 10;
    const { coordinators, journal, wakeUps, operations } = await scene(limit, 2, 1);
    let reply: ClaimReply | undefined;
    let claim: Promise<unknown> | undefined;
    await journal.transact(operations[1]!, async (tx) => {
      await tx.countRunning([{ key: KEY, limit, places: permitsOf(limit) }]);
      claim = claimed(coordinators[0]!, wakeUps[0]!).then((answered) => (reply = answered));
      await pause(150);
      expect(reply).toBeUndefined();
    });
    await claim;
    expect(reply).toMatchObject({ granted: true });
  });
});

describe('claims that come together and find no permit', () => {
  it('wait for those who hold them, and share a commit still', async () => {
    const limit = 100;
    const { coordinators, journal, wakeUps, operations } = await scene(limit, 11, 1);
    let claims: Promise<ClaimReply>[] = [];
    await journal.transact(operations[10]!, async (tx) => {
      await tx.countRunning([{ key: KEY, limit, places: permitsOf(limit) }]);
      const others = wakeUps.filter(({ operationId }) => operationId !== operations[10]);
      claims = others.map((wakeUp) => claimed(coordinators[0]!, wakeUp));
      await pause(150);
      expect(await runningNow()).toBe(0);
    });
    expect((await Promise.all(claims)).every(({ granted }) => granted)).toBe(true);
    const rows = await rowsOf<{ written: string }>(
      databases[0]!.manager,
      `SELECT xmin::text AS written FROM lcm.step WHERE state = 'running'`,
    );
    expect(rows).toHaveLength(10);
    // Two find a lane each; the other eight come together.
    expect(new Set(rows.map(({ written }) => written)).size).toBeLessThanOrEqual(3);
  });
});

it('a claim says that others want its places where its limit is nearly full, by whichever coordinator', async () => {
  const { coordinators, wakeUps } = await scene(4, 4, 1);
  const said: unknown[] = [];
  for (const [n, wakeUp] of wakeUps.splice(0).entries()) {
    const reply = await claimed(coordinators[n % 2]!, wakeUp);
    said.push(reply.granted && reply.claim.crowded);
  }
  expect(said).toEqual([undefined, undefined, undefined, true]);
});

describe('the last place', () => {
  const taking = async (isKept: boolean) => {
    const limit = 4;
    const { coordinators, journal, wakeUps, operations } = await scene(limit, 5, 1);
    const of = (n: number): WakeUp => wakeUps.find(({ operationId }) => operationId === operations[n])!;
    const late = of(4);
    for (const n of [0, 1, 2]) expect(await claimed(coordinators[0]!, of(n))).toMatchObject({ granted: true });
    wakeUps.length = 0;
    const taken = journal.transact(operations[3]!, async (tx) => {
      expect(await tx.countRunning([{ key: KEY, limit, places: 1 }])).toEqual(new Map([[KEY, 3]]));
      expect(await claimed(coordinators[1]!, late)).toEqual({ granted: false, reason: 'limited' });
      const [only] = tx.steps;
      Object.assign(only!, { state: 'running', epoch: 1 });
      await tx.save({ inserted: [], changed: [only!] });
      if (!isKept) throw new Error('taken back');
    });
    await taken.catch((error: unknown) => expect(error).toMatchObject({ message: 'taken back' }));
    // It was free still by what was committed when it was looked for.
    expect(wakeUps).toMatchObject([{ operationId: late.operationId, epoch: late.epoch }]);
    return claimed(coordinators[1]!, wakeUps[0]!);
  };

  it('is not given to two: who comes while it is being taken is refused, without waiting for that', async () => {
    expect(await taking(true)).toEqual({ granted: false, reason: 'limited' });
    expect(await runningNow()).toBe(4);
  });

  it('is given to who was refused for it, once it is not taken after all, with no sweep', async () => {
    expect(await taking(false)).toMatchObject({ granted: true });
  });
});

describe('claims that wait for the lock of a nearly full limit', () => {
  it('leave connections to all else, more of them than there are connections', async () => {
    const { coordinators, wakeUps, operations, journal } = await scene(1, 41, 1);
    const holder = databases[1]!.createQueryRunner();
    await holder.connect();
    await holder.startTransaction();
    await holder.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`limit ${KEY}`]);
    const claims = wakeUps.slice(0, 40).map((wakeUp) => claimed(coordinators[0]!, wakeUp));
    // By then none of them shares a transaction any more: who does waits for a second at most.
    await pause(3_000);
    const sql = `SELECT count(*)::int AS n FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND NOT granted`;
    const [waiting] = await rowsOf<{ n: number }>(databases[1]!.manager, sql);
    await journal.transact(operations[40]!, (tx) => Promise.resolve(tx.operation.status), { beside: true });
    const told: unknown[] = [];
    for (const claim of claims) claim.catch((error: unknown) => told.push(error));
    // Whoever's turn does not come in time is told to ask again, while the lock is held still.
    await expect.poll(() => told.length).toBeGreaterThan(0);
    expect(told[0]).toMatchObject({ code: 'database.away', message: expect.stringContaining('near a limit') as string });
    await holder.rollbackTransaction();
    await holder.release();
    expect(waiting?.n).toBeLessThanOrEqual(4);
    const ends = await Promise.allSettled(claims);
    expect(ends.filter((end) => end.status === 'fulfilled' && end.value.granted)).toHaveLength(1);
  });
});

describe('a coordinator of the release before, which locks the key alone, beside this one', () => {
  /** As that release counts, in a transaction that stays open until it is told otherwise. */
  const oldClaim = async (stepOf: string, limit: number, committed: Promise<unknown>, counted: () => void): Promise<boolean> =>
    databases[1]!.transaction(async (manager) => {
      await manager.query('SELECT id FROM lcm.operation WHERE id = $1 FOR UPDATE', [stepOf]);
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`limit ${KEY}`]);
      const sql = `SELECT count(*)::int AS n FROM lcm.step WHERE state = 'running' AND limit_keys ? $1`;
      const [row] = (await manager.query(sql, [KEY])) as { n: number }[];
      counted();
      await committed;
      if ((row?.n ?? 0) >= limit) return false;
      await manager.query(
        `UPDATE lcm.step SET state = 'running', epoch = 1, lease_until = clock_timestamp() + interval '1 minute' WHERE operation_id = $1`,
        [stepOf],
      );
      return true;
    });

  it('keeps this one’s claims until it has committed, and they count what it took', async () => {
    const { coordinators, wakeUps, operations } = await scene(2, 3, 1);
    let commit = (): void => undefined;
    const committed = new Promise<void>((resolve) => (commit = resolve));
    let counted = (): void => undefined;
    const isCounted = new Promise<void>((resolve) => (counted = resolve));
    const old = oldClaim(operations[0]!, 2, committed, () => counted());
    await isCounted;
    const answered: ClaimReply[] = [];
    const others = wakeUps.filter(({ operationId }) => operationId !== operations[0]);
    const claims = others.map(async (wakeUp, n) => answered.push(await claimed(coordinators[n]!, wakeUp)));
    await pause(150);
    expect(answered).toEqual([]);
    commit();
    expect(await old).toBe(true);
    await Promise.all(claims);
    expect(answered.filter(({ granted }) => granted)).toHaveLength(1);
    expect(await runningNow()).toBe(2);
  });

  it('waits for this one’s that are not committed, and counts them', async () => {
    const limit = 4;
    const { journal, wakeUps, operations, coordinators } = await scene(limit, 5, 1);
    for (const wakeUp of wakeUps.filter(({ operationId }) => operations.slice(0, 3).includes(operationId)))
      expect(await claimed(coordinators[0]!, wakeUp)).toMatchObject({ granted: true });
    let old: Promise<boolean> | undefined;
    await journal.transact(operations[3]!, async (tx) => {
      await tx.countRunning([{ key: KEY, limit, places: 1 }]);
      let hasCounted = false;
      old = oldClaim(operations[4]!, limit, Promise.resolve(), () => (hasCounted = true));
      await pause(150);
      expect(hasCounted).toBe(false);
      const [only] = tx.steps;
      Object.assign(only!, { state: 'running', epoch: 1 });
      await tx.save({ inserted: [], changed: [only!] });
    });
    expect(await old).toBe(false);
    expect(await runningNow()).toBe(limit);
  });
});

describe('whoever was kept out', () => {
  it('is called as places become free, all of them, with no sweep', async () => {
    const made = await scene(3, 30, 1);
    let left = 30;
    const looks = (async () => {
      while (left > 0) left = await leftToDo();
    })();
    await worked(made, 12, () => left === 0);
    await looks;
    expect(await leftToDo()).toBe(0);
  }, 60_000);

  it('is called where the place became free between its count and its commit', async () => {
    const { coordinators, wakeUps, operations } = await scene(1, 2, 1);
    const [first, second] = operations.map((id) => wakeUps.find(({ operationId }) => operationId === id)!);
    expect(await claimed(coordinators[0]!, first!)).toMatchObject({ granted: true });
    wakeUps.length = 0;
    // The refusal is counted, and can't be committed before the place is free: its step's row is held.
    const holder = databases[1]!.createQueryRunner();
    await holder.connect();
    await holder.startTransaction();
    await holder.query('SELECT 1 FROM lcm.step WHERE operation_id = $1 FOR UPDATE', [second!.operationId]);
    const refused = claimed(coordinators[0]!, second!);
    await pause(150);
    await coordinators[1]!.result({ ...first!, epoch: 1, outcome: { kind: 'done' } });
    expect(wakeUps).toEqual([]);
    await holder.rollbackTransaction();
    await holder.release();
    expect(await refused).toEqual({ granted: false, reason: 'limited' });
    expect(wakeUps).toMatchObject([{ operationId: second!.operationId }]);
    expect(await claimed(coordinators[1]!, wakeUps[0]!)).toMatchObject({ granted: true });
  });

  it('gets the place of a coordinator that died in the middle of its claim', async () => {
    const { coordinators, wakeUps, journal, operations } = await scene(1, 2, 1);
    const dying = journal.transact(operations[0]!, async (tx) => {
      await tx.countRunning([{ key: KEY, limit: 1, places: 1 }]);
      const sql = 'SELECT pg_terminate_backend(pg_backend_pid())';
      await (tx.handle as { query: (text: string) => Promise<unknown> }).query(sql);
    });
    await expect(dying).rejects.toThrow();
    expect(await claimed(coordinators[1]!, wakeUps[1]!)).toMatchObject({ granted: true });
  });

  it('gets the place of a worker that was lost, when its lease is over', async () => {
    const { coordinators, wakeUps } = await scene(1, 2, 1);
    const [first, second] = wakeUps.splice(0);
    await claimed(coordinators[0]!, first!);
    expect(await claimed(coordinators[0]!, second!)).toEqual({ granted: false, reason: 'limited' });
    await databases[0]!.query(`UPDATE lcm.step SET lease_until = clock_timestamp() - interval '1 hour' WHERE state = 'running'`);
    await coordinators[1]!.sweep();
    expect(wakeUps.map(({ operationId }) => operationId)).toContain(second!.operationId);
    expect(await claimed(coordinators[0]!, second!)).toMatchObject({ granted: true });
  });
});
