import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `revision` orders the changes of an operation's steps: they are made under the lock of the operation's row, and each takes the next number. Who
 * knows the steps up to a revision reads those above it. Steps of before have none, and were read before they changed.
 */
export class StepRevisions1700000000031 implements MigrationInterface {
  readonly name = 'StepRevisions1700000000031';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE SEQUENCE lcm.step_revision');
    // Without a default: the table is not written anew, however many steps it has.
    await runner.query('ALTER TABLE lcm.step ADD COLUMN revision bigint');
    await runner.query(`
      CREATE FUNCTION lcm.number_revision() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.revision := nextval('lcm.step_revision'); RETURN NEW; END $$`);
    await runner.query(`
      CREATE TRIGGER number_revision BEFORE INSERT OR UPDATE ON lcm.step FOR EACH ROW EXECUTE FUNCTION lcm.number_revision()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER number_revision ON lcm.step');
    await runner.query('DROP FUNCTION lcm.number_revision');
    await runner.query('ALTER TABLE lcm.step DROP COLUMN revision');
    await runner.query('DROP SEQUENCE lcm.step_revision');
  }
}
