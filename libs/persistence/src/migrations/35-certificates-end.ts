import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For the metric of clusters whose certificates end: those that end first are found without a look at every instance. */
export class CertificatesEnd1700000000035 implements MigrationInterface {
  readonly name = 'CertificatesEnd1700000000035';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX vnf_instance_certificates_end ON lcm.vnf_instance (((instantiated->'certificates'->>'earliestEnd')::bigint))
      WHERE (instantiated->'certificates'->>'earliestEnd')::bigint IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX lcm.vnf_instance_certificates_end');
  }
}
