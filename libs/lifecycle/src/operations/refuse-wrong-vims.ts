import { RequestError } from '@windlass/foundation';
import { vimKind, type VimConnectionInfo } from '@windlass/sol003';
import type { RequestLookups } from './operation-definition.js';

/**
 * Holds the connections of a request against the project's VIMs: each names a kind that Windlass works with, and the registered VIM that it names is
 * of that kind. A login of one kind must never be tried at a VIM of another.
 * @param known those that the instance has: what a request leaves as it is, is not its matter
 * @throws RequestError 400 with the path of the first that is wrong: `vim.unknown-kind`, `vim.unknown`, `vim.other-kind`
 */
export async function refuseWrongVims(
  connections: readonly VimConnectionInfo[],
  lookups: Pick<RequestLookups, 'vimKindOf'>,
  known: readonly VimConnectionInfo[] = [],
): Promise<void> {
  for (const [index, { id, vimId, vimType }] of connections.entries()) {
    if (known.some((each) => each.id === id && each.vimId === vimId && each.vimType === vimType)) continue;
    const refused = (member: string, code: string, reason: string): RequestError => {
      const path = `/vimConnectionInfo/${index}/${member}`;
      return new RequestError(400, code, `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
    };
    const kind = vimKind(vimType);
    if (kind === undefined) {
      const known = 'ETSINFV.OPENSTACK_KEYSTONE.V_3 (or openstack) or ETSINFV.KUBERNETES.V_1 (or kubernetes)';
      throw refused('vimType', 'vim.unknown-kind', `Windlass works with no VIM of this type: give ${known}`);
    }
    if (vimId === undefined) continue;
    const registered = await lookups.vimKindOf(vimId);
    if (registered === undefined)
      throw refused('vimId', 'vim.unknown', `there is no VIM ${vimId} in this project: register it, or name another`);
    if (registered !== kind)
      throw refused(
        'vimType',
        'vim.other-kind',
        `VIM ${vimId} is registered as ${registered}: give that type, or name another VIM`,
      );
  }
}
