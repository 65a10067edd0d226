import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Images of packages that instances share, and which instances do. A release that knows nothing of them touches neither table, and the images carry no
 * instance's tag: what it terminates leaves a reference, which a newer one's sweep finds.
 */
export class SharedImages1700000000039 implements MigrationInterface {
  readonly name = 'SharedImages1700000000039';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lcm.shared_image (
        id uuid PRIMARY KEY,
        tenant text NOT NULL,
        share_key text NOT NULL,
        name text NOT NULL,
        vim jsonb NOT NULL,
        state text NOT NULL DEFAULT 'SHARED' CHECK (state IN ('SHARED', 'DELETING')),
        entered_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    // What is being deleted is nobody's any more: beside it another of the same key is entered.
    await runner.query("CREATE UNIQUE INDEX shared_image_key ON lcm.shared_image (share_key) WHERE state = 'SHARED'");
    await runner.query("CREATE INDEX shared_image_deleting ON lcm.shared_image (id) WHERE state = 'DELETING'");
    // The instance may be gone before what its failed operation left is, and with it the image.
    await runner.query(`
      CREATE TABLE lcm.image_reference (
        vnf_instance_id uuid NOT NULL,
        shared_image_id uuid NOT NULL REFERENCES lcm.shared_image,
        PRIMARY KEY (vnf_instance_id, shared_image_id)
      )`);
    await runner.query('CREATE INDEX image_reference_image ON lcm.image_reference (shared_image_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE lcm.image_reference');
    await runner.query('DROP TABLE lcm.shared_image');
  }
}
