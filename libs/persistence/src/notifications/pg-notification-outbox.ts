import type { Duration } from '@windlass/foundation';
import type { DataSource } from 'typeorm';
import { rowsOf } from '../database.js';
import { runPreparedAlone, type Statement } from '../prepared.js';
import type { Vault } from '../sealing/vault.js';
import { factsPlace, type ChangeFacts } from './record-change.js';

/** A notification that waits for its delivery. */
export interface WaitingNotification {
  /** Number in the outbox. */
  readonly number: string;
  /** As the subscriber sees it, the same at each attempt. */
  readonly notificationId: string;
  /** When it was written, RFC 3339 with microseconds. */
  readonly at: string;
  readonly facts: ChangeFacts;
}

/** What is told about one attempt that failed. */
export interface DeliveryFailure {
  readonly reason: string;
  /** Of the answer, where there was one. */
  readonly status: number | null;
}

/** How deliveries to a subscription go. */
export interface DeliveryState {
  readonly id: string;
  readonly api: string;
  readonly callbackUri: string;
  readonly pending: number;
  /** Seconds that the oldest has waited; 0 where none waits. */
  readonly oldestAge: number;
  /** Attempts in a row that failed for the one at the head. */
  readonly attempts: number;
  readonly retryAt: Date | null;
  readonly delivered: number;
  readonly failed: number;
  readonly dropped: number;
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
  readonly lastFailure: string | null;
  readonly lastStatus: number | null;
}

const STATES = `
  SELECT s.id, s.api, s.callback_uri AS "callbackUri", w.pending::int AS pending, w.age::float8 AS "oldestAge", d.attempts,
    d.retry_at AS "retryAt", d.delivered::float8 AS delivered, d.failed::float8 AS failed, d.dropped::float8 AS dropped,
    d.last_success_at AS "lastSuccessAt", d.last_failure_at AS "lastFailureAt", d.last_failure AS "lastFailure", d.last_status AS "lastStatus"
  FROM lcm.subscription AS s JOIN lcm.subscription_delivery AS d ON d.subscription_id = s.id
  CROSS JOIN LATERAL (
    SELECT count(*) AS pending, COALESCE(EXTRACT(EPOCH FROM clock_timestamp() - min(n.at)), 0) AS age
    FROM lcm.notification AS n WHERE n.subscription_id = s.id
  ) AS w`;

const WAITING: Statement = {
  name: 'windlass waiting notifications',
  text: `SELECT n.id::text AS number, n.notification_id, n.change_id, c.facts,
      to_char(n.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
    FROM lcm.notification AS n JOIN lcm.notified_change AS c ON c.id = n.change_id
    WHERE n.subscription_id = $1 ORDER BY n.id LIMIT $2`,
};

interface WaitingRow {
  number: string;
  notification_id: string;
  at: string;
  change_id: string;
  facts: Buffer;
}

const DELIVERED: Statement = {
  name: 'windlass notification delivered',
  text: `WITH mine AS (
      UPDATE lcm.subscription_delivery
      SET owner = CASE WHEN $5 THEN NULL ELSE owner END,
        lease_until = CASE WHEN $5 THEN NULL ELSE clock_timestamp() + make_interval(secs => $3) END,
        attempts = 0, retry_at = NULL, delivered = delivered + 1, last_success_at = clock_timestamp()
      WHERE subscription_id = $1 AND owner = $2 AND lease_until > clock_timestamp() RETURNING subscription_id
    ), gone AS (DELETE FROM lcm.notification WHERE id = $4 AND EXISTS (SELECT FROM mine))
    SELECT subscription_id FROM mine`,
};

/** Nobody sends to it, it is no pause after a failure, and something waits. */
const IS_DUE = `(d.lease_until IS NULL OR d.lease_until < clock_timestamp()) AND (d.retry_at IS NULL OR d.retry_at <= clock_timestamp())
  AND EXISTS (SELECT FROM lcm.notification AS n WHERE n.subscription_id = d.subscription_id)`;

