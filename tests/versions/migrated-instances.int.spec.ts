import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { desiredOnce } from '@windlass/lifecycle';
import { convertOldRequests, migrate, rowsOf } from '@windlass/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSample, type Sample } from '../crash-points/support/samples.js';
import { DurableWorld } from './support/durable-world.js';
import { loadRows, migrateUpTo } from './support/old-database.js';
import { instanceOfToday, inVim, recordedJournals, type OldInstance, type RecordedJournal } from './support/recorded-journal.js';

/** The last migration of the release before desired states. */
const BEFORE = 'AuditChain1700000000010';
const SECRET = 'marked-password-of-an-old-request';

let sample: Sample;
let server: TestDatabase;
let text: string;

beforeAll(async () => {
  [sample, server] = await Promise.all([loadSample('kubernetes'), testPostgres()]);
  text = (await recordedJournals()).find(({ name }) => name.endsWith('terminate-before-it-begins.json'))?.text ?? '';
});

afterAll(() => server.close());

interface Old {
  world: DurableWorld;
  recorded: RecordedJournal;
  instance: OldInstance;
}

/** Makes the release before's database, with an instance whose request has a secret, and whose termination is accepted. */
async function oldDatabase(work: (old: Old) => Promise<void>): Promise<void> {
  const world = await DurableWorld.start(sample);
  try {
    const recorded = inVim(text.replaceAll(/"password": ?"ubuntu"/g, `"password": "${SECRET}"`), world.emulator);
    await migrateUpTo(world.database, BEFORE);
    await loadRows(world.database, world.vault, recorded, sample.record);
    await migrate(world.database);
    const [instance] = recorded.instances;
    if (instance === undefined || !('instantiateRequest' in instance)) throw new Error('the journal is not of an older release');
    await work({ world, recorded, instance });
  } finally {
    await world.close();
  }
}

interface Columns {
  desired: Buffer | null;
  instantiate_request: Buffer | null;
  all: string;
}

async function columnsOf({ database }: DurableWorld): Promise<Columns> {
  const [row] = await rowsOf<Columns>(
    database.manager,
    'SELECT desired, instantiate_request, i::text AS all FROM lcm.vnf_instance AS i',
  );
  if (row === undefined) throw new Error('there is no instance');
  return row;
}

/** Whether a column has the secret, as text or in the hexadecimal digits of bytes. */
const showsSecret = ({ all }: Columns): boolean => all.includes(SECRET) || all.includes(Buffer.from(SECRET).toString('hex'));

describe('an instance that a release before desired states left in PostgreSQL', () => {
  it('is read as what it should be, before anything is converted', () =>
    oldDatabase(async ({ world, instance }) => {
      expect((await columnsOf(world)).instantiate_request).not.toBeNull();
      const { desired } = await world.instance();
      expect(desired).toEqual(desiredOnce(instance.instantiateRequest!, instance.instantiated?.info));
      expect(JSON.stringify(desired)).toContain(SECRET);
      expect(desired?.scaleStatus).toEqual(instance.instantiated?.info.scaleStatus);
    }));

  it('is converted once, sealed, and says the same afterwards', () =>
    oldDatabase(async ({ world, instance }) => {
      const both = await Promise.all([1, 2].map(() => convertOldRequests(world.database, world.vault)));
      expect(both).toContain(1);
      const row = await columnsOf(world);
      expect(row).toMatchObject({ instantiate_request: null, desired: expect.any(Buffer) as Buffer });
      expect(showsSecret(row)).toBe(false);
      expect(await world.instance()).toEqual(instanceOfToday(instance));
      expect(await convertOldRequests(world.database, world.vault)).toBe(0);
    }));

  it('that a coordinator of that release still writes is what that one wrote', () =>
    oldDatabase(async ({ world, recorded, instance }) => {
      await convertOldRequests(world.database, world.vault);
      const [{ id } = { id: '' }] = recorded.instances;
      const later = { ...instance.instantiateRequest, additionalParams: { later: true } };
      const sealed = world.vault.sealJson(later, `lcm.vnf_instance.instantiate_request ${id}`);
      await world.database.query('UPDATE lcm.vnf_instance SET instantiate_request = $2 WHERE id = $1', [id, sealed]);
      expect((await world.instance()).desired?.additionalParams).toEqual({ later: true });
      // The release before terminates the instance, and does not write the column that it does not know.
      await world.database.query('UPDATE lcm.vnf_instance SET instantiate_request = NULL, instantiated = NULL WHERE id = $1', [
        id,
      ]);
      expect((await world.instance()).desired).toBeNull();
    }));

  it(
    'and whose operation was under way goes on, converted or not',
    () =>
      oldDatabase(async ({ world, recorded: { operationId } }) => {
        await world.furnish();
        await convertOldRequests(world.database, world.vault);
        await world.settle(operationId);
        expect((await world.opOcc(operationId)).operationState).toBe('COMPLETED');
        expect(await columnsOf(world)).toMatchObject({ instantiate_request: null, desired: null });
      }),
    120_000,
  );
});
