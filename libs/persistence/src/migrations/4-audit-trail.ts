import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What live views resume by, the audit trail, and what purging finds its way with. */
export class AuditTrail1700000000004 implements MigrationInterface {
  readonly name = 'AuditTrail1700000000004';

  async up(runner: QueryRunner): Promise<void> {
    await this.#changes(runner);
    await this.#trail(runner);
    await this.#appendOnly(runner);
    await this.#outcomes(runner);
    await this.#purging(runner);
  }

  /**
   * `changed_in` is the transaction that last changed what people see of a row. Whoever reads with a snapshot whose oldest running
   * transaction is X and later asks for `changed_in >= X` misses nothing, whatever the order of commits was.
   */
  async #changes(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION lcm.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.changed_in := pg_current_xact_id(); RETURN NEW; END $$`);
    for (const [table, seen] of Object.entries(SEEN)) {
      await runner.query(`ALTER TABLE ${table} ADD COLUMN changed_in xid8 NOT NULL DEFAULT '0'`);
      await runner.query(`ALTER TABLE ${table} ALTER COLUMN changed_in SET DEFAULT pg_current_xact_id()`);
      const row = (version: string): string => `(${seen.map((column) => `${version}.${column}`).join(', ')})`;
      await runner.query(`
        CREATE TRIGGER note_change BEFORE UPDATE ON ${table} FOR EACH ROW
        WHEN (${row('OLD')} IS DISTINCT FROM ${row('NEW')}) EXECUTE FUNCTION lcm.note_change()`);
    }
    await runner.query('CREATE INDEX vnf_lcm_op_occ_changed ON lcm.vnf_lcm_op_occ (tenant, changed_in)');
  }

  async #trail(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lcm.audit_trail (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        kind text NOT NULL CHECK (kind IN ('request', 'outcome', 'purge')),
        tenant text,
        actor text,
        roles text[],
        remote_address text,
        request_id uuid,
        method text,
        resource text,
        status int,
        code text,
        operation text,
        vnf_instance_id uuid,
        operation_id uuid,
        operation_state text,
        detail jsonb
      )`);
    await runner.query('CREATE INDEX audit_trail_tenant ON lcm.audit_trail (tenant, id)');
    await runner.query('CREATE INDEX audit_trail_at ON lcm.audit_trail (at)');
    for (const column of ['vnf_instance_id', 'operation_id'])
      await runner.query(`CREATE INDEX audit_trail_${column} ON lcm.audit_trail (${column}, id) WHERE ${column} IS NOT NULL`);
  }

  /** Nothing is changed, and nothing goes but by `lcm.purge_audit_trail`, which says so in the trail and spares the last day whatever it is told. */
  async #appendOnly(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION lcm.keep_audit_trail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'DELETE' AND current_setting('windlass.purging_audit_trail', true) = 'on'
           AND OLD.at < clock_timestamp() - interval '1 day' THEN RETURN OLD; END IF;
        RAISE EXCEPTION 'lcm.audit_trail is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
      END $$`);
    await runner.query(`
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON lcm.audit_trail
      FOR EACH ROW EXECUTE FUNCTION lcm.keep_audit_trail()`);
    await runner.query(`
      CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON lcm.audit_trail
      FOR EACH STATEMENT EXECUTE FUNCTION lcm.keep_audit_trail()`);
    await runner.query(`
      CREATE FUNCTION lcm.purge_audit_trail(before timestamptz, at_most int) RETURNS int LANGUAGE plpgsql AS $$
      DECLARE removed int;
      BEGIN
        PERFORM set_config('windlass.purging_audit_trail', 'on', true);
        DELETE FROM lcm.audit_trail WHERE id IN (
          SELECT id FROM lcm.audit_trail WHERE at < least(before, clock_timestamp() - interval '25 hours') ORDER BY at LIMIT at_most FOR UPDATE SKIP LOCKED);
        GET DIAGNOSTICS removed = ROW_COUNT;
        PERFORM set_config('windlass.purging_audit_trail', 'off', true);
        IF removed > 0 THEN
          INSERT INTO lcm.audit_trail (kind, detail) VALUES ('purge', jsonb_build_object('removed', removed, 'before', before));
        END IF;
        RETURN removed;
      END $$`);
  }

  /** What came of an operation, in the transaction in which it came, whoever wrote it. */
  async #outcomes(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION lcm.note_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO lcm.audit_trail (kind, tenant, operation, vnf_instance_id, operation_id, operation_state, code)
        VALUES ('outcome', NEW.tenant, NEW.operation, NEW.vnf_instance_id, NEW.id, NEW.operation_state, NEW.error->>'code');
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER note_outcome AFTER UPDATE ON lcm.vnf_lcm_op_occ FOR EACH ROW
      WHEN (OLD.operation_state <> NEW.operation_state AND NEW.operation_state IN ('COMPLETED', 'FAILED_TEMP', 'FAILED', 'ROLLED_BACK'))
      EXECUTE FUNCTION lcm.note_outcome()`);
  }

  async #purging(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.operation ADD COLUMN journal_purged_at timestamptz');
    const final = `status IN ('completed', 'rolled-back', 'abandoned')`;
    await runner.query(
      `CREATE INDEX operation_journal_kept ON lcm.operation (status_since) WHERE ${final} AND journal_purged_at IS NULL`,
    );
    await runner.query(`CREATE INDEX operation_final ON lcm.operation (status_since) WHERE ${final}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX lcm.operation_final, lcm.operation_journal_kept');
    await runner.query('ALTER TABLE lcm.operation DROP COLUMN journal_purged_at');
    await runner.query('DROP TRIGGER note_outcome ON lcm.vnf_lcm_op_occ');
    await runner.query('DROP FUNCTION lcm.note_outcome, lcm.purge_audit_trail');
    await runner.query('DROP TABLE lcm.audit_trail');
    await runner.query('DROP FUNCTION lcm.keep_audit_trail');
    for (const table of Object.keys(SEEN)) {
      await runner.query(`DROP TRIGGER note_change ON ${table}`);
      await runner.query(`ALTER TABLE ${table} DROP COLUMN changed_in`);
    }
    await runner.query('DROP FUNCTION lcm.note_change');
  }
}

/** The columns that people see. A renewed lease is no news. */
const SEEN: Readonly<Record<string, readonly string[]>> = {
  'lcm.step': [
    'phase',
    'state',
    'attempt',
    'owner',
    'progress',
    'blocked_on',
    'next_attempt_at',
    'error',
    'started_at',
    'ended_at',
  ],
  'lcm.vnf_lcm_op_occ': [
    'operation_state',
    'state_entered_time',
    'is_cancel_pending',
    'cancel_mode',
    'error',
    'resource_changes',
    'grant_id',
    'warnings',
  ],
};
