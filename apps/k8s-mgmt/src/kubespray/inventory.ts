import { targetOf } from '@windlass/driver-kit';
import { Secret } from '@windlass/foundation';
import type { NodeInput } from '../cluster/node-input.js';
import { fitting } from '../node/given-words.js';
import type { GroupNames, PlaybookStepInput } from './ansible-input.js';
import type { InventoryFormat } from './parameters.js';
import { quoted, UNSAFE } from './yaml-text.js';

/** The inventory's file in a VNF instance's folder. */
export const inventoryFile = (folder: string, format: InventoryFormat): string => `${folder}/hosts.${format}`;

/** Files of known host keys: those that were given before the first connection, and those that nodes showed at it. */
export const knownHostsFiles = (folder: string): { seen: string; given: string } => ({
  seen: `${folder}/known_hosts`,
  given: `${folder}/known_hosts.given`,
});

/** The name under which ssh keeps a node's host key: the VM's id, so that a replaced VM at the same address has a key of its own. */
const keyAlias = ({ vnfc }: NodeInput): string => vnfc.resourceId.replaceAll(/[^A-Za-z0-9._-]/g, '_');

/** A node's name in the inventory. @throws TerminalError `kubespray.bad-host-name` */
const nameOf = ({ name }: Pick<NodeInput, 'name'>): string => fitting('kubespray', 'hostName', name, 'the name of a node');

/** Lines of a known_hosts file. */
export const knownHosts = (nodes: readonly NodeInput[]): string =>
  nodes.flatMap((node) => (node.vnfc.hostKeys ?? []).map((key) => `${keyAlias(node)} ${key}\n`)).join('');

/**
 * A host's variables in the inventory: how to reach it, and no password or key.
 * @throws TerminalError `kubespray.bad-address`, `kubespray.bad-user`
 */
export function hostVariables(node: NodeInput, nodes: readonly NodeInput[]): Record<string, string> {
  const { address, username } = targetOf(node);
  fitting('kubespray', 'address', address, `the address by which ${nameOf(node)} is logged in to`);
  fitting('kubespray', 'address', node.address, `the address of ${nameOf(node)} in the cluster's network`);
  fitting('kubespray', 'user', username, `the user who logs in to ${nameOf(node)}`);
  const masters = nodes.filter(({ role }) => role === 'master');
  const member = masters.findIndex(({ address: of }) => of === node.address);
  return {
    ansible_host: address,
    ip: node.address,
    ansible_user: username,
    ansible_ssh_common_args: `-o HostKeyAlias=${keyAlias(node)}`,
    ...(member === -1 ? {} : { etcd_member_name: `etcd${member + 1}` }),
  };
}

/**
 * The inventory as kubespray's sample has it, with the release's names of groups.
 * @throws TerminalError `kubespray.bad-host-name`, and as {@link hostVariables}
 */
export function inventory(nodes: readonly NodeInput[], groups: GroupNames, format: InventoryFormat): string {
  const hosts = nodes.map((node) => ({ name: nameOf(node), variables: hostVariables(node, nodes) }));
  const named = (role: NodeInput['role']): string[] => nodes.filter((node) => node.role === role).map(({ name }) => name);
  const members = { masters: named('master'), workers: named('worker') };
  return format === 'ini' ? asIni(hosts, members, groups) : asYaml(hosts, members, groups);
}

interface InventoryHost {
  name: string;
  variables: Record<string, string>;
}

interface Members {
  masters: string[];
  workers: string[];
}

