import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys of workers, and the operator's tokens that they are enrolled with. */
export class Enrolment1700000000005 implements MigrationInterface {
  readonly name = 'Enrolment1700000000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lcm.enrolment_token (
        id text PRIMARY KEY,
        service text NOT NULL,
        hash bytea NOT NULL,
        max_uses int,
        uses int NOT NULL DEFAULT 0,
        expires_at timestamptz,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        revoked_at timestamptz
      )`);
    // No foreign key: a token may be forgotten while the keys that it enrolled go on.
    await runner.query(`
      CREATE TABLE lcm.worker_key (
        id text PRIMARY KEY,
        service text NOT NULL,
        public_key text NOT NULL,
        worker text NOT NULL,
        token_id text NOT NULL,
        enrolled_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        revoked_at timestamptz
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE lcm.worker_key, lcm.enrolment_token');
  }
}
