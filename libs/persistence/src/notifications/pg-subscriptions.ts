import { RequestError, type JsonObject, isUuid } from '@windlass/foundation';
import { subscriptionKey } from '@windlass/sol003';
import { createHash, randomUUID } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import { runPreparedAlone, type Statement } from '../prepared.js';
import type { Vault } from '../sealing/vault.js';

/** An API that can be subscribed at. */
export type SubscribedApi = 'vnflcm-v1' | 'vnflcm-v2' | 'vnfpkgm-v1';

/** A subscription as it is asked for. */
export interface NewSubscription {
  readonly tenant: string;
  readonly api: SubscribedApi;
  readonly callbackUri: string;
  readonly filter?: object;
  readonly verbosity?: 'FULL' | 'SHORT';
  /** Holds secrets: sealed at rest, never shown. */
  readonly authentication?: object;
}

/** A subscription as it is kept, but for its credentials. */
export interface SubscriptionRecord {
  readonly id: string;
  readonly tenant: string;
  readonly api: SubscribedApi;
  readonly callbackUri: string;
  readonly filter: JsonObject | null;
  readonly verbosity: 'FULL' | 'SHORT' | null;
  readonly createdAt: Date;
}

const authenticationPlace = (id: string): string => `lcm.subscription.authentication ${id}`;

const COLUMNS = `id, tenant, api, callback_uri AS "callbackUri", filter, verbosity, created_at AS "createdAt"`;

const WITH_SEALED: Statement = {
  name: 'windlass subscription to send to',
  text: `SELECT ${COLUMNS}, authentication AS sealed FROM lcm.subscription WHERE id = $1`,
};

/** Subscriptions of a project at an API. */
export class PgSubscriptions {
  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
  ) {}

  /** The id of one that asks for the same. */
  async equalTo(asked: NewSubscription): Promise<string | undefined> {
    const [found] = await rowsOf<{ id: string }>(
      this.database.manager,
      'SELECT id FROM lcm.subscription WHERE tenant = $1 AND api = $2 AND key = $3',
      [asked.tenant, asked.api, keyOf(asked)],
    );
    return found?.id;
  }

  /**
   * @param most how many the project may have at that API
   * @returns undefined where one that asks for the same came first
   * @throws RequestError 409 `subscription.too-many`
   */
  async add(manager: EntityManager, asked: NewSubscription, most: number): Promise<SubscriptionRecord | undefined> {
    await refuseTooMany(manager, asked, most);
    const id = randomUUID();
    const { tenant, api, callbackUri, filter, verbosity, authentication } = asked;
    const sealed = authentication === undefined ? null : this.vault.sealJson(authentication, authenticationPlace(id));
    const [added] = await rowsOf<SubscriptionRecord>(
      manager,
      `INSERT INTO lcm.subscription (id, tenant, api, callback_uri, filter, verbosity, authentication, key)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant, api, key) DO NOTHING RETURNING ${COLUMNS}`,
      [
        id,
        tenant,
        api,
        callbackUri,
        filter === undefined ? null : JSON.stringify(filter),
        verbosity ?? null,
        sealed,
        keyOf(asked),
      ],
    );
    if (added !== undefined) await manager.query('INSERT INTO lcm.subscription_delivery (subscription_id) VALUES ($1)', [id]);
    return added;
  }

  /** A page in the order of ids, after the marker. */
  page(tenant: string, api: SubscribedApi, after: string | undefined, limit: number | undefined): Promise<SubscriptionRecord[]> {
    if (after !== undefined && !isUuid(after)) return Promise.resolve([]);
    return rowsOf<SubscriptionRecord>(
      this.database.manager,
      `SELECT ${COLUMNS} FROM lcm.subscription WHERE tenant = $1 AND api = $2 AND ($3::uuid IS NULL OR id > $3) ORDER BY id LIMIT $4`,
      [tenant, api, after ?? null, limit ?? null],
    );
  }

  /** @throws RequestError 404, also for another project's and another API's */
  async find(tenant: string, api: SubscribedApi, id: string): Promise<SubscriptionRecord> {
    const [found] = isUuid(id)
      ? await rowsOf<SubscriptionRecord>(
          this.database.manager,
          `SELECT ${COLUMNS} FROM lcm.subscription WHERE id = $1 AND tenant = $2 AND api = $3`,
          [id, tenant, api],
        )
      : [];
    if (found === undefined) throw unknownSubscription(id);
    return found;
  }

  /** With what waits for it. @throws RequestError 404 */
  async remove(manager: EntityManager, tenant: string, api: SubscribedApi, id: string): Promise<void> {
    const removed = isUuid(id)
      ? await rowsOf<{ id: string }>(
          manager,
          'WITH gone AS (DELETE FROM lcm.subscription WHERE id = $1 AND tenant = $2 AND api = $3 RETURNING id) SELECT id FROM gone',
          [id, tenant, api],
        )
      : [];
    if (removed.length === 0) throw unknownSubscription(id);
    await manager.query('DELETE FROM lcm.subscription_delivery WHERE subscription_id = $1', [id]);
    await manager.query('DELETE FROM lcm.notification WHERE subscription_id = $1', [id]);
  }

  /** One whoever it belongs to, with its credentials: for who delivers. Undefined where it is gone. */
  async withAuthentication(id: string): Promise<(SubscriptionRecord & { authentication: JsonObject | null }) | undefined> {
    const [found] = await runPreparedAlone<SubscriptionRecord & { sealed: Buffer | null }>(this.database, WITH_SEALED, [id]);
    if (found === undefined) return undefined;
    const { sealed, ...record } = found;
    const authentication = sealed === null ? null : (this.vault.openJson(sealed, authenticationPlace(id)) as JsonObject);
    return { ...record, authentication };
  }
}

/** One addition of a project at a time, so that two at once do not both find room for the last. */
async function refuseTooMany(manager: EntityManager, { tenant, api }: NewSubscription, most: number): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`windlass subscriptions ${api} ${tenant}`]);
  const [counted] = await rowsOf<{ count: number }>(
    manager,
    'SELECT count(*)::int AS count FROM lcm.subscription WHERE tenant = $1 AND api = $2',
    [tenant, api],
  );
  const count = counted?.count ?? 0;
  if (count >= most)
    throw new RequestError(
      409,
      'subscription.too-many',
      `the project has ${count} subscriptions at this API, and may have ${most}: delete one that nobody needs any more`,
    );
}

const unknownSubscription = (id: string): RequestError =>
  new RequestError(404, 'subscription.unknown', `there is no subscription ${id}`);

const keyOf = (asked: NewSubscription): string => createHash('sha256').update(subscriptionKey(asked)).digest('base64');
