import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For the schedule of snapshots: what was tried of an instance is found without a look at every internal operation. */
export class InternalOperationsOfInstances1700000000037 implements MigrationInterface {
  readonly name = 'InternalOperationsOfInstances1700000000037';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX internal_operation_of_instance ON lcm.internal_operation (vnf_instance_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX lcm.internal_operation_of_instance');
  }
}
