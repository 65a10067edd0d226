import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A place for extensions and configurable properties of an instance and its VNFCs, sealed: they are the customer's own, and may hold secrets. */
export class VnfProperties1700000000017 implements MigrationInterface {
  readonly name = 'VnfProperties1700000000017';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.vnf_instance ADD COLUMN properties bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.vnf_instance DROP COLUMN properties');
  }
}
