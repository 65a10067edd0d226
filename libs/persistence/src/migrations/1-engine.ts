import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operations, their steps, what is sealed beside them, and the outbox. */
export class Engine1700000000001 implements MigrationInterface {
  readonly name = 'Engine1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE SCHEMA IF NOT EXISTS lcm');
    await runner.query(`
      CREATE TABLE lcm.operation (
        id uuid PRIMARY KEY,
        kind text NOT NULL,
        tenant text NOT NULL,
        status text NOT NULL,
        stops_into text,
        milestone text,
        cancel text,
        failure jsonb,
        journal_version int NOT NULL,
        status_since timestamptz NOT NULL DEFAULT clock_timestamp(),
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(`CREATE INDEX operation_accepted ON lcm.operation (created_at) WHERE status = 'accepted'`);
    await runner.query(`
      CREATE TABLE lcm.step (
        operation_id uuid NOT NULL REFERENCES lcm.operation ON DELETE CASCADE,
        id text NOT NULL,
        seq int NOT NULL,
        parent_id text,
        action text NOT NULL,
        version int NOT NULL,
        service text NOT NULL,
        target text,
        deps jsonb NOT NULL,
        limit_keys jsonb NOT NULL,
        groups jsonb NOT NULL,
        traits jsonb NOT NULL,
        phase text NOT NULL,
        state text NOT NULL,
        epoch int NOT NULL,
        owner text,
        lease_until timestamptz,
        attempt int NOT NULL,
        attempt_epoch int NOT NULL,
        resumed boolean NOT NULL,
        losses int NOT NULL,
        ever_claimed boolean NOT NULL,
        recheck boolean NOT NULL,
        next_attempt_at timestamptz,
        dispatch_by timestamptz,
        rung_at timestamptz,
        rings int NOT NULL,
        blocked_on text,
        result_epoch int,
        progress text,
        error jsonb,
        started_at timestamptz,
        ended_at timestamptz,
        PRIMARY KEY (operation_id, id)
      ) WITH (fillfactor = 70)`);
    // Few rows are ever in these states, so the sweep and the limits read little.
    await runner.query(`CREATE INDEX step_running ON lcm.step (lease_until) WHERE state = 'running'`);
    await runner.query(`CREATE INDEX step_ready ON lcm.step (rung_at) WHERE state = 'ready'`);
    await this.#besides(runner);
  }

  async #besides(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lcm.payload (
        operation_id uuid NOT NULL REFERENCES lcm.operation ON DELETE CASCADE,
        step_id text NOT NULL,
        kind text NOT NULL,
        sealed bytea NOT NULL,
        PRIMARY KEY (operation_id, step_id, kind)
      )`);
    await runner.query(`
      CREATE TABLE lcm.outbox (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        subject text NOT NULL,
        message jsonb NOT NULL,
        sent boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(`CREATE INDEX outbox_unsent ON lcm.outbox (id) WHERE NOT sent`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE lcm.outbox, lcm.payload, lcm.step, lcm.operation');
  }
}
