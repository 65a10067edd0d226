import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import type { InstantiatedState } from '@windlass/lifecycle';
import { instanceRecord, packageRecord, TENANT } from '@windlass/lifecycle/testing';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, migrate } from '../database.js';
import { Vault } from '../sealing/vault.js';
import { certificatesEnds } from './certificates-end.js';
import { insertInstance } from './new-instance.js';

let server: TestDatabase;
let database: DataSource;
const vault = new Vault([randomBytes(32)]);
const PACKAGE = randomUUID();

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 3 });
  await migrate(database);
  const { model, files } = packageRecord(PACKAGE);
  await database.query(
    `INSERT INTO package.vnf_package (id, tenant, onboarding_state, operational_state, vnfd_id, model, files)
     VALUES ($1, $2, 'ONBOARDED', 'ENABLED', 'a-vnfd', $3, $4)`,
    [PACKAGE, TENANT, JSON.stringify(model), JSON.stringify(files)],
  );
});
afterAll(async () => {
  await database.destroy();
  await server.close();
});

/** An instance whose certificates end then; null: nobody has looked. */
async function instance(earliestEnd: number | null): Promise<string> {
  const id = randomUUID();
  const record = instanceRecord({ id, vnfPkgId: PACKAGE });
  await database.transaction((manager) => insertInstance(manager, record, vault));
  const certificates = earliestEnd === null ? {} : { certificates: { lookedAt: '', earliestEnd, certificates: [] } };
  const state: Partial<InstantiatedState> = { drivers: [], ...certificates };
  await database.query(`UPDATE lcm.vnf_instance SET instantiated = $2 WHERE id = $1`, [id, JSON.stringify(state)]);
  return id;
}

describe('when clusters stop answering', () => {
  it('is told of those that end first, by an index, and nothing of instances that are no clusters', async () => {
    await instance(null);
    const [late, early, never] = [await instance(1_900_000_000), await instance(1_800_000_000), await instance(253_402_300_799)];
    expect(await certificatesEnds(database.manager, 10)).toEqual([
      { vnfInstanceId: early, endsAt: 1_800_000_000 },
      { vnfInstanceId: late, endsAt: 1_900_000_000 },
      { vnfInstanceId: never, endsAt: 253_402_300_799 },
    ]);
    expect((await certificatesEnds(database.manager, 1)).map(({ vnfInstanceId }) => vnfInstanceId)).toEqual([early]);
    const plan = await database.transaction(async (manager) => {
      await manager.query('SET LOCAL enable_seqscan = off');
      return JSON.stringify(
        await manager.query(
          `EXPLAIN SELECT id FROM lcm.vnf_instance WHERE (instantiated->'certificates'->>'earliestEnd')::bigint IS NOT NULL
           ORDER BY (instantiated->'certificates'->>'earliestEnd')::bigint LIMIT 1`,
        ),
      );
    });
    expect(plan).toContain('vnf_instance_certificates_end');
  });
});
