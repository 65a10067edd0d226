import { Secret, TerminalError } from '@windlass/foundation';

/** Proxies of a machine; user and password may stand in the URLs. An empty one is none. */
export interface Proxies {
  http_proxy?: string;
  https_proxy?: string;
}

/**
 * `apt.conf` with the proxies; empty without any.
 * @throws TerminalError `node.proxy-malformed` for what apt would read as something else
 */
export function aptProxy({ http_proxy: http, https_proxy: https }: Proxies): Secret {
  const line = (scheme: string, url: string | undefined): string[] => {
    if (url === undefined || url === '') return [];
    if (!/^https?:\/\/[^\s"\\]+$/.test(url))
      throw new TerminalError(
        'node.proxy-malformed',
        `the ${scheme} proxy is no URL without quotes, blanks and backslashes, such as http://proxy.example.com:3128: correct the request`,
      );
    return [`Acquire::${scheme}::Proxy "${url}";\n`];
  };
  return new Secret([...line('http', http), ...line('https', https)].join(''));
}

/** What must not be shown of proxies: the user parts. */
export function proxySecrets(proxy: Proxies): Secret[] {
  return [proxy.http_proxy, proxy.https_proxy].flatMap((url) => {
    const user = /^https?:\/\/([^@/]+)@/.exec(url ?? '')?.[1];
    return user === undefined ? [] : [new Secret(user)];
  });
}
