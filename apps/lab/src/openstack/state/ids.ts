import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** A UUID with hyphens, as Nova, Neutron, Glance, Cinder and Heat use. */
export const uuid = (): string => randomUUID();

/** A UUID without hyphens, as Keystone uses. */
export const hexId = (): string => randomUUID().replaceAll('-', '');

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Heat's short id: 12 characters of lower-case base32. */
export const shortId = (): string => Array.from(randomBytes(12), (byte) => BASE32.charAt(byte & 31)).join('');

/** A MAC address in the range that OpenStack uses. */
export const macAddress = (): string =>
  ['fa', '16', '3e', ...Array.from(randomBytes(3), (byte) => byte.toString(16).padStart(2, '0'))].join(':');

export const requestId = (): string => `req-${randomUUID()}`;

/** A name or id that is always the same for the same words, so that a restarted lab keeps its project's id. */
export const stableHexId = (...words: string[]): string =>
  createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 32);

/** As {@link stableHexId}, with hyphens. */
export const stableUuid = (...words: string[]): string => {
  const hex = stableHexId(...words);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
};

/** What Nova shows ordinary users instead of a host's name: equal for servers of one project on one host. */
export const hostId = (projectId: string, host: string): string =>
  createHash('sha224')
    .update(projectId + host)
    .digest('hex');

/** `2026-11-20T23:47:55Z`: Heat, Nova, Neutron. */
export const isoSeconds = (at: number = Date.now()): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** `2026-11-20T23:47:55.000000Z`: Keystone. */
export const isoMicros = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}.000000Z`;

/** `2026-11-20T23:48:08.000000`: Nova's launched_at, Cinder. */
export const naiveMicros = (at: number = Date.now()): string => `${new Date(at).toISOString().slice(0, 19)}.000000`;
