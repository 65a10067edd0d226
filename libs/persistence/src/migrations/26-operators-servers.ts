import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The key of a server that is no VNFC stays pinned for as long as its VNF instance is instantiated, whichever VNFCs come and go. */
export class OperatorsServers1700000000026 implements MigrationInterface {
  readonly name = 'OperatorsServers1700000000026';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION lcm.forget_host_keys() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE machines jsonb;
      BEGIN
        IF TG_OP = 'UPDATE' THEN machines := NEW.instantiated->'vnfcs'; END IF;
        DELETE FROM lcm.host_key AS h WHERE h.vnf_instance_id = OLD.id AND NOT EXISTS (
          SELECT FROM jsonb_array_elements(coalesce(machines, '[]')) AS v WHERE v->>'resourceId' = h.resource_id)
        AND NOT (machines IS NOT NULL AND h.vnfc_id IS NULL AND starts_with(h.resource_id, OLD.id || ':'));
        RETURN NULL;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION lcm.forget_host_keys() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE machines jsonb;
      BEGIN
        IF TG_OP = 'UPDATE' THEN machines := NEW.instantiated->'vnfcs'; END IF;
        DELETE FROM lcm.host_key AS h WHERE h.vnf_instance_id = OLD.id AND NOT EXISTS (
          SELECT FROM jsonb_array_elements(coalesce(machines, '[]')) AS v WHERE v->>'resourceId' = h.resource_id);
        RETURN NULL;
      END $$`);
  }
}
