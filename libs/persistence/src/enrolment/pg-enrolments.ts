import { InvariantError } from '@windlass/foundation';
import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';

/** A key of a worker, as it is shown. */
export interface WorkerKeyRecord {
  id: string;
  service: string;
  publicKey: string;
  /** The replica that brought it. */
  worker: string;
  tokenId: string;
  enrolledAt: Date;
  revokedAt: Date | null;
}

/** A key as those look at it whom it speaks to. */
interface KnownKey {
  id: string;
  service: string;
  publicKey: string;
  revoked: boolean;
}

/** A token as it is shown: its secret was never kept. */
export interface EnrolmentTokenRecord {
  id: string;
  service: string;
  /** Null: any number. */
  maxUses: number | null;
  uses: number;
  /** Null: it does not expire. */
  expiresAt: Date | null;
  createdBy: string;
  createdAt: Date;
  revokedAt: Date | null;
}

export interface NewToken {
  id: string;
  service: string;
  hash: Buffer;
  /** Seconds from now, by the database's clock. */
  validFor?: number;
  uses?: number;
  createdBy: string;
}

const KEY_COLUMNS = `id, service, public_key AS "publicKey", worker, token_id AS "tokenId", enrolled_at AS "enrolledAt",
  revoked_at AS "revokedAt"`;
const KNOWN_COLUMNS = 'id, service, public_key AS "publicKey", revoked_at IS NOT NULL AS revoked';
const TOKEN_COLUMNS = `id, service, max_uses AS "maxUses", uses, expires_at AS "expiresAt", created_by AS "createdBy",
  created_at AS "createdAt", revoked_at AS "revokedAt"`;

/** Keys and tokens in PostgreSQL. Whether a token holds is decided by its clock, and a use is taken in the transaction that keeps the key. */
export class PgEnrolments {
  constructor(private readonly database: DataSource) {}

  async key(id: string): Promise<KnownKey | undefined> {
    const [row] = await this.#rows<KnownKey>(`SELECT ${KNOWN_COLUMNS} FROM lcm.worker_key WHERE id = $1`, [id]);
    return row;
  }

  /** A worker has asked with this key. Noted once an hour, so that looks of many workers write little. */
  async seen(id: string): Promise<void> {
    await this.#rows(
      `UPDATE lcm.worker_key SET seen_at = clock_timestamp() WHERE id = $1 AND seen_at < clock_timestamp() - interval '1 hour'`,
      [id],
    );
  }

  /** Every key that is enrolled for the service, revoked ones too. */
  keysOf(service: string): Promise<KnownKey[]> {
    return this.#rows(`SELECT ${KNOWN_COLUMNS} FROM lcm.worker_key WHERE service = $1`, [service]);
  }

  async token(
    id: string,
  ): Promise<{ id: string; service: string; hash: Buffer; revoked: boolean; expired: boolean; usedUp: boolean } | undefined> {
    const [row] = await this.#rows<{
      id: string;
      service: string;
      hash: Buffer;
      revoked: boolean;
      expired: boolean;
      usedUp: boolean;
    }>(
      `SELECT id, service, hash, revoked_at IS NOT NULL AS revoked,
         coalesce(expires_at <= clock_timestamp(), false) AS expired, coalesce(uses >= max_uses, false) AS "usedUp"
       FROM lcm.enrolment_token WHERE id = $1`,
      [id],
    );
    return row;
  }

  /** Both or neither: the key is kept and a use of the token taken. A key that is there already stays as it is and takes no use. */
  enrol(key: { id: string; service: string; publicKey: string; worker: string }, tokenId: string): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      // The row lock on the token makes two enrolments wait for each other, so the last use is taken once.
      const [token] = await rowsOf<{ holds: boolean }>(
        manager,
        `SELECT revoked_at IS NULL AND coalesce(expires_at > clock_timestamp(), true) AND coalesce(uses < max_uses, true) AS holds
         FROM lcm.enrolment_token WHERE id = $1 AND service = $2 FOR UPDATE`,
        [tokenId, key.service],
      );
      const added = await rowsOf(
        manager,
        `INSERT INTO lcm.worker_key (id, service, public_key, worker, token_id) SELECT $1, $2, $3, $4, $5 WHERE $6
         ON CONFLICT (id) DO NOTHING RETURNING id`,
        [key.id, key.service, key.publicKey, key.worker, tokenId, token?.holds === true],
      );
      if (added.length > 0) await manager.query('UPDATE lcm.enrolment_token SET uses = uses + 1 WHERE id = $1', [tokenId]);
      const [kept] = await rowsOf<{ service: string }>(
        manager,
        'SELECT service FROM lcm.worker_key WHERE id = $1 AND revoked_at IS NULL',
        [key.id],
      );
      return kept?.service === key.service;
    });
  }

  async addToken(
    { id, service, hash, validFor, uses, createdBy }: NewToken,
    manager: EntityManager = this.database.manager,
  ): Promise<EnrolmentTokenRecord> {
    const [row] = await rowsOf<EnrolmentTokenRecord>(
      manager,
      `INSERT INTO lcm.enrolment_token (id, service, hash, max_uses, expires_at, created_by)
       VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5), $6) RETURNING ${TOKEN_COLUMNS}`,
      [id, service, hash, uses ?? null, validFor ?? null, createdBy],
    );
    if (row === undefined) throw new InvariantError('PostgreSQL returned no row of an INSERT');
    return row;
  }

  /** Tokens that were made beforehand: those not known yet are kept, without limits. One that was revoked stays so. */
  async keepStanding(tokens: readonly { id: string; service: string; hash: Buffer }[]): Promise<void> {
    for (const { id, service, hash } of tokens)
      await this.database.query(
        `INSERT INTO lcm.enrolment_token (id, service, hash, created_by) VALUES ($1, $2, $3, 'configuration') ON CONFLICT (id) DO NOTHING`,
        [id, service, hash],
      );
  }

  tokens(): Promise<EnrolmentTokenRecord[]> {
    return this.#rows(`SELECT ${TOKEN_COLUMNS} FROM lcm.enrolment_token ORDER BY created_at, id`);
  }

  keys(): Promise<WorkerKeyRecord[]> {
    return this.#rows(`SELECT ${KEY_COLUMNS} FROM lcm.worker_key ORDER BY enrolled_at, id`);
  }

  /** Services that have a key which is not revoked. */
  async servicesWithKeys(): Promise<string[]> {
    const rows = await this.#rows<{ service: string }>(
      'SELECT DISTINCT service FROM lcm.worker_key WHERE revoked_at IS NULL ORDER BY service',
    );
    return rows.map(({ service }) => service);
  }

  /** Whether there is such a token. What it enrolled stays enrolled. */
  revokeToken(id: string, manager: EntityManager = this.database.manager): Promise<boolean> {
    return this.#revoke(manager, 'lcm.enrolment_token', id);
  }

  /** Whether there is such a key. A revoked key is never taken again. */
  revokeKey(id: string, manager: EntityManager = this.database.manager): Promise<boolean> {
    return this.#revoke(manager, 'lcm.worker_key', id);
  }

  async #revoke(manager: EntityManager, table: 'lcm.enrolment_token' | 'lcm.worker_key', id: string): Promise<boolean> {
    const rows = await rowsOf(
      manager,
      `UPDATE ${table} SET revoked_at = coalesce(revoked_at, clock_timestamp()) WHERE id = $1 RETURNING id`,
      [id],
    );
    return rows.length > 0;
  }

  #rows<T>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    return rowsOf<T>(this.database.manager, sql, parameters);
  }
}
