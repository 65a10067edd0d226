import { createHash } from 'node:crypto';
import { BALANCED_PORT, serverLine, type Configuration, type LoadBalancer } from './load-balancer.js';

/** Where HAProxy says to root which configuration it runs with, and that it runs. */
export const ANSWERS_AT = '/run/haproxy/windlass.sock';

/**
 * HAProxy's configuration, whole. The same back ends in another order give the same one.
 *
 * A back end is ready when its API server says so (`/readyz`), or says that it wouldn't tell a stranger (401, 403). A slow answer is waited
 * for, a host that does not answer at all is given up soon: connecting has a second, the answer three more. Where none is ready each
 * connection goes to any of them: three API servers too busy to answer a check are a slow cluster, not one that is gone.
 */
export function haproxyConfiguration({ backends }: Pick<LoadBalancer, 'backends'>): Configuration {
  const lines = backends.map(serverLine).sort();
  const digest = createHash('sha256').update(text(lines, '')).digest('hex');
  return { text: text(lines, digest), digest };
}

const text = (servers: readonly string[], digest: string): string => `# windlass: the load balancer of the cluster's API
# Written whole by Windlass at each change of the masters: what is changed here by hand is lost.
global
    log /dev/log local0 notice
    chroot /var/lib/haproxy
    user haproxy
    group haproxy
    maxconn 8000
    # A reload leaves connections to the process that has them, for so long.
    hard-stop-after 1h
    # For root of this machine. Nothing of HAProxy's own is served on the network.
    stats socket /run/haproxy/admin.sock mode 600 level admin

defaults
    log global
    mode tcp
    option dontlognull
    option redispatch 1
    retries 3
    timeout connect 1s
    timeout check 3s
    # Watches and terminals may be silent for long; who is really gone is found out by TCP.
    timeout client 4h
    timeout server 4h
    option clitcpka
    clitcpka-idle 30s
    clitcpka-intvl 10s
    clitcpka-cnt 3
    option srvtcpka
    srvtcpka-idle 10s
    srvtcpka-intvl 5s
    srvtcpka-cnt 3

frontend kubernetes-api
    bind *:${BALANCED_PORT} tcp-ut 30s
    use_backend any-master if { nbsrv(ready-masters) eq 0 }
    default_backend ready-masters

backend ready-masters
    balance leastconn
    option httpchk
    http-check send meth GET uri /readyz
    http-check expect rstatus ^(200|401|403)$
    default-server check-ssl verify none inter 2s fastinter 500ms downinter 1s fall 3 rise 1 tcp-ut 20s
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
