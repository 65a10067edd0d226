import { RequestError, type InvalidParam } from '@windlass/foundation';
import { clusterVimId } from '@windlass/mgmt-driver';
import { MOST_VIM_USERS, rowsOf, vimUsers } from '@windlass/persistence';
import type { EntityManager } from 'typeorm';

/** Whose cluster it is. */
export interface ClusterOwner {
  tenant: string;
  vnfInstanceId: string;
}

/**
 * The names, of those under which an operation will register its cluster, that another VIM of the project has. The instance's own cluster, registered
 * by an earlier try, does not count.
 */
export async function takenVimNames(
  manager: EntityManager,
  { tenant, vnfInstanceId }: ClusterOwner,
  wanted: readonly { path: string; name: string }[],
): Promise<InvalidParam[]> {
  if (wanted.length === 0) return [];
  const taken = await rowsOf<{ name: string }>(
    manager,
    'SELECT name FROM vim.vim WHERE tenant = $1 AND name = ANY($2) AND id <> $3',
    [tenant, wanted.map(({ name }) => name), clusterVimId(vnfInstanceId)],
  );
  const names = new Set(taken.map(({ name }) => name));
  return wanted
    .filter(({ name }) => names.has(name))
    .map(({ path, name }) => ({ path, reason: `the project has a VIM named ${name} already: choose another name` }));
}

/** @throws RequestError 409 `vim.in-use`, which names them, where other VNF instances use the cluster that this one is */
export async function refuseUsedCluster(manager: EntityManager, { tenant, vnfInstanceId }: ClusterOwner): Promise<void> {
  const users = await vimUsers(manager, tenant, clusterVimId(vnfInstanceId));
  if (users.length === 0) return;
  const named = await rowsOf<{ id: string; name: string | null }>(
    manager,
    'SELECT id, vnf_instance_name AS name FROM lcm.vnf_instance WHERE id = ANY($1) ORDER BY id',
    [users],
  );
  const told = named.map(({ id, name }) => (name === null ? id : `${id} ("${name}")`));
  const who =
    told.length === 1
      ? `VNF instance ${told[0] ?? ''} uses this cluster as its VIM: terminate it first`
      : `VNF instances ${told.join(', ')}${users.length < MOST_VIM_USERS ? '' : ' and perhaps others'} use this cluster as their VIM: terminate them first`;
  throw new RequestError(409, 'vim.in-use', who);
}
