import { createHash } from 'node:crypto';
import { haproxyConfiguration } from './haproxy.js';
import { ANSWERS, keepalivedConfiguration, type KeepalivedGiven } from './keepalived.js';
import type { LoadBalancer } from './load-balancer.js';
import { KEEPALIVED_RESTART, LOAD_BALANCER_ANSWERS } from './scripts.js';

/** What a node of a load balancer has. */
export interface BalancerFiles {
  /** Contents, in the order in which the scripts take them. */
  contents: readonly { name: string; path: string; content: string }[];
  /** Digests of the two configurations: the running HAProxy and keepalived show which one they run with. */
  digests: readonly [haproxy: string, keepalived: string];
  /** As `sha256sum --check` reads it. */
  sums: string;
}

/** @throws as {@link haproxyConfiguration} and {@link keepalivedConfiguration} */
export function balancerFiles(given: KeepalivedGiven & { balancer: LoadBalancer }): BalancerFiles {
  const haproxy = haproxyConfiguration(given.balancer);
  const keepalived = keepalivedConfiguration(given);
  const contents = [
    { name: 'haproxy.cfg', path: '/etc/haproxy/haproxy.cfg', content: haproxy.text },
    { name: 'keepalived.conf', path: '/etc/keepalived/keepalived.conf', content: keepalived.text },
    { name: 'answers', path: ANSWERS, content: LOAD_BALANCER_ANSWERS },
    { name: 'restart', path: '/etc/systemd/system/keepalived.service.d/windlass.conf', content: KEEPALIVED_RESTART },
  ];
  const sum = (content: string): string => createHash('sha256').update(content).digest('hex');
  return {
    contents,
    digests: [haproxy.digest, keepalived.digest],
    sums: contents.map(({ path, content }) => `${sum(content)}  ${path}`).join('\n'),
  };
}
