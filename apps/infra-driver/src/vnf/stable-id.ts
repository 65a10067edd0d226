import { derivedUuid, isUuid } from '@windlass/foundation';
import type { Place, StackRef } from '@windlass/openstack';

/** Namespace for instance ids that are no UUIDs themselves. */
const NAMESPACE = 'e4c45c92-c6d4-4547-9ac1-4875799c3584';

/** A UUID that derives from a name in a namespace, which may be any text: the same anywhere and always. */
export const uuidIn = (namespace: string, name: string): string =>
  derivedUuid(isUuid(namespace) ? namespace : derivedUuid(NAMESPACE, namespace), name);

export type IdKind = 'vnfc' | 'vnfc-cp' | 'ext-cp' | 'link-port' | 'virtual-link' | 'storage';

/**
 * The id of something in instantiatedVnfInfo: derived from its place in the stack, not from what fills the place.
 *
 * So a read repeated after a crash gives the same ids, and healing a VNFC keeps its id while `computeResource.resourceId` changes,
 * as the user guide has it: Heat keeps the member's name when it replaces the server, and also when it replaces the member.
 * The top stack's id is part of it: healing the whole by deleting and creating the stack gives new ids, as the guide says too.
 */
export function stableId(vnfInstanceId: string, kind: IdKind, stack: StackRef, place: Pick<Place, 'path'>): string {
  return uuidIn(vnfInstanceId, [kind, stack.id, ...place.path].join('/'));
}
