import { randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { seconds } from '@windlass/foundation';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { Vault } from '../sealing/vault.js';
import { PgNotificationOutbox } from './pg-notification-outbox.js';

let server: TestDatabase;
let database: DataSource;
let outbox: PgNotificationOutbox;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 6 });
  await migrate(database);
  outbox = new PgNotificationOutbox(database, new Vault([randomBytes(32)]));
});

beforeEach(() => database.query('TRUNCATE lcm.subscription, lcm.subscription_delivery, lcm.notification'));

afterAll(async () => {
  await database.destroy();
  await server.close();
});

/** So many subscriptions of a project that something waits for; their last turns were before those of later ones. */
async function subscriptions(tenant: string, howMany: number): Promise<void> {
  for (let n = 0; n < howMany; n += 1) {
    const id = randomUUID();
    const values = [id, tenant];
    await database.query(
      `INSERT INTO lcm.subscription (id, tenant, api, callback_uri, key) VALUES ($1, $2, 'vnflcm', 'http://x', gen_random_uuid())`,
      values,
    );
    await database.query('INSERT INTO lcm.subscription_delivery (subscription_id) VALUES ($1)', [id]);
    await database.query('INSERT INTO lcm.notification (subscription_id, change_id) VALUES ($1, gen_random_uuid())', [id]);
  }
}

/** Whose subscriptions a replica takes, one letter each. */
async function taken(owner: string, limit: number): Promise<string> {
  const ids = await outbox.claim(owner, seconds(60), limit);
  const rows = await rowsOf<{ tenant: string }>(database.manager, 'SELECT tenant FROM lcm.subscription WHERE id = ANY($1)', [
    ids,
  ]);
  return rows
    .map(({ tenant }) => tenant)
    .sort()
    .join('');
}

describe('places to send notifications from', () => {
  it('are given to projects in turn, whoever has more subscriptions and whichever replica asks', async () => {
    await subscriptions('a', 9);
    await subscriptions('b', 2);
    await subscriptions('c', 1);
    expect(await taken('one', 4)).toBe('aabc');
    // b has fewer places than a by now, and c nothing that waits.
    expect(await taken('two', 2)).toBe('ab');
    expect(await taken('two', 100)).toBe('aaaaaa');
    expect(await taken('one', 100)).toBe('');
  });

  it('go by who had none for longest within a project, and one that is gone holds nobody up', async () => {
    await subscriptions('a', 3);
    await database.query(`DELETE FROM lcm.subscription WHERE id = (SELECT id FROM lcm.subscription ORDER BY created_at LIMIT 1)`);
    const [first, second] = await rowsOf<{ id: string }>(
      database.manager,
      'SELECT subscription_id AS id FROM lcm.subscription_delivery AS d WHERE EXISTS (SELECT FROM lcm.subscription WHERE id = d.subscription_id) ORDER BY turn_at',
    );
    expect(await outbox.claim('one', seconds(60), 2)).toContain(first?.id);
    expect(await outbox.claim('one', seconds(60), 2)).toEqual([second?.id]);
  });
});
