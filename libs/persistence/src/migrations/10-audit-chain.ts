import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The chain over the audit trail, made afterwards by the coordinators (ADR 25): `lcm.audit_link`, and a purge that removes whole links that
 * the chain itself says are over. Who owns what is not a migration's matter: `separateTrail` hands the trail to its keeper.
 */
export class AuditChain1700000000010 implements MigrationInterface {
  readonly name = 'AuditChain1700000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lcm.audit_link (
        number bigint PRIMARY KEY CHECK (number > 0),
        format int NOT NULL,
        made_at timestamptz NOT NULL,
        key_id bytea NOT NULL,
        previous bytea,
        settled bigint NOT NULL,
        entry_ids bigint[] NOT NULL,
        last_entry bigint,
        digests bytea NOT NULL,
        purged_through bigint CHECK (purged_through < number),
        mac bytea NOT NULL
      )`);
    await runner.query('CREATE INDEX audit_link_last_entry ON lcm.audit_link (last_entry)');
    await runner.query('CREATE INDEX audit_link_purge ON lcm.audit_link (number) WHERE purged_through IS NOT NULL');
    await this.#appendOnly(runner);
    await this.#purge(runner);
  }

  /** Both tables; entries that are younger than the floor of the purge stay whatever anybody says. */
  async #appendOnly(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION lcm.keep_audit_trail() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
      BEGIN
        IF TG_OP = 'DELETE' AND current_setting('windlass.purging_audit_trail', true) = 'on' THEN
          IF TG_TABLE_NAME = 'audit_link' THEN RETURN OLD; END IF;
          IF OLD.at < clock_timestamp() - interval '30 days' THEN RETURN OLD; END IF;
        END IF;
        RAISE EXCEPTION 'lcm.% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
      END $$`);
    await runner.query(`
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON lcm.audit_link
      FOR EACH ROW EXECUTE FUNCTION lcm.keep_audit_trail()`);
    await runner.query(`
      CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON lcm.audit_link
      FOR EACH STATEMENT EXECUTE FUNCTION lcm.keep_audit_trail()`);
  }

  /**
   * Removes whole links, the oldest first, up to the one that a link names (`purged_through`), with their entries. It runs with its
   * owner's rights, so it trusts nobody: not the search path, not what it is told, not what a link says about the age of its entries.
   */
  async #purge(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION lcm.purge_audit_trail(before timestamptz, at_most int) RETURNS int
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      DECLARE
        through bigint;
        links bigint[];
        entries bigint[];
        youngest timestamptz;
        removed int;
      BEGIN
        IF before IS NULL OR before > clock_timestamp() - interval '30 days' THEN
          RAISE EXCEPTION 'the audit trail keeps its entries for 30 days at least: those before % are not removed', before
            USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF NOT pg_try_advisory_xact_lock(hashtextextended('windlass audit trail purge', 0)) THEN RETURN 0; END IF;
        SELECT max(l.purged_through) INTO through FROM lcm.audit_link AS l WHERE l.purged_through IS NOT NULL;
        SELECT array_agg(counted.number) INTO links FROM (
          SELECT oldest.number, sum(cardinality(oldest.entry_ids)) OVER (ORDER BY oldest.number) AS total,
            row_number() OVER (ORDER BY oldest.number) AS place
          FROM (SELECT l.number, l.entry_ids FROM lcm.audit_link AS l WHERE l.number <= through ORDER BY l.number LIMIT 1000) AS oldest
        ) AS counted WHERE counted.total <= at_most OR counted.place = 1;
        IF links IS NULL THEN RETURN 0; END IF;
        SELECT array_agg(listed.id) INTO entries FROM lcm.audit_link AS l, unnest(l.entry_ids) AS listed(id) WHERE l.number = ANY (links);
        SELECT max(t.at) INTO youngest FROM lcm.audit_trail AS t WHERE t.id = ANY (entries);
        IF youngest >= before THEN
          RAISE EXCEPTION 'links of the audit trail up to % are to be purged, but one has an entry of %', through, youngest
            USING ERRCODE = 'insufficient_privilege';
        END IF;
        PERFORM set_config('windlass.purging_audit_trail', 'on', true);
        DELETE FROM lcm.audit_trail AS t WHERE t.id = ANY (entries);
        GET DIAGNOSTICS removed = ROW_COUNT;
        DELETE FROM lcm.audit_link AS l WHERE l.number = ANY (links);
        PERFORM set_config('windlass.purging_audit_trail', 'off', true);
        IF removed > 0 THEN
          INSERT INTO lcm.audit_trail (kind, detail)
          VALUES ('purge', jsonb_build_object('removed', removed, 'before', before, 'throughLink', links[cardinality(links)]));
        END IF;
        RETURN removed;
      END $$`);
    await runner.query('REVOKE ALL ON FUNCTION lcm.purge_audit_trail(timestamptz, int) FROM PUBLIC');
  }

  async down(): Promise<void> {
    return Promise.reject(new Error('the chain of the audit trail is not taken away again: restore a backup'));
  }
}
