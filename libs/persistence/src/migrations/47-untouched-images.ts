import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether nobody has worked on a shared image in its VIM, as all say who have referred to it and gone. Of what a release before enters nothing is known: false, so
 * that it is looked for in the VIM.
 */
export class UntouchedImages1700000000047 implements MigrationInterface {
  readonly name = 'UntouchedImages1700000000047';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.shared_image ADD COLUMN untouched boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.shared_image DROP COLUMN untouched');
  }
}
