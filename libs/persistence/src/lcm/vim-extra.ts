import type { JsonObject } from '@windlass/foundation';
import type { DataSource } from 'typeorm';
import { rowsOf } from '../database.js';
import type { VimEntity } from '../entities/vim.entity.js';
import type { Vault } from '../sealing/vault.js';

const place = (vimId: string): string => `vim.vim.extra ${vimId}`;

/** The columns of a VIM's `extra`, which may hold secrets: only the sealed one is filled. */
export const extraColumns = (extra: JsonObject, vimId: string, vault: Vault): Pick<VimEntity, 'extra' | 'extraSealed'> => ({
  extra: {},
  extraSealed: vault.sealJson(extra, place(vimId)),
});

/** A VIM's `extra`. What lies in the clear was written by an older release, so it is the later word where both are there. */
export const extraOf = ({ id, extra, extraSealed }: VimEntity, vault: Vault): JsonObject =>
  extraSealed === null || Object.keys(extra).length > 0 ? extra : (vault.openJson(extraSealed, place(id)) as JsonObject);

/** Seals what older releases left in the clear. It may run in several replicas at once. @returns how many VIMs had something */
export async function sealOldExtras(database: DataSource, vault: Vault): Promise<number> {
  const found = await rowsOf<{ id: string; extra: JsonObject }>(
    database.manager,
    `SELECT id, extra FROM vim.vim WHERE extra <> '{}'::jsonb`,
  );
  for (const { id, extra } of found) {
    await rowsOf(database.manager, `UPDATE vim.vim SET extra = '{}', extra_sealed = $2 WHERE id = $1 AND extra = $3::jsonb`, [
      id,
      extraColumns(extra, id, vault).extraSealed,
      JSON.stringify(extra),
    ]);
  }
  return found.length;
}
