import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sagas that are no operation occurrence: clean-ups, refreshes, audits; and what tells the things of one Windlass from another's. */
export class CleanUp1700000000003 implements MigrationInterface {
  readonly name = 'CleanUp1700000000003';

  async up(runner: QueryRunner): Promise<void> {
    // No reference to the instance: a clean-up outlives it.
    await runner.query(`
      CREATE TABLE lcm.internal_operation (
        id uuid PRIMARY KEY REFERENCES lcm.operation ON DELETE CASCADE,
        vnf_instance_id uuid,
        vim_id uuid,
        subject bytea NOT NULL,
        state text NOT NULL DEFAULT 'PENDING',
        attempts int NOT NULL DEFAULT 0,
        retry_at timestamptz,
        error jsonb,
        outcome jsonb,
        changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(`CREATE INDEX internal_operation_again ON lcm.internal_operation (retry_at) WHERE state = 'PENDING'`);
    await runner.query(
      `CREATE INDEX internal_operation_instance ON lcm.internal_operation (vnf_instance_id) WHERE state = 'PENDING'`,
    );
    await runner.query('CREATE INDEX vnf_lcm_op_occ_instance ON lcm.vnf_lcm_op_occ (vnf_instance_id, state_entered_time)');
    await runner.query(`
      CREATE TABLE lcm.deployment (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        singleton boolean NOT NULL DEFAULT true UNIQUE CHECK (singleton)
      )`);
    await runner.query('INSERT INTO lcm.deployment DEFAULT VALUES');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX lcm.vnf_lcm_op_occ_instance');
    await runner.query('DROP TABLE lcm.deployment, lcm.internal_operation');
  }
}
