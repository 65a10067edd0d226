import { RequestError } from '@windlass/foundation';
import { vimKind, type VimConnectionInfo, type VimKind } from '@windlass/sol003';
import { isDeepStrictEqual } from 'node:util';
import type { RequestLookups } from './operation-definition.js';
import { lackingIn, otherThanRegistered, saysMore, type OtherThanRegistered } from './registered-vim.js';

type Refused = (member: string, code: string, reason: string) => RequestError;

/**
 * Checks the connections of a request against the project's VIMs. Each has a type that Windlass works with. Where it names a registered VIM, that VIM
 * is of this type, and what the connection says of it is what is registered. Where it names none, it describes a VIM in full, or not at all. So the
 * login of one kind of VIM is never tried at another kind, and nothing that a client says is ignored.
 * @param known the instance's connections: members that the request leaves unchanged are not checked
 * @throws RequestError 400 with the path of the first fault: `vim.unknown-kind`, `vim.unknown`, `vim.other-kind`, `vim.other-than-registered`,
 *   `vim.incomplete`
 */
export async function refuseWrongVims(
  connections: readonly VimConnectionInfo[],
  lookups: Pick<RequestLookups, 'vimKindOf' | 'registeredVim'>,
  known: readonly VimConnectionInfo[] = [],
): Promise<void> {
  for (const [index, connection] of connections.entries()) {
    const before = known.find(({ id }) => id === connection.id);
    if (isDeepStrictEqual(before, connection)) continue;
    const refused: Refused = (member, code, reason) => refusedAt(`/vimConnectionInfo/${index}/${member}`, code, reason);
    const isNamedAsBefore = before?.vimId === connection.vimId && before?.vimType === connection.vimType;
    const kind = vimKind(connection.vimType);
    if (kind === undefined && !isNamedAsBefore) throw unknownKind(refused);
    const fault = await faultOf(connection, kind, { lookups, before, isNamedAsBefore, refused });
    if (fault !== undefined) throw fault;
  }
}

interface Held {
  lookups: Pick<RequestLookups, 'vimKindOf' | 'registeredVim'>;
  before: VimConnectionInfo | undefined;
  isNamedAsBefore: boolean;
  refused: Refused;
}

async function faultOf(connection: VimConnectionInfo, kind: VimKind | undefined, held: Held): Promise<RequestError | undefined> {
  const { lookups, before, isNamedAsBefore, refused } = held;
  const { vimId } = connection;
  const told = (code: string, wrong: OtherThanRegistered | undefined): RequestError | undefined =>
    wrong === undefined ? undefined : refused(wrong.member, code, wrong.reason);
  if (vimId === undefined) return kind === 'openstack' ? told('vim.incomplete', lackingIn(connection)) : undefined;
  const registered = await lookups.vimKindOf(vimId);
  if (registered === undefined)
    return isNamedAsBefore
      ? undefined
      : refused('vimId', 'vim.unknown', `there is no VIM ${vimId} in this project: register it, or name another`);
  if (registered !== kind && !isNamedAsBefore) {
    const reason = `VIM ${vimId} is registered as ${registered}: give that type, or name another VIM`;
    return refused('vimType', 'vim.other-kind', reason);
  }
  if (!saysMore(connection, before)) return undefined;
  return told('vim.other-than-registered', otherThanRegistered(connection, await lookups.registeredVim(vimId), before));
}

/**
 * A VNF that consists of VMs lies in no cluster.
 * @throws RequestError 400 `vim.other-kind` with the path of the type where all VIMs that the request names are clusters
 */
export function refuseOnlyClusters(connections: readonly VimConnectionInfo[], manifests: string): void {
  const kinds = connections.map(({ vimType }) => vimKind(vimType));
  if (kinds.length === 0 || kinds.some((kind) => kind !== 'kubernetes')) return;
  const reason = `the VNF consists of VMs, and the request names no VIM for them, only a Kubernetes cluster: name an OpenStack, or leave vimConnectionInfo out for the project's default one; a VNF of containers names its manifests (${manifests})`;
  throw refusedAt('/vimConnectionInfo/0/vimType', 'vim.other-kind', reason);
}

const refusedAt = (path: string, code: string, reason: string): RequestError =>
  new RequestError(400, code, `${path}: ${reason}`, { invalidParams: [{ path, reason }] });

function unknownKind(refused: Refused): RequestError {
  const known = 'ETSINFV.OPENSTACK_KEYSTONE.V_3 (or openstack) or ETSINFV.KUBERNETES.V_1 (or kubernetes)';
  return refused('vimType', 'vim.unknown-kind', `Windlass works with no VIM of this type: give ${known}`);
}
