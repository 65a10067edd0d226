import type { VimChoice } from './records.js';

const VIM = 'vim:';
const HOST = 'host:';
const IMAGE = 'image:';

/**
 * Under what the steps on a VIM are counted together. A registered VIM's id is the registry's; the name of one that only a request describes is its
 * tenant's word, and counts for that tenant alone.
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

/** Under what the uploads of one shared image are counted: there is one place. @param key by which it is shared */
export const limitOfImage = (key: string): string => `${IMAGE}${key}`;

/** As it counts: two VIMs may give two machines one id, and a hostile one gives that of another tenant's. A machine is one VNF instance's. */
export function countedAs(vnfInstanceId: string, key: string): string {
  const host = hostOfLimit(key);
  return host === undefined ? key : limitOfHost(`${vnfInstanceId}/${host}`);
}
