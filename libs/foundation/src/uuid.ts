import { createHash } from 'node:crypto';

/**
 * A UUID of version 5 (RFC 9562 5.5): the same for the same namespace and name, however often it is computed.
 * @param namespace a UUID
 */
export function derivedUuid(namespace: string, name: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True for the canonical form with hyphens, of any version and in any case. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);
