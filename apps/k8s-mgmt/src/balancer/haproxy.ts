import { createHash } from 'node:crypto';
import { BALANCED_PORT, serverLine, type Configuration, type LoadBalancer } from './load-balancer.js';
import { sections } from './sections.js';

/** The socket at which HAProxy tells root the digest of its configuration, and thereby that it runs. */
export const ANSWERS_AT = '/run/haproxy/windlass.sock';

/**
 * HAProxy's whole configuration. The order of the back ends does not change it.
 * A back end is ready when its API server says so at `/readyz`, or answers that a stranger may not ask (401, 403).
 * A slow answer is waited for, and a host that does not answer is given up soon: a second to connect, three more for the answer.
 * A back end that returns is ready after its third good answer, a second later: a freshly started API server answers 403 to everybody until it knows
 * its roles.
 * Where no back end is ready, a connection goes to any of them: three API servers too busy for a check are a slow cluster, not a dead one.
 * @throws as {@link serverLine}
 */
export function haproxyConfiguration({ backends }: Pick<LoadBalancer, 'backends'>): Configuration {
  const lines = backends.map(serverLine).sort();
  const digest = createHash('sha256').update(text(lines, '')).digest('hex');
  return { text: text(lines, digest), digest };
}

const text = (servers: readonly string[], digest: string): string => `# windlass: the load balancer of the cluster's API
# Written whole by Windlass at each change of the masters: what is changed here by hand is lost.
${sections('new')}
frontend kubernetes-api
    bind *:${BALANCED_PORT} tcp-ut 30s
    use_backend any-master if { nbsrv(ready-masters) eq 0 }
    default_backend ready-masters

backend ready-masters
    balance leastconn
    option httpchk
    http-check send meth GET uri /readyz
    http-check expect rstatus ^(200|401|403)$
    default-server check-ssl verify none inter 2s fastinter 500ms downinter 1s fall 3 rise 3 tcp-ut 20s
${servers.map((line) => `    ${line} check\n`).join('')}
backend any-master
    balance leastconn
    default-server tcp-ut 20s
${servers.map((line) => `    ${line}\n`).join('')}
frontend which-configuration
    mode http
    timeout client 5s
    bind unix@${ANSWERS_AT} mode 600 user root
    http-request return status 200 content-type text/plain string "${digest}"
`;
