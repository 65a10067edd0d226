import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By its CA it is told of which cluster a snapshot is; null in one of which a cluster can't be made again, as in those of an older release. */
export class SnapshotsOfClusters1700000000038 implements MigrationInterface {
  readonly name = 'SnapshotsOfClusters1700000000038';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.cluster_snapshot ADD COLUMN ca text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.cluster_snapshot DROP COLUMN ca');
  }
}
