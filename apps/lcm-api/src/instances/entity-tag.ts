import { RequestError } from '@windlass/foundation';
import type { VnfInstanceRecord } from '@windlass/lifecycle';

/** The `ETag` of an instance as it stands: another one after each publication. */
export const entityTagOf = ({ version }: Pick<VnfInstanceRecord, 'version'>): string => `"${version}"`;

/**
 * Holds `If-Match` against an instance (RFC 9110 13.1.1): `*`, or a list of tags of which one has to be the present one. A weak tag matches nothing.
 * @param header as received; undefined where absent
 * @throws RequestError 412
 */
export function requireMatch(header: string | undefined, instance: Pick<VnfInstanceRecord, 'id' | 'version'>): void {
  if (header === undefined || header.trim() === '*') return;
  const now = entityTagOf(instance);
  if (header.split(',').some((tag) => tag.trim() === now)) return;
  throw new RequestError(
    412,
    'vnf-instance.changed',
    `VNF instance ${instance.id} has the entity tag ${now}, which is not what If-Match asks for: read it again`,
  );
}
