import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A place for a VIM's `extra`, sealed. What lies in the old column is sealed by the VIM registry when it starts: a migration has no key.
 */
export class VimExtra1700000000008 implements MigrationInterface {
  readonly name = 'VimExtra1700000000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vim.vim ADD COLUMN extra_sealed bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vim.vim DROP COLUMN extra_sealed');
  }
}
