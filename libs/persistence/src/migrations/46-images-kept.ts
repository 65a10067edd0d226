import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Since when nobody refers to a shared image that is kept for whoever comes next. A release that knows nothing of it begins to refer without taking the time
 * away: an image with references is never too old.
 */
export class ImagesKept1700000000046 implements MigrationInterface {
  readonly name = 'ImagesKept1700000000046';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.shared_image ADD COLUMN unused_since timestamptz');
    await runner.query('CREATE INDEX shared_image_unused ON lcm.shared_image (unused_since) WHERE unused_since IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.shared_image DROP COLUMN unused_since');
  }
}
