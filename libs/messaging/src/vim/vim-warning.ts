import { isIPv4 } from 'node:net';

/** A warning about a VIM's address, for people; undefined where there is nothing to warn of. @param authUrl a URL that was checked */
export function vimWarning(authUrl: string): string | undefined {
  const { protocol, hostname, origin } = new URL(authUrl);
  if (protocol !== 'http:' || isLoopback(hostname)) return undefined;
  return `${origin} is http: whoever sits on the way reads the VIM's passwords and tokens and can answer in its place; register an https URL`;
}

/** Whether requests to the address never leave this machine. */
const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
