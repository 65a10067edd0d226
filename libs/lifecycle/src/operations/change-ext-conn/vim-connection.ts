import { RequestError } from '@windlass/foundation';
import type { ChangeExtVnfConnectivityRequest } from '@windlass/sol003';
import type { VnfInstanceRecord } from '../../records/records.js';
import { connectionsOf, modified } from '../modify/modify-request.js';

/**
 * The instance with the connection that the request gives in place of its own one of that id, or beside its own (SOL003 5.5.2.11): as a PATCH that
 * names all of them.
 * @throws RequestError 400 for one that leads to another VIM than the VNF's resources lie in, and as `modified`
 */
export function withConnectionOf(
  { vimConnectionInfo }: ChangeExtVnfConnectivityRequest,
  instance: VnfInstanceRecord,
): VnfInstanceRecord {
  const [given] = vimConnectionInfo ?? [];
  const vim = instance.instantiated?.vim;
  if (given === undefined || vim === undefined) return instance;
  const isTheirs =
    vim.vimId === undefined
      ? given.id === vim.connectionId && given.vimId === undefined
      : (given.vimId ?? (given.id === vim.connectionId ? vim.vimId : undefined)) === vim.vimId;
  if (!isTheirs) {
    const path = '/vimConnectionInfo/0/id';
    const reason = `the VNF's resources lie in ${vim.vimId === undefined ? `the connection "${vim.connectionId}"` : `the VIM ${vim.vimId}`}, and are not moved: name that one, or leave it out`;
    throw new RequestError(400, 'vim.other', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
  }
  const others = connectionsOf(instance).filter(({ id }) => id !== given.id);
  return modified(instance, { vimConnectionInfo: [...others.map(({ id }) => ({ id })), given] }, undefined).instance;
}
