import { targetOf } from '@windlass/driver-kit';
import { describe, expect, it } from 'vitest';
import type { NodeInput } from '../cluster/node-input.js';
import { scaled, vnfc } from '../testing/requests.js';
import { inventory, knownHosts, logins, proxyVariables } from './inventory.js';
import { bench } from './testing/bench.js';
import { readByAnsible } from './testing/read-by-ansible.js';
import { validateRequest, plainParams, PARAMS } from './testing/requests.js';

const node = (role: NodeInput['role'], n: number, address: string): NodeInput => ({
  name: `${role}-${address.replaceAll('.', '-')}`,
  role,
  address,
  vnfc: vnfc(role, n, address),
  sshCp: role === 'master' ? 'masterNode_CP1' : 'workerNode_CP2',
  username: 'ubuntu',
  password: `{{ it's "quoted" }}`,
});
const NODES = [node('master', 1, '10.10.0.24'), node('worker', 1, '10.10.0.31')];
const NEW = { masters: 'kube_control_plane', workers: 'kube_node', cluster: 'k8s_cluster', routeReflectors: 'calico_rr' };

describe('an inventory', () => {
  it('has the hosts, variables and groups of kubespray’s sample, and no password', () => {
    const text = inventory(NODES, NEW, 'yaml');
    expect(text).not.toMatch(/password|quoted/);
    expect(readByAnsible(text)).toEqual({
      all: {
        hosts: {
          'master-10-10-0-24': {
            ansible_host: '10.10.0.24',
            ip: '10.10.0.24',
            ansible_user: 'ubuntu',
            ansible_ssh_common_args: '-o HostKeyAlias=server-master-1',
            etcd_member_name: 'etcd1',
          },
          'worker-10-10-0-31': {
            ansible_host: '10.10.0.31',
            ip: '10.10.0.31',
            ansible_user: 'ubuntu',
            ansible_ssh_common_args: '-o HostKeyAlias=server-worker-1',
          },
        },
        children: {
          kube_control_plane: { hosts: { 'master-10-10-0-24': {} } },
          etcd: { hosts: { 'master-10-10-0-24': {} } },
          kube_node: { hosts: { 'worker-10-10-0-31': {} } },
          calico_rr: { hosts: {} },
          k8s_cluster: { children: { kube_control_plane: {}, kube_node: {}, calico_rr: {} } },
        },
      },
    });
  });

  it('in INI has the sections of the document’s sample, whose release has some names of old', () => {
    const groups = { ...NEW, workers: 'kube-node', cluster: 'k8s-cluster', routeReflectors: 'calico-rr' };
    const sections = [...inventory(NODES, groups, 'ini').matchAll(/^\[(.*)\]$/gm)].map(([, name]) => name);
    expect(sections).toEqual(['all', 'kube_control_plane', 'etcd', 'kube-node', 'calico-rr', 'k8s-cluster:children']);
  });

  it('gets passwords for a job alone, in one line, each marked as no template', () => {
    const text = logins(NODES, (name) => `/job/${name}`).inventory.reveal();
    expect(text.trimEnd()).not.toContain('\n');
    const password = JSON.stringify(targetOf(NODES[0]!).password!.reveal());
    for (const { name } of NODES) expect(text).toContain(`"${name}": !unsafe {ansible_password: ${password}, `);
  });

  it('knows keys that are known beforehand by the VM, not by the address', () => {
    const known = { ...NODES[0]!, vnfc: { ...NODES[0]!.vnfc, hostKeys: ['ssh-ed25519 AAAA'] } };
    expect(knownHosts([known, NODES[1]!])).toBe('server-master-1 ssh-ed25519 AAAA\n');
  });

  it('adds what the request goes around proxies for to kubespray’s own, and sends no proxy where there is none', () => {
    const proxy = { http_proxy: 'http://u:p@proxy:3128', no_proxy: '10.0.0.1', k8s_node_cidr: '10.10.0.0/24' };
    expect(readByAnsible(proxyVariables(proxy)!.reveal())).toEqual({
      http_proxy: 'http://u:p@proxy:3128',
      additional_no_proxy: '10.0.0.1,10.10.0.0/24',
    });
    expect(proxyVariables({ no_proxy: '10.0.0.1' })).toBeUndefined();
  });
});

describe('a worker that the Ansible server does not reach', () => {
  it('is taken out without being touched, from an inventory that still has it, and the operation says so', async () => {
    const made = bench({ hook: scaled('scale_start') });
    made.world.begin('server-master-1', 'master-10-10-0-24', '10.10.0.24');
    made.world.listed.set('worker-10-10-0-32', { ready: false, address: '10.10.0.32' });
    made.ansible.away.add('worker-10-10-0-32');
    await made.runner.run();
    const [removal, ...others] = made.ansible.runs.filter(({ playbook }) => playbook === 'remove-node.yml');
    expect(others).toEqual([]);
    expect(removal!.hosts).toContain('worker-10-10-0-32');
    // A text 'false' is true to a playbook that does not convert it, and newer Ansibles take no text for a condition.
    const node = 'worker-10-10-0-32';
    const extra = { node, delete_nodes_confirmation: 'yes', skip_confirmation: true };
    expect(removal!.words).toContain(JSON.stringify({ ...extra, reset_nodes: false, allow_ungraceful_removal: true }));
    expect(made.world.listed.has('worker-10-10-0-32')).toBe(false);
    expect(made.runner.outputs.get('remove-workers')).toMatchObject({
      notes: [expect.stringContaining('did not reach worker-10-10-0-32')],
    });
  });
});

describe('an Ansible server that lacks something', () => {
  it.each([
    ['sshpass', { programs: ['ansible', 'ansible-playbook'] }, /it has no sshpass.*install the package sshpass/],
    ['ansible-playbook', { programs: ['ansible', 'sshpass'] }, /it has no ansible-playbook.*requirements\.txt/],
    ['a playbook', { playbooks: new Set(['scale.yml']) }, /kubespray's cluster\.yml is not in .*correct kubespray_root_path/],
  ])('is told of %s before anything is begun', async (_what, lacks, said) => {
    const made = bench();
    Object.assign(made.ansible, lacks);
    await expect(made.runner.performOnce('check-ansible')).rejects.toThrow(said);
  });
});

describe('a request', () => {
  const checked = (change: (cluster: Record<string, Record<string, unknown>>) => void) => {
    const params = plainParams();
    change(params[PARAMS] as Record<string, Record<string, unknown>>);
    return bench({ params: plainParams() }).driver.validate(validateRequest(params));
  };

  it.each([
    ['a placeholder for the server', 'ip_address', '0.0.0.0'],
    ['no address', 'ip_address', 'ansible.example'],
  ])('with %s is refused at its path', (_what, field, value) => {
    const { invalidParams } = checked(({ ansible }) => (ansible![field] = value));
    expect(invalidParams.map(({ path }) => path)).toEqual([`/additionalParams/${PARAMS}/ansible/${field}`]);
  });

  it('with an empty script_path is taken, and CIDRs with host bits are normalised with a warning', () => {
    const { invalidParams, warnings } = checked(() => undefined);
    expect(invalidParams).toEqual([]);
    expect(warnings).toContain('pod_cidr 192.168.3.0/16 was taken as 192.168.0.0/16');
  });
});
