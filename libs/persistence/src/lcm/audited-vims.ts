import { describedVimId, internalVimOf, type AuditedVim } from '@windlass/lifecycle';
import type { EntityManager } from 'typeorm';
import { VimEntity } from '../entities/vim.entity.js';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import type { Vault } from '../sealing/vault.js';
import { instanceOf } from './instance-rows.js';
import type { PgLcmStore } from './pg-lcm-store.js';

/** Every VIM that an audit of a project looks at. */
export const auditedVims = async (
  { store, vault }: { store: PgLcmStore; vault: Vault },
  manager: EntityManager,
  tenant: string,
): Promise<AuditedVim[]> => [...(await registered(manager, tenant)), ...(await described(store, vault, manager, tenant))];

async function registered(manager: EntityManager, tenant: string): Promise<AuditedVim[]> {
  const rows = await manager.find(VimEntity, { where: { tenant }, order: { createdAt: 'ASC' } });
  return rows.map(({ id, name, type }) => {
    const kind = type === 'kubernetes' ? ({ kind: 'kubernetes' } as const) : {};
    return { id, name, vim: { choice: { vimId: id, connectionId: id, ...kind } } };
  });
}

/** VIMs that only a request described are known by the instances that lie in them. */
async function described(store: PgLcmStore, vault: Vault, manager: EntityManager, tenant: string): Promise<AuditedVim[]> {
  const rows = await manager.find(VnfInstanceEntity, { where: { tenant }, order: { id: 'ASC' } });
  const found: AuditedVim[] = [];
  for (const row of rows) {
    const choice = (row.instantiated ?? row.leftovers)?.vim;
    if (choice === undefined || choice.vimId !== undefined) continue;
    const vim = await internalVimOf(store, manager, instanceOf(row, vault), choice);
    found.push({ id: describedVimId(row.id), name: choice.connectionId, vim });
  }
  return found;
}
