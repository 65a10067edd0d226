import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of a pinned host key: whose machine it is, and who pinned it. It goes with its machine. */
export class HostKeys1700000000007 implements MigrationInterface {
  readonly name = 'HostKeys1700000000007';

  async up(runner: QueryRunner): Promise<void> {
    // All null in rows of before that no instance has the machine of: they stand until someone removes them.
    await runner.query(`
      ALTER TABLE lcm.host_key
        ADD COLUMN tenant text,
        ADD COLUMN vnf_instance_id uuid,
        ADD COLUMN vnfc_id text,
        ADD COLUMN operation_id uuid,
        ADD COLUMN service text,
        ADD COLUMN key_id text`);
    await runner.query(`
      UPDATE lcm.host_key AS h SET tenant = i.tenant, vnf_instance_id = i.id, vnfc_id = v->>'id'
      FROM lcm.vnf_instance AS i, jsonb_array_elements(coalesce(i.instantiated->'vnfcs', '[]')) AS v
      WHERE v->>'resourceId' = h.resource_id`);
    await runner.query('CREATE INDEX host_key_instance ON lcm.host_key (vnf_instance_id)');
    await this.#goWithTheMachine(runner);
  }

  /** Whenever what an instance consists of is published, and when it is deleted: no publication is forgotten, and nothing looks for pins in vain. */
  async #goWithTheMachine(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION lcm.forget_host_keys() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE machines jsonb;
      BEGIN
        IF TG_OP = 'UPDATE' THEN machines := NEW.instantiated->'vnfcs'; END IF;
        DELETE FROM lcm.host_key AS h WHERE h.vnf_instance_id = OLD.id AND NOT EXISTS (
          SELECT FROM jsonb_array_elements(coalesce(machines, '[]')) AS v WHERE v->>'resourceId' = h.resource_id);
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER forget_host_keys AFTER UPDATE ON lcm.vnf_instance FOR EACH ROW
      WHEN (OLD.instantiated->'vnfcs' IS DISTINCT FROM NEW.instantiated->'vnfcs') EXECUTE FUNCTION lcm.forget_host_keys()`);
    await runner.query(`
      CREATE TRIGGER forget_host_keys_whole AFTER DELETE ON lcm.vnf_instance FOR EACH ROW EXECUTE FUNCTION lcm.forget_host_keys()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER forget_host_keys_whole ON lcm.vnf_instance');
    await runner.query('DROP TRIGGER forget_host_keys ON lcm.vnf_instance');
    await runner.query('DROP FUNCTION lcm.forget_host_keys');
    await runner.query('DROP INDEX lcm.host_key_instance');
    await runner.query(`
      ALTER TABLE lcm.host_key DROP COLUMN tenant, DROP COLUMN vnf_instance_id, DROP COLUMN vnfc_id, DROP COLUMN operation_id,
        DROP COLUMN service, DROP COLUMN key_id`);
  }
}