/** Of what is to be dropped, a look's most. The oldest have the lowest numbers, and none is looked for behind them. */
const MOST_TRIMMED = 10_000;

/** The subscriptions that something waits for, each found behind the one before: of a subscription one row is read, however many wait. */
const TOLD = `WITH RECURSIVE told (id) AS (
    (SELECT subscription_id FROM lcm.notification ORDER BY subscription_id LIMIT 1)
    UNION ALL
    SELECT (SELECT n.subscription_id FROM lcm.notification AS n WHERE n.subscription_id > told.id ORDER BY n.subscription_id LIMIT 1)
    FROM told WHERE told.id IS NOT NULL
  ) SELECT id FROM told WHERE id IS NOT NULL`;

/** What waits for each subscription, and who sends it. A lease in PostgreSQL, by its clock, says which replica sends; a row is there until it is delivered. */
export class PgNotificationOutbox {
  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
  ) {}

  /**
   * Takes the lease of up to `limit` subscriptions that something waits for and nobody sends to: of the projects that fewest are sent to first,
   * and of a project those that had no turn for longest. So many subscriptions of one project keep no other's waiting.
   */
  async claim(owner: string, lease: Duration, limit: number): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(
      this.database.manager,
      `WITH served AS (
         SELECT s.tenant, count(*) AS leases FROM lcm.subscription_delivery AS d JOIN lcm.subscription AS s ON s.id = d.subscription_id
         WHERE d.lease_until >= clock_timestamp() GROUP BY s.tenant
       ), waiting AS (
         SELECT d.subscription_id, d.turn_at, s.tenant, row_number() OVER (PARTITION BY s.tenant ORDER BY d.turn_at) AS place
         FROM lcm.subscription_delivery AS d LEFT JOIN lcm.subscription AS s ON s.id = d.subscription_id
         WHERE ${IS_DUE}
       ), due AS (
         SELECT d.subscription_id FROM waiting JOIN lcm.subscription_delivery AS d USING (subscription_id) LEFT JOIN served USING (tenant)
         WHERE ${IS_DUE}
         ORDER BY waiting.place + coalesce(served.leases, 0), waiting.turn_at LIMIT $3 FOR UPDATE OF d SKIP LOCKED
       ), taken AS (
         UPDATE lcm.subscription_delivery AS d
         SET owner = $1, lease_until = clock_timestamp() + make_interval(secs => $2), turn_at = clock_timestamp()
         FROM due WHERE d.subscription_id = due.subscription_id RETURNING d.subscription_id AS id
       ) SELECT id FROM taken`,
      [owner, lease / 1_000, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** The oldest that wait, in their order. */
  async waiting(subscriptionId: string, limit: number): Promise<WaitingNotification[]> {
    const rows = await runPreparedAlone<WaitingRow>(this.database, WAITING, [subscriptionId, limit]);
    return rows.map((row) => ({
      number: row.number,
      notificationId: row.notification_id,
      at: row.at,
      facts: this.vault.openJson(row.facts, factsPlace(row.change_id)) as ChangeFacts,
    }));
  }

  /**
   * Removes what was delivered, and prolongs the lease; with the last that was read it gives the lease back.
   * @returns whether it was still the owner's; another one's notification stays
   */
  async delivered(subscriptionId: string, owner: string, lease: Duration, number: string, isLast: boolean): Promise<boolean> {
    const values = [subscriptionId, owner, lease / 1_000, number, isLast];
    const rows = await runPreparedAlone(this.database, DELIVERED, values);
    return rows.length === 1;
  }

  /** Gives the lease back after a failure, for another attempt after a pause. @returns how many attempts have failed in a row */
  async failed(
    subscriptionId: string,
    owner: string,
    failure: DeliveryFailure,
    pause: (attempts: number) => Duration,
  ): Promise<number> {
    const [row] = await rowsOf<{ attempts: number }>(
      this.database.manager,
      'SELECT attempts FROM lcm.subscription_delivery WHERE subscription_id = $1 AND owner = $2',
      [subscriptionId, owner],
    );
    const attempts = (row?.attempts ?? 0) + 1;
    await this.database.query(
      `UPDATE lcm.subscription_delivery
       SET owner = NULL, lease_until = NULL, attempts = $3, retry_at = clock_timestamp() + make_interval(secs => $4),
         failed = failed + 1, last_failure_at = clock_timestamp(), last_failure = $5, last_status = $6
       WHERE subscription_id = $1 AND owner = $2`,
      [subscriptionId, owner, attempts, pause(attempts) / 1_000, failure.reason, failure.status],
    );
    return attempts;
  }

  /** Gives the lease back. */
  async release(subscriptionId: string, owner: string): Promise<void> {
    await this.database.query(
      'UPDATE lcm.subscription_delivery SET owner = NULL, lease_until = NULL WHERE subscription_id = $1 AND owner = $2',
      [subscriptionId, owner],
    );
  }

  /**
   * Drops what has waited too long, and the oldest of what is too many; counts it at the subscription.
   * @returns how many of which subscription
   */
  async trim(maxAge: Duration, maxPending: number): Promise<{ id: string; dropped: number }[]> {
    return rowsOf<{ id: string; dropped: number }>(
      this.database.manager,
      `WITH old AS (
         SELECT id FROM (SELECT id, at FROM lcm.notification ORDER BY id LIMIT ${MOST_TRIMMED}) AS oldest
         WHERE at < clock_timestamp() - make_interval(secs => $1)
       ), many AS (
         SELECT n.id FROM lcm.subscription_delivery AS d CROSS JOIN LATERAL (
           SELECT id FROM lcm.notification WHERE subscription_id = d.subscription_id ORDER BY id DESC OFFSET $2 LIMIT ${MOST_TRIMMED}
         ) AS n
       ), dropped AS (
         DELETE FROM lcm.notification WHERE id IN (SELECT id FROM old UNION SELECT id FROM many) RETURNING subscription_id
       ), counted AS (SELECT subscription_id, count(*)::int AS dropped FROM dropped GROUP BY subscription_id),
       told AS (
         UPDATE lcm.subscription_delivery AS d SET dropped = d.dropped + c.dropped, attempts = 0
         FROM counted AS c WHERE c.subscription_id = d.subscription_id RETURNING d.subscription_id AS id, c.dropped
       ) SELECT id, dropped FROM told`,
      [maxAge / 1_000, maxPending],
    );
  }

  /** Removes what nobody waits for: rows of subscriptions that are gone, changes that everybody has got. */
  async sweep(): Promise<void> {
    await this.database.query(
      `DELETE FROM lcm.notification WHERE id IN (
         SELECT n.id FROM (${TOLD}) AS told JOIN lcm.notification AS n ON n.subscription_id = told.id
         WHERE NOT EXISTS (SELECT FROM lcm.subscription AS s WHERE s.id = told.id) LIMIT ${MOST_TRIMMED})`,
    );
    // A transaction that writes a change writes its notifications with it.
    await this.database.query(
      `DELETE FROM lcm.notified_change WHERE id IN (
         SELECT c.id FROM lcm.notified_change AS c
         WHERE NOT EXISTS (SELECT FROM lcm.notification AS n WHERE n.change_id = c.id) LIMIT ${MOST_TRIMMED})`,
    );
  }

  /** How deliveries go to the subscriptions of a project. */
  states(tenant: string): Promise<DeliveryState[]> {
    return rowsOf<DeliveryState>(this.database.manager, `${STATES} WHERE s.tenant = $1 ORDER BY s.created_at, s.id`, [tenant]);
  }

  /** The same over all projects, added up for each API. */
  totals(): Promise<Pick<DeliveryState, 'api' | 'pending' | 'oldestAge' | 'delivered' | 'failed' | 'dropped'>[]> {
    return rowsOf(
      this.database.manager,
      `SELECT api, sum(pending)::int AS pending, max("oldestAge") AS "oldestAge", sum(delivered) AS delivered, sum(failed) AS failed, sum(dropped) AS dropped
       FROM (${STATES}) AS each GROUP BY api`,
    );
  }
}
