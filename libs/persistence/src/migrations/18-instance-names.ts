import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Instances by their names: what their list is filtered by most. */
export class InstanceNames1700000000018 implements MigrationInterface {
  readonly name = 'InstanceNames1700000000018';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX vnf_instance_name ON lcm.vnf_instance (tenant, vnf_instance_name)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX lcm.vnf_instance_name');
  }
}
