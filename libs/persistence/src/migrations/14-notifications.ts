import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Subscriptions, and an outbox for each (ADR 37). No foreign key between them: a transaction that changes a state must neither wait for the
 * deletion of a subscription nor fail because of it; rows of one that is gone are removed by the senders.
 */
export class Notifications1700000000014 implements MigrationInterface {
  readonly name = 'Notifications1700000000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lcm.subscription (
        id uuid PRIMARY KEY,
        tenant text NOT NULL,
        api text NOT NULL,
        callback_uri text NOT NULL,
        filter jsonb,
        verbosity text,
        authentication bytea,
        key text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        UNIQUE (tenant, api, key)
      )`);
    await runner.query(`
      CREATE TABLE lcm.subscription_delivery (
        subscription_id uuid PRIMARY KEY,
        owner text,
        lease_until timestamptz,
        attempts int NOT NULL DEFAULT 0,
        retry_at timestamptz,
        turn_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        delivered bigint NOT NULL DEFAULT 0,
        failed bigint NOT NULL DEFAULT 0,
        dropped bigint NOT NULL DEFAULT 0,
        last_success_at timestamptz,
        last_failure_at timestamptz,
        last_failure text,
        last_status int
      )`);
    await runner.query(`
      CREATE TABLE lcm.notified_change (
        id uuid PRIMARY KEY,
        facts bytea NOT NULL,
        at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(`
      CREATE TABLE lcm.notification (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        subscription_id uuid NOT NULL,
        change_id uuid NOT NULL,
        notification_id uuid NOT NULL DEFAULT gen_random_uuid(),
        at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query('CREATE INDEX notification_of_subscription ON lcm.notification (subscription_id, id)');
    await runner.query('CREATE INDEX notification_of_change ON lcm.notification (change_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE lcm.notification, lcm.notified_change, lcm.subscription_delivery, lcm.subscription');
  }
}
