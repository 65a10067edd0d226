import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who announced a driver, and the number of the announcement: an old one, sent again, changes nothing. */
export class Drivers1700000000006 implements MigrationInterface {
  readonly name = 'Drivers1700000000006';

  async up(runner: QueryRunner): Promise<void> {
    // A removed driver's row stays for its number: else what it announced before could be sent again.
    await runner.query(`
      ALTER TABLE lcm.driver
        ADD COLUMN announced_by text,
        ADD COLUMN number bigint NOT NULL DEFAULT 0,
        ADD COLUMN removed_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM lcm.driver WHERE removed_at IS NOT NULL');
    await runner.query('ALTER TABLE lcm.driver DROP COLUMN announced_by, DROP COLUMN number, DROP COLUMN removed_at');
  }
}
