/** How soon TCP finds a peer that is gone. HAProxy 2.0 does not know these lines. */
const CLIENTS = ['clitcpka-idle 30s', 'clitcpka-intvl 10s', 'clitcpka-cnt 3'];
const SERVERS = ['srvtcpka-idle 10s', 'srvtcpka-intvl 5s', 'srvtcpka-cnt 3'];

/**
 * The sections `global` and `defaults` of each HAProxy that Windlass configures: on the masters, and on the load balancer outside a cluster.
 * @param may `old` where HAProxy may be as old as 2.0: lines that 2.0 does not know are left out
 */
export const sections = (may: 'old' | 'new'): string => {
  const since = (lines: readonly string[]): string => (may === 'old' ? '' : lines.map((line) => `    ${line}\n`).join(''));
  return `global
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
${since(CLIENTS)}    option srvtcpka
${since(SERVERS)}`;
};
