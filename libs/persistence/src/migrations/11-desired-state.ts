import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A place for what an instance should be, sealed (ADR 30). What lies in `instantiate_request` is converted by the coordinators when they start,
 * and wherever it is read before: a migration has no key.
 */
export class DesiredState1700000000011 implements MigrationInterface {
  readonly name = 'DesiredState1700000000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lcm.vnf_instance ADD COLUMN desired bytea');
  }

  /** What is in `desired` alone would be lost: an instance that is INSTANTIATED has to say how to make it anew. */
  async down(): Promise<void> {
    return Promise.reject(new Error('the desired states of instances are not taken away again: restore a backup'));
  }
}
