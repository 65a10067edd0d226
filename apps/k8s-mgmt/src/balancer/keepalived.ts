import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { TerminalError } from '@windlass/foundation';
import { fitting, shownWord } from '../node/given-words.js';
import type { Configuration, LoadBalancer } from './load-balancer.js';

/** keepalived's question to the local HAProxy; see LOAD_BALANCER_ANSWERS. */
export const ANSWERS = '/usr/local/lib/windlass/load-balancer-answers';

/** The link of a node that has its address in the cluster's network. */
export interface Link {
  name: string;
  prefixLength: number;
}

/**
 * Reads what `ip -o -4 addr show to <address>` prints of a node.
 * @throws TerminalError `node.no-link` where no link has the address
 */
export function readLink(printed: string, node: { name: string; address: string }): Link {
  for (const line of printed.split('\n')) {
    const [, name, , address = ''] = line.trim().split(/\s+/);
    const [found, prefixLength] = address.split('/');
    if (name !== undefined && found === node.address) return { name, prefixLength: Number(prefixLength ?? 32) };
  }
  throw new TerminalError(
    'node.no-link',
    `${node.name} has no link with the address ${node.address}, on which the virtual address could be: is it the address at nic_cp_name, and did the guest get it?`,
  );
}

/** What a node's keepalived is made of. */
export interface KeepalivedGiven {
  node: { name: string; address: string };
  link: Link;
  balancer: Pick<LoadBalancer, 'vip' | 'holders'>;
}

/**
 * keepalived's whole configuration on a node.
 * All nodes begin as BACKUP, and the holder of the address keeps it while it can (`nopreempt`): a node that returns moves nothing. Priorities decide
 * only which node takes over, in the order of addresses. They are 20 apart (40 ms of waiting), so that two nodes seldom take over at once.
 * A node may have the address while its own HAProxy answers. An API server has no say: a slow one would move the address.
 * @throws TerminalError `load-balancer.vip-elsewhere` where the virtual address is not of the link's network; `balancer.bad-name`,
 *   `balancer.bad-address`, `balancer.bad-link`, `balancer.bad-prefix-length`
 */
export function keepalivedConfiguration({ node, link, balancer: { vip, holders } }: KeepalivedGiven): Configuration {
  fitting('balancer', 'name', node.name, 'the name of a master');
  fitting('balancer', 'ipv4', node.address, `the address of ${node.name}`);
  fitting('balancer', 'link', link.name, `the link of ${node.name} that has ${node.address}`);
  fitting('balancer', 'prefixLength', link.prefixLength, `the prefix length of ${node.name}'s ${link.name}`);
  for (const holder of holders) fitting('balancer', 'ipv4', holder, 'the address of a holder of the virtual address');
  if (!isIPv4(vip) || network(vip, link.prefixLength) !== network(node.address, link.prefixLength))
    throw new TerminalError(
      'load-balancer.vip-elsewhere',
      `the virtual address ${shownWord(vip)} is not in the network of ${node.name}'s ${link.name} (${node.address}/${link.prefixLength}): cluster_cp_name has to be a port of the masters' network`,
    );
  const all = [...new Set([...holders, node.address])].sort((a, b) => number(a) - number(b));
  const values: KeepalivedValues = {
    node,
    link,
    vip,
    peers: all.filter((address) => address !== node.address),
    priority: Math.max(1, HIGHEST - STEP * all.indexOf(node.address)),
  };
  const digest = createHash('sha256').update(text(values, '')).digest('hex');
  return { text: text(values, digest), digest };
}

const HIGHEST = 240;
const STEP = 20;

/** VRRP's number for the address: two addresses of one /24 never have the same, and it is 1 to 255. */
export const routerId = (vip: string): number => number(vip) % 256 || 255;

interface KeepalivedValues {
  node: { name: string; address: string };
  link: Link;
  vip: string;
  peers: readonly string[];
  priority: number;
}

// A holder sends an advert each half second. A backup takes over after three missed adverts: a busy machine may be 1.5 s late.
const text = (
  { node, link, vip, peers, priority }: KeepalivedValues,
  digest: string,
): string => `# windlass: the virtual address of the cluster's API
# Written whole by Windlass at each change of the masters: what is changed here by hand is lost.
global_defs {
    router_id ${node.name}
    vrrp_version 3
    script_user root
    enable_script_security
}

vrrp_script haproxy_answers {
    script "${ANSWERS} ${digest}"
    user root
    interval 1
    timeout 2
    fall 2
    rise 1
}

vrrp_instance kubernetes_api {
    state BACKUP
    nopreempt
    interface ${link.name}
    virtual_router_id ${routerId(vip)}
    priority ${priority}
    advert_int 0.5
    check_unicast_src
    unicast_src_ip ${node.address}
    unicast_peer {
${peers.map((address) => `        ${address}\n`).join('')}    }
    garp_master_delay 1
    garp_master_repeat 3
    garp_master_refresh 30
    garp_master_refresh_repeat 1
    virtual_ipaddress {
        ${vip}/${link.prefixLength} dev ${link.name}
    }
    track_script {
        haproxy_answers
    }
}
`;

const number = (address: string): number => address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
const network = (address: string, prefixLength: number): number => Math.floor(number(address) / 2 ** (32 - prefixLength));
