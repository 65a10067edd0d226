import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a worker last asked whether its key is enrolled, to the hour: keys of pods that are gone are removed by it. Keys that are there begin now. */
export class KeysSeen1700000000045 implements MigrationInterface {
  readonly name = 'KeysSeen1700000000045';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.worker_key ADD COLUMN seen_at timestamptz NOT NULL DEFAULT now()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.worker_key DROP COLUMN seen_at');
  }
}
