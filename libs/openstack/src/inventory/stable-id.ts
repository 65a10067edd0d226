import { createHash } from 'node:crypto';
import type { StackRef } from '../heat/heat-types.js';
import type { Place } from './stack-layout.js';

/** Namespace for instance ids that are no UUIDs themselves. */
const NAMESPACE = 'e4c45c92-c6d4-4547-9ac1-4875799c3584';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A UUID of version 5 (RFC 9562 5.5): the same name in the same namespace gives the same id, anywhere and always. */
export function uuidV5(namespace: string, name: string): string {
  if (!UUID.test(namespace)) return uuidV5(uuidV5(NAMESPACE, namespace), name);
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

export type IdKind = 'vnfc' | 'vnfc-cp' | 'ext-cp' | 'link-port' | 'virtual-link' | 'storage';

/**
 * The id of something in instantiatedVnfInfo: derived from its place in the stack, not from what fills the place.
 *
 * So a read repeated after a crash gives the same ids, and healing a VNFC keeps its id while `computeResource.resourceId` changes,
 * as the user guide has it: Heat keeps the member's name when it replaces the server, and also when it replaces the member.
 * The top stack's id is part of it: healing the whole by deleting and creating the stack gives new ids, as the guide says too.
 */
export function stableId(vnfInstanceId: string, kind: IdKind, stack: StackRef, place: Pick<Place, 'path'>): string {
  return uuidV5(vnfInstanceId, [kind, stack.id, ...place.path].join('/'));
}
