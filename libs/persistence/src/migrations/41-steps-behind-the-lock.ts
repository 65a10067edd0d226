import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An operation's row is locked and its steps are read by one statement: a statement sees what was committed when it began, before it waited for the lock, but
 * a volatile function sees what is committed when it is called.
 */
export class StepsBehindTheLock1700000000041 implements MigrationInterface {
  readonly name = 'StepsBehindTheLock1700000000041';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION lcm.steps_above(operation uuid, above bigint) RETURNS SETOF lcm.step LANGUAGE plpgsql VOLATILE ROWS 10 AS $$
      BEGIN
        RETURN QUERY SELECT s.* FROM lcm.step AS s WHERE s.operation_id = operation AND coalesce(s.revision, 0) > above;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION lcm.steps_above');
  }
}
