import type { MigrationInterface, QueryRunner } from 'typeorm';

/** VNF instances, operation occurrences, packages, VIMs, drivers, host keys. */
export class Lcm1700000000002 implements MigrationInterface {
  readonly name = 'Lcm1700000000002';

  async up(runner: QueryRunner): Promise<void> {
    await this.#packages(runner);
    await this.#instances(runner);
    await this.#vims(runner);
  }

  async #packages(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE SCHEMA IF NOT EXISTS package');
    await runner.query(`
      CREATE TABLE package.vnf_package (
        id uuid PRIMARY KEY,
        tenant text NOT NULL,
        onboarding_state text NOT NULL,
        operational_state text NOT NULL,
        user_defined_data jsonb NOT NULL DEFAULT '{}',
        vnfd_id text,
        checksum jsonb,
        size bigint,
        model jsonb,
        files jsonb,
        additional_artifacts jsonb,
        warnings jsonb NOT NULL DEFAULT '[]',
        failure jsonb,
        upload_epoch int NOT NULL DEFAULT 0,
        upload_seen_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX vnf_package_vnfd ON package.vnf_package (tenant, vnfd_id) WHERE onboarding_state = 'ONBOARDED'`,
    );
    await runner.query(`
      CREATE TABLE package.chunk (
        package_id uuid NOT NULL REFERENCES package.vnf_package ON DELETE CASCADE,
        epoch int NOT NULL,
        number int NOT NULL,
        bytes bytea NOT NULL,
        PRIMARY KEY (package_id, epoch, number)
      )`);
    // Zip archives don't compress again; without trying, a part of a chunk is read without the rest of it.
    await runner.query('ALTER TABLE package.chunk ALTER COLUMN bytes SET STORAGE EXTERNAL');
  }

  async #instances(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lcm.vnf_instance (
        id uuid PRIMARY KEY,
        tenant text NOT NULL,
        vnf_instance_name text,
        vnf_instance_description text,
        vnfd_id text NOT NULL,
        vnf_pkg_id uuid NOT NULL REFERENCES package.vnf_package,
        vnf_provider text NOT NULL,
        vnf_product_name text NOT NULL,
        vnf_software_version text NOT NULL,
        vnfd_version text NOT NULL,
        instantiation_state text NOT NULL,
        metadata jsonb,
        vim_connection_info bytea NOT NULL,
        instantiated jsonb,
        instantiate_request bytea,
        leftovers jsonb,
        version int NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query('CREATE INDEX vnf_instance_tenant ON lcm.vnf_instance (tenant, id)');
    await runner.query('CREATE INDEX vnf_instance_package ON lcm.vnf_instance (vnf_pkg_id)');
    await runner.query(`
      CREATE TABLE lcm.vnf_lcm_op_occ (
        id uuid PRIMARY KEY REFERENCES lcm.operation ON DELETE CASCADE,
        tenant text NOT NULL,
        vnf_instance_id uuid NOT NULL,
        operation text NOT NULL,
        operation_state text NOT NULL,
        state_entered_time timestamptz NOT NULL,
        start_time timestamptz NOT NULL,
        is_automatic_invocation boolean NOT NULL,
        request bytea NOT NULL,
        is_cancel_pending boolean NOT NULL DEFAULT false,
        cancel_mode text,
        error jsonb,
        resource_changes jsonb,
        grant_id text,
        warnings jsonb NOT NULL DEFAULT '[]',
        draft jsonb NOT NULL DEFAULT '{}'
      )`);
    // The instance's lock: one operation that is not final (SOL003 5.4.1.2: 409 for a second).
    await runner.query(`
      CREATE UNIQUE INDEX vnf_lcm_op_occ_lock ON lcm.vnf_lcm_op_occ (vnf_instance_id)
      WHERE operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK')`);
    await runner.query('CREATE INDEX vnf_lcm_op_occ_tenant ON lcm.vnf_lcm_op_occ (tenant, id)');
    await runner.query(`
      CREATE TABLE lcm.driver (
        name text PRIMARY KEY,
        description jsonb NOT NULL,
        seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(`
      CREATE TABLE lcm.host_key (
        resource_id text PRIMARY KEY,
        key text NOT NULL,
        pinned_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
  }

  async #vims(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE SCHEMA IF NOT EXISTS vim');
    await runner.query(`
      CREATE TABLE vim.vim (
        id uuid PRIMARY KEY,
        tenant text NOT NULL,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        type text NOT NULL,
        auth_url text NOT NULL,
        vim_project jsonb NOT NULL DEFAULT '{}',
        auth_cred bytea NOT NULL,
        placement_attr jsonb NOT NULL DEFAULT '{"regions": []}',
        is_default boolean NOT NULL DEFAULT false,
        status text NOT NULL DEFAULT 'ACTIVE',
        extra jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz
      )`);
    await runner.query('CREATE UNIQUE INDEX vim_name ON vim.vim (tenant, name)');
    await runner.query('CREATE UNIQUE INDEX vim_default ON vim.vim (tenant) WHERE is_default');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE vim.vim, lcm.host_key, lcm.driver, lcm.vnf_lcm_op_occ, lcm.vnf_instance, package.chunk, package.vnf_package',
    );
  }
}
