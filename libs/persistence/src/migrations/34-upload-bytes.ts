import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many bytes an upload on its way has room for, so that uploads of a project at once share what its packages may take. */
export class UploadBytes1700000000034 implements MigrationInterface {
  readonly name = 'UploadBytes1700000000034';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE package.vnf_package ADD COLUMN upload_bytes bigint');
    await runner.query('CREATE INDEX vnf_package_tenant ON package.vnf_package (tenant)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX package.vnf_package_tenant');
    await runner.query('ALTER TABLE package.vnf_package DROP COLUMN upload_bytes');
  }
}
