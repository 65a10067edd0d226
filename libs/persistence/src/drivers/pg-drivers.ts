import type { DriverDescription } from '@windlass/mgmt-driver';
import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';

/** A driver as it is shown. */
export interface DriverRecord {
  name: string;
  description: DriverDescription;
  announcedAt: Date;
  /** The id of the key that proved it; null for what was announced by version 1 of the contract. */
  announcedBy: string | null;
}

const RECORD_COLUMNS = 'name, description, seen_at AS "announcedAt", announced_by AS "announcedBy"';

/** What management drivers said of themselves, in PostgreSQL. A removed driver's row stays for its number and is seen by nobody. */
export class PgDrivers {
  constructor(private readonly database: DataSource) {}

  async find(name: string): Promise<DriverDescription | undefined> {
    return (await this.record(name))?.description;
  }

  async record(name: string): Promise<DriverRecord | undefined> {
    const [row] = await rowsOf<DriverRecord>(
      this.database.manager,
      `SELECT ${RECORD_COLUMNS} FROM lcm.driver WHERE name = $1 AND removed_at IS NULL`,
      [name],
    );
    return row;
  }

  records(): Promise<DriverRecord[]> {
    return rowsOf(this.database.manager, `SELECT ${RECORD_COLUMNS} FROM lcm.driver WHERE removed_at IS NULL ORDER BY name`);
  }

  /** The JSON Schemas of all drivers' parameters, a {@link ParameterSchemas} as text; of removed ones too: what they hid stays hidden. */
  schemas(): Promise<{ name: string; schemas: string }[]> {
    return rowsOf(
      this.database.manager,
      `SELECT name, jsonb_build_object('parameters', coalesce(description->'parameters', '{}'),
         'operationParameters', coalesce(description->'operationParameters', '{}'))::text AS schemas FROM lcm.driver`,
    );
  }

  /** Whose name it is and which number its next announcement follows; undefined for a name that was never announced. */
  async kept(name: string): Promise<{ service: string | undefined; number: number } | undefined> {
    const [row] = await rowsOf<{ service: string | null; number: string }>(
      this.database.manager,
      `SELECT CASE WHEN removed_at IS NULL THEN description->>'service' END AS service, number FROM lcm.driver WHERE name = $1`,
      [name],
    );
    return row === undefined ? undefined : { service: row.service ?? undefined, number: Number(row.number) };
  }

  /** Compare and set on number and service, in one statement. */
  async keep(description: DriverDescription, { keyId, number }: { keyId: string; number: number }): Promise<boolean> {
    const { driver, service } = description;
    const rows = await rowsOf(
      this.database.manager,
      `INSERT INTO lcm.driver (name, description, announced_by, number)
       SELECT $1, $2, $3, $4::bigint WHERE $4 = 1 OR EXISTS (SELECT FROM lcm.driver WHERE name = $1)
       ON CONFLICT (name) DO UPDATE SET description = excluded.description, announced_by = excluded.announced_by, number = excluded.number,
         seen_at = clock_timestamp(), removed_at = NULL
       WHERE driver.number = excluded.number - 1 AND (driver.removed_at IS NOT NULL OR driver.description->>'service' = $5)
       RETURNING name`,
      [driver, JSON.stringify(description), keyId, number, service],
    );
    return rows.length > 0;
  }

  /** Whether there was one. Its name is free for any service until it is announced again. */
  async remove(name: string, manager: EntityManager = this.database.manager): Promise<boolean> {
    const rows = await rowsOf(
      manager,
      'UPDATE lcm.driver SET removed_at = clock_timestamp() WHERE name = $1 AND removed_at IS NULL RETURNING name',
      [name],
    );
    return rows.length > 0;
  }
}
