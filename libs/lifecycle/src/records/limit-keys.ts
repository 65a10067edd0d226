import type { VimChoice } from './records.js';

const VIM = 'vim:';
const HOST = 'host:';
const IMAGE = 'image:';

/**
 * The limit key of a VIM. A registered VIM's id is the registry's. The name of a VIM that only a request describes is the tenant's word, and counts
 * for that tenant alone.
 */
export const limitOfVim = (tenant: string, { vimId, connectionId }: VimChoice): string =>
  `${VIM}${vimId ?? `${tenant}/${connectionId}`}`;

/** The VIM of such a key: its id, or the name of the connection. */
export const vimOfLimit = (key: string): string | undefined =>
  key.startsWith(VIM) ? key.slice(key.indexOf('/') + 1 || VIM.length) : undefined;

/** The machine that a driver's plan counts its steps under, by an id that the machine's VIM chose. */
export const hostOfLimit = (key: string): string | undefined => (key.startsWith(HOST) ? key.slice(HOST.length) : undefined);

/** As a driver names it. */
export const limitOfHost = (id: string): string => `${HOST}${id}`;

/** The limit key of a shared image: one upload at a time. @param key the key by which the image is shared */
export const limitOfImage = (key: string): string => `${IMAGE}${key}`;

/**
 * The limit key as it is counted, with the VNF instance: two VIMs may give two machines the same id, and a hostile VIM may give that of another
 * tenant's machine.
 */
export function countedAs(vnfInstanceId: string, key: string): string {
  const host = hostOfLimit(key);
  return host === undefined ? key : limitOfHost(`${vnfInstanceId}/${host}`);
}
