import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { migrate, PgJournal, rowsOf } from '@windlass/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSample, type Sample } from '../crash-points/support/samples.js';
import { DurableWorld } from './support/durable-world.js';
import { loadRows, migrateUpTo } from './support/old-database.js';
import {
  datesIn,
  instanceOfToday,
  inVim,
  MIGRATIONS,
  recordedJournals,
  stepOfToday,
  type RecordedJournal,
} from './support/recorded-journal.js';

const journals = await recordedJournals();

let sample: Sample;
/** Keeps the server running for all databases of this file. */
let server: TestDatabase;

beforeAll(async () => {
  [sample, server] = await Promise.all([loadSample('kubernetes'), testPostgres()]);
});

afterAll(() => server.close());

/** Makes a database as after a migration, with a journal in it, and runs all later migrations. */
async function migratedFrom(text: string, migration: (recorded: RecordedJournal) => string) {
  const world = await DurableWorld.start(sample);
  const recorded = inVim(text, world.emulator);
  await migrateUpTo(world.database, migration(recorded));
  await loadRows(world.database, world.vault, recorded, sample.record);
  await migrate(world.database);
  return { world, recorded };
}

describe('an operation that an older release left in PostgreSQL', () => {
  it.each(journals.map(({ name, text }) => [name, text] as const))(
    'comes to its end under this one, through the migrations since: %s',
    async (_name, text) => {
      const { world, recorded } = await migratedFrom(text, ({ migration }) => migration);
      try {
        expect(MIGRATIONS, 'the last migration of its release').toContain(recorded.migration);
        await world.furnish();
        const { operationId } = recorded;
        const rollingBack = (await world.status(operationId)) === 'rolling-back';
        if ((await world.settle(operationId)) === 'suspended') await world.retry(operationId);
        await world.settle(operationId);
        const opOcc = await world.opOcc(operationId);
        expect(opOcc, JSON.stringify(opOcc.error)).toMatchObject({
          operationState: rollingBack ? 'ROLLED_BACK' : 'COMPLETED',
          error: rollingBack ? (expect.anything() as object) : null,
        });
        const instantiated = opOcc.operation === 'INSTANTIATE' && !rollingBack;
        const { instantiationState } = await world.instance();
        expect(instantiationState).toBe(instantiated ? 'INSTANTIATED' : 'NOT_INSTANTIATED');
        expect(world.troubles).toEqual([]);
      } finally {
        await world.close();
      }
    },
    120_000,
  );
});

describe('the migrations', () => {
  const [{ text } = { text: '' }] = journals.filter(({ name }) => name.endsWith('instantiate-in-failed-temp.json'));

  it.each(MIGRATIONS.slice(0, -1))('run up from %s with rows in its tables, and keep them', async (migration) => {
    const { world, recorded } = await migratedFrom(text, () => migration);
    try {
      const { operations, steps, payloads, opOccs, instances, operationId } = recorded;
      const journal = new PgJournal(world.database, world.vault);
      const kept = await journal.transact(operationId, async (tx) => {
        const read = Object.keys(payloads).map(async (key) => {
          const [, stepId = '', kind = ''] = /^\S+ (.*) (\S+)$/.exec(key) ?? [];
          return [key, await tx.readPayload(stepId, kind as 'input')] as const;
        });
        return { operation: tx.operation, steps: tx.steps, payloads: Object.fromEntries(await Promise.all(read)) };
      });
      expect(kept).toEqual({ operation: datesIn(operations[0]!), steps: steps[operationId]!.map(stepOfToday), payloads });
      const names = await rowsOf(world.database.manager, 'SELECT name FROM windlass_migrations ORDER BY id');
      expect(names).toEqual(MIGRATIONS.map((name) => ({ name })));
      // The first migration makes the engine's tables alone.
      if (migration === MIGRATIONS[0]) return;
      expect(await world.opOcc(operationId)).toEqual(datesIn(opOccs[0]!));
      expect(await world.instance()).toEqual(instanceOfToday(instances[0]!));
    } finally {
      await world.close();
    }
  });
});
