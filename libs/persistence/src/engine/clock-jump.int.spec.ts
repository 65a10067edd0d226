import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type RunningPostgres } from '@windlass/embedded';
import { hours, minutes, seconds, type Duration } from '@windlass/foundation';
import { compilePlan, Coordinator, defaultPolicy, type WakeUp } from '@windlass/saga';
import { unbounded } from '@windlass/saga/testing';
import type { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { Vault } from '../sealing/vault.js';
import { PgJournal } from './pg-journal.js';

/** Debian's package `faketime` (0.9.10): puts itself between a program and the clock; what the clock says stands in a file. */
const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`;
/** It passes on the test's clocks alone: a machine that pauses for less takes nobody's step. */
const LEASE = minutes(2);
/** A coordinator looks at least so often: it takes a longer time between two looks for its own absence. */
const LOOKS_EVERY = seconds(20);

let folder: string;
let server: RunningPostgres;
let database: DataSource;
let journal: JournalOfTest;
const wakeUps: WakeUp[] = [];

/** What has passed on both clocks beside what passed on the machine's, and by how much PostgreSQL's alone is wrong. */
let passed = 0;
let jumped = 0;

/** The real one, with the steady clock of the test. */
class JournalOfTest extends PgJournal {
  override steady(): number {
    return super.steady() + passed;
  }
}

/** PostgreSQL's processes read the file anew each time. */
function tellClock(): Promise<void> {
  const by = passed + jumped;
  return writeFile(join(folder, 'clock'), `${by < 0 ? '-' : '+'}${Math.abs(by) / 1_000}\n`);
}

/** Sets PostgreSQL's clock so far from where it should be. */
function setClock(by: number): Promise<void> {
  jumped = by;
  return tellClock();
}

/** Time passes on both clocks; whoever is to look as often as a coordinator does looks meanwhile. */
async function pass(time: Duration, look: () => Promise<void>): Promise<void> {
  for (let left: number = time; left > 0; left -= LOOKS_EVERY) {
    passed += LOOKS_EVERY;
    await tellClock();
    await look();
  }
}

const databaseNow = async (): Promise<number> => {
  const [row] = await rowsOf<{ now: Date }>(database.manager, 'SELECT clock_timestamp() AS now');
  return row?.now.getTime() ?? Number.NaN;
};

beforeAll(async () => {
  if (!existsSync(LIBRARY)) throw new Error(`${LIBRARY} is missing: apt-get install faketime`);
  folder = await mkdtemp(join(tmpdir(), 'windlass-clock-'));
  await chmod(folder, 0o755);
  await setClock(0);
  server = await startPostgres({
    dataDir: join(folder, 'postgres'),
    durable: false,
    log: () => undefined,
    environment: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: join(folder, 'clock'),
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
  });
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 4 });
  await migrate(database);
  journal = new JournalOfTest(database, new Vault([randomBytes(32)]));
});

afterEach(() => setClock(0));

afterAll(async () => {
  await database.destroy();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
  // The library's own, named by the process that made them; nobody else removes them when that ends.
  for (const name of ['faketime_shm_', 'sem.faketime_sem_']) await rm(`/dev/shm/${name}${server.pid}`, { force: true });
});

const newCoordinator = (): Coordinator =>
  new Coordinator({
    journal,
    policy: { ...defaultPolicy, lease: LEASE },
    wakeUpSender: { notify: (notified) => Promise.resolve(void wakeUps.push(...notified)) },
    owner: {
      ...unbounded,
      plan: () =>
        Promise.resolve(
          compilePlan({ root: { kind: 'step', id: 's', action: 'make', version: 1, service: 'maker', input: {} } }),
        ),
      source: () => Promise.resolve(undefined),
      runInline: () => Promise.resolve(undefined),
      moved: () => Promise.resolve(),
    },
  });

/** An operation whose only step is claimed, and seen so by a coordinator. */
async function claimed(coordinator: Coordinator): Promise<{ operationId: string; stepId: string; epoch: number }> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', 't', 'accepted', 1)`,
    [id],
  );
  await coordinator.begin(id);
  const wakeUp = wakeUps.find(({ operationId }) => operationId === id)!;
  expect(await coordinator.claim({ ...wakeUp, worker: 'w', actions: ['make@1'] })).toMatchObject({ granted: true });
  await coordinator.sweep();
  return { operationId: id, stepId: 's', epoch: 1 };
}

const stateOf = async ({ operationId }: { operationId: string }): Promise<string> => {
  const [row] = await rowsOf<{ state: string }>(database.manager, 'SELECT state FROM lcm.step WHERE operation_id = $1', [
    operationId,
  ]);
  return row?.state ?? '';
};

describe.each([
  ['forwards', hours(1)],
  ['backwards', 0 - hours(1)],
])('PostgreSQL’s clock, set an hour %s', (_where, by) => {
  it('is seen to be', async () => {
    const before = await databaseNow();
    await setClock(by);
    expect(Math.abs((await databaseNow()) - before - by)).toBeLessThan(minutes(1));
  });

  it('takes no step from a worker that renews', async () => {
    const coordinator = newCoordinator();
    const step = await claimed(coordinator);
    await setClock(by);
    await pass(minutes(5), async () => {
      expect(await coordinator.renew(step)).toMatchObject({ verdict: 'journaled' });
      await coordinator.sweep();
      expect(await stateOf(step)).toBe('running');
    });
  });

  it.each(['that saw the claim', 'started afterwards'])(
    'keeps a dead worker’s step for no hour: a coordinator %s takes it',
    async (which) => {
      const saw = newCoordinator();
      const step = await claimed(saw);
      await setClock(by);
      const coordinator = which === 'that saw the claim' ? saw : newCoordinator();
      await coordinator.sweep();
      const states: string[] = [];
      await pass(minutes(3), async () => {
        await coordinator.sweep();
        states.push(await stateOf(step));
      });
      expect(states.at(-1)).toBe('ready');
      // Who saw the claim does not take it in the first half of the lease; who did not has only the database's word.
      if (coordinator === saw) expect(states.slice(0, LEASE / LOOKS_EVERY / 2)).not.toContain('ready');
    },
  );
});
