import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeInput } from '../cluster/node-input.js';
import { vnfc } from '../testing/requests.js';
import { inventory, logins, proxyVariables } from './inventory.js';
import { groupVariables } from './prepare-inventory.action.js';
import { quoted, UNSAFE } from './yaml-text.js';

const GROUPS = { masters: 'kube_control_plane', workers: 'kube_node', cluster: 'k8s_cluster', routeReflectors: 'calico_rr' };
const node = (username: string, password: string): NodeInput => ({
  name: 'master-10-10-0-24',
  role: 'master',
  address: '10.10.0.24',
  vnfc: vnfc('master', 1, '10.10.0.24'),
  sshCp: 'masterNode_CP1',
  username,
  password,
});

/** Each would be something else to YAML, Python or Jinja. */
const TEXTS = [
  '{{ 1 + 1 }}',
  `{{ lookup('pipe', 'id') }}`,
  '{% if true %}x{% endif %}',
  ...['0123', '1e3', 'yes', 'None', 'null', '~', '', '[1]', '{"a": 1}', '!vault x'],
  `it's "quoted" \\ # no: comment`,
  'a\nb\tc',
  'a\u2028b\u0085c\u007fd\ufeffe',
  '😀 ü',
];

describe('a real Ansible', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'windlass-unsafe-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  /** As the driver has it run. */
  const ran = (program: string, ...words: string[]): string =>
    execFileSync(program, words, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, HOME: folder, LC_ALL: 'C.UTF-8', ANSIBLE_NOCOLOR: '1', ANSIBLE_INVENTORY_ENABLED: 'yaml,ini' },
    });

  /** What a task sees of an expression, on the one host. */
  function seen(expression: string, ...words: string[]): unknown {
    const said = ran('ansible', ...words, 'all', '-c', 'local', '-m', 'debug', '-a', `msg="{{ ${expression} }}"`);
    return (JSON.parse(said.slice(said.indexOf('{'))) as { msg: unknown }).msg;
  }

  it('takes every text of others as that text, where a task uses it', () => {
    const told = `{all: {hosts: {a: {told: ${UNSAFE} [${TEXTS.map(quoted).join(', ')}]}}}}\n`;
    expect(seen('told', '-i', file('told.yaml', told))).toEqual(TEXTS);
    // Without the mark, the first is what it comes to: this test can fail.
    const plain = `{all: {hosts: {a: {told: ${JSON.stringify(TEXTS[0])}}}}}\n`;
    expect(String(seen('told', '-i', file('plain.yaml', plain)))).toBe('2');
  });

  it.each(['{{ 1 + 1 }}', '0123', 'yes', '1e3'])('logs in by the password %s as it is', (password) => {
    const nodes = [node('ubuntu', password)];
    const files = ['-i', file('hosts.yaml', inventory(nodes, GROUPS, 'yaml'))];
    files.push('-i', file('logins.yaml', logins(nodes, (name) => name).inventory.reveal()));
    expect(seen('[ansible_password, ansible_become_password, ansible_host]', ...files)).toEqual([
      password,
      password,
      '10.10.0.24',
    ]);
  });

  it.each(['ubuntu', 'None', 'True', 'yes', 'null'])(
    'finds the same hosts in both forms of an inventory, for the user %s',
    (user) => {
      const variables = (format: 'yaml' | 'ini') => {
        const listed = ran(
          'ansible-inventory',
          '-i',
          file(`hosts.${format}`, inventory([node(user, 'p')], GROUPS, format)),
          '--list',
        );
        return (JSON.parse(listed) as { _meta: { hostvars: Record<string, Record<string, unknown>> } })._meta.hostvars;
      };
      const plain = {
        ansible_host: '10.10.0.24',
        ip: '10.10.0.24',
        ansible_user: user,
        ansible_ssh_common_args: '-o HostKeyAlias=server-master-1',
        etcd_member_name: 'etcd1',
      };
      expect(variables('ini')).toEqual({ 'master-10-10-0-24': plain });
      const marked = Object.entries(plain).map(([name, value]) => [name, { __ansible_unsafe: value }] as const);
      expect(variables('yaml')).toEqual({ 'master-10-10-0-24': Object.fromEntries(marked) });
    },
  );

  it('reads proxies and group variables of others as texts, and still reckons with them', () => {
    const inventoryFile = file('one.yaml', '{all: {hosts: {a: {}}}}\n');
    const proxies = file('proxies.yaml', proxyVariables({ http_proxy: 'http://u:{{ 1 + 1 }}@h:1', no_proxy: '0123' })!.reveal());
    const variables = { podCidr: '10.0.0.0/16', addresses: ['192.0.2.1', '2001:db8::1'] };
    const group = file('group.yml', groupVariables(variables, 1500, 'an-instance'));
    const parts = [
      ...['http_proxy', 'additional_no_proxy', `kube_pods_subnet.split('/')[1] | int + 8`, 'calico_mtu'],
      `['127.0.0.1'] + supplementary_addresses_in_ssl_keys`,
      'supplementary_addresses_in_ssl_keys | to_json | length',
    ];
    const expression = `[${parts.join(', ')}]`;
    expect(seen(expression, '-i', inventoryFile, '-e', `@${proxies}`, '-e', `@${group}`)).toEqual([
      'http://u:{{ 1 + 1 }}@h:1',
      '0123',
      24,
      1450,
      ['127.0.0.1', '192.0.2.1', '2001:db8::1'],
      '["192.0.2.1", "2001:db8::1"]'.length,
    ]);
  });
});
