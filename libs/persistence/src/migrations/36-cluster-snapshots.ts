import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Snapshots of the control planes of clusters, in parts that are each sealed. They go with the instance, and with what it was. */
export class ClusterSnapshots1700000000036 implements MigrationInterface {
  readonly name = 'ClusterSnapshots1700000000036';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lcm.cluster_snapshot (
        id uuid PRIMARY KEY,
        vnf_instance_id uuid NOT NULL REFERENCES lcm.vnf_instance ON DELETE CASCADE,
        operation_id uuid NOT NULL,
        step_id text NOT NULL,
        master text NOT NULL,
        size int NOT NULL,
        sha256 text NOT NULL,
        begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        kept_at timestamptz
      )`);
    await runner.query('CREATE INDEX cluster_snapshot_instance ON lcm.cluster_snapshot (vnf_instance_id, begun_at)');
    await runner.query(`
      CREATE TABLE lcm.cluster_snapshot_part (
        snapshot_id uuid NOT NULL REFERENCES lcm.cluster_snapshot ON DELETE CASCADE,
        number int NOT NULL,
        bytes bytea NOT NULL,
        PRIMARY KEY (snapshot_id, number)
      )`);
    // What is sealed does not compress.
    await runner.query('ALTER TABLE lcm.cluster_snapshot_part ALTER COLUMN bytes SET STORAGE EXTERNAL');
    await this.#goWithTheCluster(runner);
  }

  /** When the instance is terminated, and when an instantiation has come to nothing. */
  async #goWithTheCluster(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION lcm.forget_cluster_snapshots() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_TABLE_NAME = 'vnf_instance' THEN
          DELETE FROM lcm.cluster_snapshot WHERE vnf_instance_id = NEW.id;
        ELSE
          DELETE FROM lcm.cluster_snapshot WHERE vnf_instance_id = NEW.vnf_instance_id AND operation_id = NEW.id;
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER forget_cluster_snapshots AFTER UPDATE ON lcm.vnf_instance FOR EACH ROW
      WHEN (OLD.instantiation_state = 'INSTANTIATED' AND NEW.instantiation_state <> 'INSTANTIATED')
      EXECUTE FUNCTION lcm.forget_cluster_snapshots()`);
    await runner.query(`
      CREATE TRIGGER forget_cluster_snapshots AFTER UPDATE ON lcm.vnf_lcm_op_occ FOR EACH ROW
      WHEN (NEW.operation = 'INSTANTIATE' AND NEW.operation_state IN ('ROLLED_BACK', 'FAILED')
        AND NEW.operation_state IS DISTINCT FROM OLD.operation_state)
      EXECUTE FUNCTION lcm.forget_cluster_snapshots()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER forget_cluster_snapshots ON lcm.vnf_lcm_op_occ');
    await runner.query('DROP TRIGGER forget_cluster_snapshots ON lcm.vnf_instance');
    await runner.query('DROP FUNCTION lcm.forget_cluster_snapshots');
    await runner.query('DROP TABLE lcm.cluster_snapshot_part');
    await runner.query('DROP TABLE lcm.cluster_snapshot');
  }
}
