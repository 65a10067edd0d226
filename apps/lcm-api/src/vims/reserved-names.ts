import { RequestError } from '@windlass/foundation';
import type { LcmOperation } from '@windlass/lifecycle';
import { clusterVimId } from '@windlass/mgmt-driver';
import { lockVimNames, reservedVimNames, rowsOf } from '@windlass/persistence';
import type { EntityManager } from 'typeorm';
import { takenVimNames, type ClusterOwner } from './cluster-checks.js';

/** A name under which an operation will register a VIM. */
export interface WantedVimName {
  /** Where the request says it, from its root. */
  path: string;
  name: string;
}

/** An operation that is about to be accepted. */
export interface Reserving extends ClusterOwner {
  operation: LcmOperation;
  vimNames: readonly WantedVimName[];
}

/**
 * The names that the operation's record reserves. Another request for one of the names waits until the transaction ends, and then finds the record. A
 * heal keeps the name that its cluster has, because it may deregister the cluster and register it again.
 * @throws RequestError 409 `vim.name-reserved`, `vim.name-taken` with the path of each name that another operation or VIM has
 */
export async function reserveVimNames(manager: EntityManager, reserving: Reserving): Promise<WantedVimName[]> {
  const { tenant, vnfInstanceId, operation } = reserving;
  const own = operation === 'HEAL' ? await ownName(manager, { tenant, vnfInstanceId }) : [];
  const wanted = [...reserving.vimNames, ...own.map((name) => ({ path: '', name }))];
  if (wanted.length === 0) return [];
  const names = wanted.map(({ name }) => name);
  await lockVimNames(manager, tenant, names);
  await refuseReservedNames(manager, { tenant, vnfInstanceId }, reserving.vimNames);
  // They were looked for before, at the check of the request: this is whoever came in between.
  const taken = await takenVimNames(manager, { tenant, vnfInstanceId }, reserving.vimNames);
  if (taken.length > 0) throw refused('vim.name-taken', taken);
  return wanted;
}

/** @throws RequestError 409 `vim.name-reserved` where an operation of another instance that is not final is going to register one of the names */
export async function refuseReservedNames(
  manager: EntityManager,
  { tenant, vnfInstanceId }: ClusterOwner,
  wanted: readonly WantedVimName[],
): Promise<void> {
  if (wanted.length === 0) return;
  const names = wanted.map(({ name }) => name);
  const reserved = await reservedVimNames(manager, tenant, names);
  const others = new Map(reserved.filter((each) => each.vnfInstanceId !== vnfInstanceId).map((each) => [each.name, each]));
  const invalidParams = wanted.flatMap(({ path, name }) => {
    const other = others.get(name);
    if (other === undefined) return [];
    const reason = `VNF instance ${other.vnfInstanceId} is becoming a cluster named ${name}: choose another name, or wait until its operation has ended`;
    return [{ path, reason }];
  });
  if (invalidParams.length > 0) throw refused('vim.name-reserved', invalidParams);
}

const refused = (code: string, invalidParams: WantedFault[]): RequestError =>
  new RequestError(409, code, invalidParams.map(({ path, reason }) => `${path}: ${reason}`).join('; '), { invalidParams });

interface WantedFault {
  path: string;
  reason: string;
}

async function ownName(manager: EntityManager, { tenant, vnfInstanceId }: ClusterOwner): Promise<string[]> {
  const own = [tenant, clusterVimId(vnfInstanceId)];
  const rows = await rowsOf<{ name: string }>(manager, 'SELECT name FROM vim.vim WHERE tenant = $1 AND id = $2', own);
  return rows.map(({ name }) => name);
}
