import { Secret } from '@windlass/foundation';
import type { RegistryProxies } from './parameters.js';

/** systemd's EnvironmentFile with what is given of the proxies; empty without any. The schema let no quote and no blank but in lists into them. */
export function proxyEnvironmentFile({ http_proxy: http, https_proxy: https, no_proxy: none }: RegistryProxies): Secret {
  const lines = Object.entries({ HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: none }).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${value}\n`],
  );
  return new Secret(lines.join(''));
}
