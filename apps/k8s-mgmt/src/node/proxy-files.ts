import { Secret } from '@windlass/foundation';
import type { ProxyInput } from '../cluster/node-input.js';

const given = (url: string | undefined): url is string => url !== undefined && url !== '';

/** systemd's EnvironmentFile with the proxies; empty without any. */
export function proxyEnvironmentFile(proxy: ProxyInput, noProxy: string): Secret {
  const lines = Object.entries(proxyEnvironment(proxy, noProxy)).map(([name, value]) => `${name}=${plain(value)}\n`);
  return new Secret(lines.join(''));
}

/** The variables that programs of every kind read, in both spellings; none without a proxy. */
export function proxyEnvironment(
  { http_proxy: http, https_proxy: https }: ProxyInput,
  noProxy: string,
): Record<string, string | Secret> {
  if (!given(http) && !given(https)) return {};
  const variables = {
    ...(given(http) ? { http_proxy: new Secret(http) } : {}),
    ...(given(https) ? { https_proxy: new Secret(https) } : {}),
    no_proxy: noProxy,
  };
  return { ...variables, ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name.toUpperCase(), value])) };
}

/** The addresses to reach without a proxy, in both spellings, without the proxies themselves; empty without any. */
export function noProxyEnvironment(
  { http_proxy: http, https_proxy: https }: ProxyInput,
  noProxy: string,
): Record<string, string> {
  return given(http) || given(https) ? { no_proxy: noProxy, NO_PROXY: noProxy } : {};
}

const plain = (value: string | Secret): string => (value instanceof Secret ? value.reveal() : value);
