import type { MigrationInterface, QueryRunner } from 'typeorm';

/** As `final` stands in the indexes of migration 4: PostgreSQL takes a partial index where the statement says the same. */
const FINAL_STATUS = `status IN ('completed', 'rolled-back', 'abandoned')`;

/**
 * Indexes for what would be read through otherwise, however much of it is over. Each has few rows, and none is written while an operation runs:
 *
 * | index | written by |
 * |---|---|
 * | `operation_internal`, `operation_internal_final` | the beginning and the end of a clean-up, a refresh, an audit or a snapshot |
 * | `vnf_lcm_op_occ_ended` | the end of an operation, once |
 * | `vnf_lcm_op_occ_failed` | the end of an operation that FAILED or was ROLLED_BACK |
 * | `vnf_instance_vim` | the publication of what an instance consists of, which is in three indexes already |
 * | `vnf_instance_leftovers_vim` | an operation that failed and left something, and the removal of that |
 * | `vnf_instance_old_request` | nothing since migration 11 |
 */
export class ReadsThatDoNotGrow1700000000040 implements MigrationInterface {
  readonly name = 'ReadsThatDoNotGrow1700000000040';

  async up(runner: QueryRunner): Promise<void> {
    const internal = `kind IN ('CLEAN_UP', 'REFRESH', 'AUDIT', 'SNAPSHOT')`;
    await runner.query(`CREATE INDEX operation_internal ON lcm.operation (tenant, kind, created_at) WHERE ${internal}`);
    await runner.query(
      `CREATE INDEX operation_internal_final ON lcm.operation (status_since) WHERE ${FINAL_STATUS} AND ${internal}`,
    );
    await runner.query(
      `CREATE INDEX vnf_lcm_op_occ_ended ON lcm.vnf_lcm_op_occ (state_entered_time) WHERE operation_state IN ('COMPLETED', 'FAILED', 'ROLLED_BACK')`,
    );
    await runner.query(
      `CREATE INDEX vnf_lcm_op_occ_failed ON lcm.vnf_lcm_op_occ (tenant, operation_state, id) WHERE operation_state IN ('FAILED', 'ROLLED_BACK')`,
    );
    await runner.query(
      `CREATE INDEX vnf_instance_vim ON lcm.vnf_instance (tenant, (instantiated->'vim'->>'vimId')) WHERE instantiated IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX vnf_instance_leftovers_vim ON lcm.vnf_instance (tenant, (leftovers->'vim'->>'vimId')) WHERE leftovers IS NOT NULL`,
    );
    await runner.query('CREATE INDEX vnf_instance_old_request ON lcm.vnf_instance (id) WHERE instantiate_request IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP INDEX lcm.vnf_instance_old_request, lcm.vnf_instance_leftovers_vim, lcm.vnf_instance_vim, lcm.vnf_lcm_op_occ_failed,
         lcm.vnf_lcm_op_occ_ended, lcm.operation_internal_final, lcm.operation_internal`,
    );
  }
}
