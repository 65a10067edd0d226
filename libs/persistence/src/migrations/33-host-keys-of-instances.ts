import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A host key is pinned for a machine of one VNF instance. Its id alone was the key before, and a VIM of another tenant may give a machine the same
 * one. Rows of no instance, of a release that kept none, stand for whoever has that machine.
 */
export class HostKeysOfInstances1700000000033 implements MigrationInterface {
  readonly name = 'HostKeysOfInstances1700000000033';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.host_key DROP CONSTRAINT host_key_pkey');
    await runner.query('ALTER TABLE lcm.host_key ADD CONSTRAINT host_key_machine UNIQUE (resource_id, vnf_instance_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.host_key DROP CONSTRAINT host_key_machine');
    await runner.query(`
      DELETE FROM lcm.host_key AS h USING lcm.host_key AS earlier
      WHERE earlier.resource_id = h.resource_id AND (earlier.pinned_at, earlier.ctid) < (h.pinned_at, h.ctid)`);
    await runner.query('ALTER TABLE lcm.host_key ADD PRIMARY KEY (resource_id)');
  }
}
