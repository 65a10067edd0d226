/** How soon TCP finds out who is gone. HAProxy 2.0 does not know these lines. */
const CLIENTS = ['clitcpka-idle 30s', 'clitcpka-intvl 10s', 'clitcpka-cnt 3'];
const SERVERS = ['srvtcpka-idle 10s', 'srvtcpka-intvl 5s', 'srvtcpka-cnt 3'];

/**
 * The sections `global` and `defaults` of every HAProxy of ours: of the masters' own, and of the one before a cluster.
 * @param may whether HAProxy may be `old`: it holds nothing then that HAProxy 2.0 does not know
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
