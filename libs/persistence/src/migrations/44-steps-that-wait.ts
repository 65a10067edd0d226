import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `waiting_epoch` is the epoch of the claim that has said that it only waits: while that one runs, it holds no place under the limits. A coordinator of the release
 * before counts it all the same, and what that one claims has another epoch: so a limit is never exceeded.
 */
export class StepsThatWait1700000000044 implements MigrationInterface {
  readonly name = 'StepsThatWait1700000000044';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.step ADD COLUMN waiting_epoch integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.step DROP COLUMN waiting_epoch');
  }
}