function asYaml(hosts: readonly InventoryHost[], { masters, workers }: Members, groups: GroupNames): string {
  const group = (name: string, members: readonly string[]): string[] => [
    `    ${name}:`,
    ...(members.length === 0
      ? ['      hosts: {}']
      : ['      hosts:', ...members.map((member) => `        ${quoted(member)}: {}`)]),
  ];
  const lines = [
    'all:',
    '  hosts:',
    ...hosts.flatMap(({ name, variables }) => [
      `    ${quoted(name)}: ${UNSAFE}`,
      ...Object.entries(variables).map(([key, value]) => `      ${key}: ${quoted(value)}`),
    ]),
    '  children:',
    ...group(groups.masters, masters),
    ...group('etcd', masters),
    ...group(groups.workers, workers),
    ...group(groups.routeReflectors, []),
    `    ${groups.cluster}:`,
    '      children:',
    ...[groups.masters, groups.workers, groups.routeReflectors].map((child) => `        ${child}: {}`),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * INI can't mark a value as no template, and Ansible reads values as Python's: a user may be called `None`. So each value is a Python string within
 * the line's own quotes. No value holds a quote, a brace or a backslash: {@link hostVariables} lets only addresses and users' names through.
 */
function asIni(hosts: readonly InventoryHost[], { masters, workers }: Members, groups: GroupNames): string {
  const value = (text: string): string => `"'${text}'"`;
  const sections: [string, readonly string[]][] = [
    [
      'all',
      hosts.map(({ name, variables }) =>
        [name, ...Object.entries(variables).map(([key, text]) => `${key}=${value(text)}`)].join(' '),
      ),
    ],
    [groups.masters, masters],
    ['etcd', masters],
    [groups.workers, workers],
    [groups.routeReflectors, []],
    [`${groups.cluster}:children`, [groups.masters, groups.workers, groups.routeReflectors]],
  ];
  return sections.map(([name, lines]) => [`[${name}]`, ...lines, ''].join('\n')).join('\n');
}

/** A private key that a job brings along, under the name of its file. */
export interface KeyFile {
  name: string;
  key: Secret;
}

/**
 * A second inventory, for the time of a job: passwords, or the paths of keys. It is one line, because each line of a secret is masked wherever it is
 * printed. A password is marked, so that Ansible never reads it as a template.
 * @param pathOf the path of a file in the job's folder
 * @throws TerminalError `kubespray.bad-host-name`
 */
export function logins(nodes: readonly NodeInput[], pathOf: (file: string) => string): { inventory: Secret; keys: KeyFile[] } {
  const keys: KeyFile[] = [];
  const hosts = nodes.map((node, at) => {
    const { password, privateKey } = targetOf(node);
    const variables: string[] = [];
    if (privateKey !== undefined) {
      const name = `key-${at + 1}`;
      keys.push({ name, key: new Secret(`${privateKey.reveal().trimEnd()}\n`) });
      variables.push(`ansible_ssh_private_key_file: ${quoted(pathOf(name))}`);
    }
    if (password !== undefined) {
      const secret = quoted(password.reveal());
      // Beside a key, the password is for sudo only.
      if (privateKey === undefined) variables.push(`ansible_password: ${secret}`);
      variables.push(`ansible_become_password: ${secret}`);
    }
    return `${quoted(nameOf(node))}: ${UNSAFE} {${variables.join(', ')}}`;
  });
  return { inventory: new Secret(`{all: {hosts: {${hosts.join(', ')}}}}\n`), keys };
}

/**
 * Extra variables of a job: the proxies, whose URLs may hold passwords. kubespray itself keeps nodes and services away from proxies; the request's
 * own exceptions go to its `additional_no_proxy`. In one line, as {@link logins}. Undefined without a proxy.
 */
export function proxyVariables(proxy: PlaybookStepInput['proxy']): Secret | undefined {
  const { http_proxy: http = '', https_proxy: https = '', no_proxy: own = '', k8s_node_cidr: nodes = '' } = proxy;
  if (http === '' && https === '') return undefined;
  const around = [...own.split(/[,\s]+/), nodes].filter((entry) => entry !== '').join(',');
  const variables = Object.entries({ http_proxy: http, https_proxy: https, additional_no_proxy: around });
  const given = variables.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${quoted(value)}`);
  return new Secret(`${UNSAFE} {${given.join(', ')}}\n`);
}
