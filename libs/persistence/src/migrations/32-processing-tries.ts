import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a package was begun to be processed: one that ends the processes that read it is not read for ever. */
export class ProcessingTries1700000000032 implements MigrationInterface {
  readonly name = 'ProcessingTries1700000000032';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE package.vnf_package ADD COLUMN processing_tries integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE package.vnf_package DROP COLUMN processing_tries');
  }
}
