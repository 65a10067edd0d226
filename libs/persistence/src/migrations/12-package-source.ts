import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the content of a package is being fetched from, sealed, and until when that is tried; both are gone once it was fetched or given up. */
export class PackageSource1700000000012 implements MigrationInterface {
  readonly name = 'PackageSource1700000000012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE package.vnf_package ADD COLUMN upload_source bytea, ADD COLUMN upload_until timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE package.vnf_package DROP COLUMN upload_source, DROP COLUMN upload_until');
  }
}
