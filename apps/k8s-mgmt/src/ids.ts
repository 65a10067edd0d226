import { createHash } from 'node:crypto';

/** A UUID of version 5 (RFC 9562 5.5): the same for the same instance and name, however often it is computed. */
export function derivedUuid(vnfInstanceId: string, name: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(vnfInstanceId.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The VIM that a deployed cluster becomes. */
export const clusterVimId = (vnfInstanceId: string): string => derivedUuid(vnfInstanceId, 'kubernetes vim');
/** Its entry in the instance's `vimConnectionInfo`. */
export const clusterConnectionId = (vnfInstanceId: string): string => derivedUuid(vnfInstanceId, 'kubernetes vim connection');
/** As packages and clients of the reference system know it. */
export const defaultVimName = (vnfInstanceId: string): string => `kubernetes_vim_${vnfInstanceId}`;
