import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The incarnations of the record (ADR 111): none before it was first brought back from a backup, then one more each time. Epochs outside the
 * database begin with it, so that none that was given after the backup is ever given again.
 */
export class Incarnations1700000000042 implements MigrationInterface {
  readonly name = 'Incarnations1700000000042';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lcm.incarnation (
        number bigint PRIMARY KEY CHECK (number > 0),
        cause text NOT NULL CHECK (cause IN ('restore', 'point-in-time')),
        record_of timestamptz,
        began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        released_at timestamptz,
        released_by text
      )`);
    // As libs/saga multiplies it: claims of one step in one incarnation.
    await runner.query(`
      CREATE FUNCTION lcm.epoch_base() RETURNS bigint LANGUAGE sql STABLE AS
      'SELECT coalesce(max(number), 0) * 4194304 FROM lcm.incarnation'`);
    await runner.query(`
      CREATE TABLE lcm.restored_step (
        operation_id uuid NOT NULL,
        step_id text NOT NULL,
        PRIMARY KEY (operation_id, step_id),
        FOREIGN KEY (operation_id, step_id) REFERENCES lcm.step (operation_id, id) ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE TABLE lcm.restored_audit (
        operation_id uuid PRIMARY KEY,
        incarnation bigint NOT NULL REFERENCES lcm.incarnation,
        tenant text NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE lcm.restored_audit, lcm.restored_step');
    await runner.query('DROP FUNCTION lcm.epoch_base');
    await runner.query('DROP TABLE lcm.incarnation');
  }
}
