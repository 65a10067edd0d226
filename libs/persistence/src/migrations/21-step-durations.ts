import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long actions took the last times, for those who look at what an operation would do. */
export class StepDurations1700000000021 implements MigrationInterface {
  readonly name = 'StepDurations1700000000021';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX step_durations ON lcm.step (service, action, ended_at DESC) WHERE phase = 'do' AND state = 'done'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX lcm.step_durations');
  }
}
