import { RequestError, type InvalidParam, type JsonObject } from '@windlass/foundation';
import type { Vnfc } from '@windlass/mgmt-driver';
import { vnfcInfoId } from '@windlass/sol003';
import { membersOf } from './leaving-members.js';
import type { MemberName } from '../../stack/resize-actions.js';
import { changesOf, type Scaling, type ScalingContext } from './scaling.js';
import { instantiatedOf } from '../../records/instantiated.js';

/** The key of `additionalParams` that names the VNFCs which leave: each by its id, by the name of its server, or by an address of it. */
export const LEAVING_VNFCS = 'leaving_vnfcs';

const PATH = `/additionalParams/${LEAVING_VNFCS}`;

/**
 * The members that a request names to leave. A VNFC leaves with all that stands in its member.
 * @throws RequestError 400 `scale.wrong-leaver` with the path of each name that is none of a VNFC which can leave by this scaling, and the list of those that can
 */
export function namedLeavers(
  context: ScalingContext,
  scaling: Omit<Scaling, 'named'>,
  params: JsonObject | undefined,
): MemberName[] {
  const names = params?.[LEAVING_VNFCS];
  if (names === undefined) return [];
  if (!isNames(names)) throw refusedAt([{ path: PATH, reason: 'expected a list of ids, server names or addresses of VNFCs' }]);
  const { vnfcs } = instantiatedOf(context.instance);
  const changes = changesOf(context, scaling);
  const leavers = vnfcs.filter(({ vduId, memberName }) => (changes[vduId] ?? 0) < 0 && memberName !== null);
  const found = names.map((name) => meant(name, vnfcs));
  const faults = names.flatMap((name, index): InvalidParam[] => {
    const reason = faultOf(name, found[index] ?? [], leavers);
    return reason === undefined ? [] : [{ path: `${PATH}/${index}`, reason }];
  });
  if (faults.length > 0) throw refusedAt(faults);
  const members = membersOf(found.flat());
  for (const vduId of new Set(leavers.map((vnfc) => vnfc.vduId))) {
    const groups = new Set(leavers.filter((vnfc) => vnfc.vduId === vduId).map(({ aspectId }) => aspectId));
    const named = members.filter(({ group }) => groups.has(group)).length;
    const leave = -(changes[vduId] ?? 0);
    if (named <= leave) continue;
    throw refusedAt([
      { path: PATH, reason: `names ${named} of the VDU "${vduId}", and ${leave} of it leave: name so many at most` },
    ]);
  }
  return members;
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && name !== '');

/** The VNFCs that a name means: v2 of the API has ids of its own for them. */
const meant = (name: string, vnfcs: readonly Vnfc[]): Vnfc[] =>
  vnfcs.filter(
    (vnfc) =>
      vnfc.id === name ||
      vnfcInfoId(vnfc) === name ||
      vnfc.name === name ||
      vnfc.cps.some(({ addresses, floatingIp }) => floatingIp === name || addresses.includes(name)),
  );

function faultOf(name: string, found: readonly Vnfc[], leavers: readonly Vnfc[]): string | undefined {
  const [vnfc] = found;
  if (found.length > 1) return `"${name}" means ${listed(found)}: give an id`;
  if (vnfc !== undefined && leavers.includes(vnfc)) return undefined;
  const known = leavers.length === 0 ? 'nobody leaves by this scaling' : `those that can leave are ${listed(leavers)}`;
  if (vnfc === undefined) return `"${name}" is the id, the name or an address of no VNFC of this VNF: ${known}`;
  return `"${name}" is of the VDU "${vnfc.vduId}", and can't leave by this scaling: ${known}`;
}

/** A list of VNFCs, each with all its names: the reader may know any of them. */
const listed = (vnfcs: readonly Vnfc[]): string =>
  vnfcs.map(({ id, name, cps }) => `${id} (${[name, ...cps.flatMap(({ addresses }) => addresses)].join(', ')})`).join('; ');

const refusedAt = (invalidParams: InvalidParam[]): RequestError =>
  new RequestError(400, 'scale.wrong-leaver', invalidParams.map(({ path, reason }) => `${path}: ${reason}`).join('; '), {
    invalidParams,
  });
