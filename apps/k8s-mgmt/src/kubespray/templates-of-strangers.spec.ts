import type { Vnfc } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import type { NodeInput } from '../cluster/node-input.js';
import { scaled, vnfc } from '../testing/requests.js';
import { hostile, jobsOf } from '../testing/hostile-words.js';
import { checkHeal, checkScale } from './check-request.js';
import { inventory, logins, proxyVariables } from './inventory.js';
import { groupVariables } from './prepare-inventory.action.js';
import { bench } from './testing/bench.js';
import { readByAnsible } from './testing/read-by-ansible.js';
import { filledParams, FOLDER, PARAMS, plainParams, validateRequest } from './testing/requests.js';

const GROUPS = { masters: 'kube_control_plane', workers: 'kube_node', cluster: 'k8s_cluster', routeReflectors: 'calico_rr' };
const NODE: NodeInput = {
  name: 'master-10-10-0-24',
  role: 'master',
  address: '10.10.0.24',
  vnfc: vnfc('master', 1, '10.10.0.24'),
  sshCp: 'masterNode_CP1',
  username: 'ubuntu',
};
const withFloatingIp = (of: Vnfc, floatingIp: string): Vnfc => ({ ...of, cps: of.cps.map((cp) => ({ ...cp, floatingIp })) });
const loggedInToAt = (floatingIp: string): NodeInput => ({ ...NODE, vnfc: withFloatingIp(NODE.vnfc, floatingIp) });

const refusal = (code: string) => {
  const message = expect.stringMatching(/^[^\n\r\0]{20,400}$/) as string;
  return expect.objectContaining({ name: 'TerminalError', code, message }) as Error;
};

const TEMPLATE = `{{ lookup('pipe', 'id') }}`;

describe.each(['yaml', 'ini'] as const)('an inventory in %s', (format) => {
  const written = (node: NodeInput) => inventory([node], GROUPS, format);

  // None: the address of the port is taken.
  it.each(hostile('address').filter(([shown]) => !['undefined', 'null'].includes(shown)))(
    'has no node that is logged in to at %s',
    (_shown, address) => {
      expect(() => written(loggedInToAt(address))).toThrow(refusal('kubespray.bad-address'));
    },
  );

  it.each(hostile('address'))('has no node whose address in the cluster is %s', (_shown, address) => {
    expect(() => written({ ...NODE, address })).toThrow(refusal('kubespray.bad-address'));
  });

  it.each(hostile('hostName'))('has no node of the name %s', (_shown, name) => {
    expect(() => written({ ...NODE, name })).toThrow(refusal('kubespray.bad-host-name'));
  });

  it.each(hostile('user'))('has no node that %s logs in to', (_shown, username) => {
    expect(() => written({ ...NODE, username })).toThrow(refusal('kubespray.bad-user'));
  });

  it('has no word of the id of a VM but what stands in a name', () => {
    const node = { ...NODE, vnfc: { ...NODE.vnfc, resourceId: TEMPLATE } };
    expect(written(node)).toContain('HostKeyAlias=___lookup__pipe____id_____');
  });
});

describe('what is written for Ansible of others', () => {
  it('is marked as no template, each value of it', () => {
    const lines = inventory([NODE], GROUPS, 'yaml').split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'all:',
      '  hosts:',
      '    "master-10-10-0-24": !unsafe',
      '      ansible_host: "10.10.0.24"',
    ]);
    const variables = { podCidr: '10.0.0.0/16', serviceCidr: '10.1.0.0/16', addresses: ['192.0.2.1', '2001:db8::1'] };
    expect(groupVariables(variables, undefined, 'an-instance').split('\n').slice(2, -1)).toEqual([
      'kube_pods_subnet: !unsafe "10.0.0.0/16"',
      'kube_service_addresses: !unsafe "10.1.0.0/16"',
      'supplementary_addresses_in_ssl_keys: !unsafe ["192.0.2.1", "2001:db8::1"]',
    ]);
    expect(logins([{ ...NODE, password: 'p' }], (name) => name).inventory.reveal()).toBe(
      '{all: {hosts: {"master-10-10-0-24": !unsafe {ansible_password: "p", ansible_become_password: "p"}}}}\n',
    );
    expect(proxyVariables({ http_proxy: 'p' })!.reveal()).toBe('!unsafe {http_proxy: "p"}\n');
  });

  it.each([TEMPLATE, '0123', 'yes', '1e3', '~', '{% if x %}', `it's "quoted" \\ # no: comment`, 'a\u2028b\u0085c\u007fd', '😀'])(
    'is the same text again, as a password and as a proxy: %j',
    (text) => {
      const { inventory: written } = logins([{ ...NODE, password: text }], (name) => name);
      expect(written.reveal()).toMatch(/^[^\n\u007f-\u009f\u2028]*\n$/);
      expect(readByAnsible(written.reveal())).toEqual({
        all: { hosts: { [NODE.name]: { ansible_password: text, ansible_become_password: text } } },
      });
      expect(readByAnsible(proxyVariables({ http_proxy: text })!.reveal())).toEqual({ http_proxy: text });
    },
  );

  it.each(hostile('address'))('has no certificate’s address that is %s', (_shown, address) => {
    const variables = { addresses: ['192.0.2.1', address] };
    expect(() => groupVariables(variables, 1450, 'an-instance')).toThrow(refusal('kubespray.bad-address'));
  });

  it.each(['podCidr', 'serviceCidr'])('has no range that is a template: %s', (field) => {
    expect(() => groupVariables({ addresses: [], [field]: TEMPLATE }, 1450, 'an-instance')).toThrow(
      refusal('kubespray.bad-range'),
    );
  });

  it.each(hostile('hostName'))('has no login of a node of the name %s', (_shown, name) => {
    expect(() => logins([{ ...NODE, name, password: 'p' }], (file) => file)).toThrow(refusal('kubespray.bad-host-name'));
  });
});

describe('an Ansible server', () => {
  it('gets no file where a VIM says a template for a floating address', async () => {
    const made = bench({ hook: { vnfcs: [withFloatingIp(vnfc('master', 1, '10.10.0.24'), TEMPLATE)] } });
    await made.runner.performOnce('check-ansible');
    const begun = jobsOf(made.hosts);
    // The group variables have it for the API's certificate, and the inventory for the login.
    await expect(made.runner.performOnce('prepare-inventory')).rejects.toThrow(refusal('kubespray.bad-address'));
    made.ansible.machine.files.set(`${FOLDER}/.windlass`, { content: Buffer.from(''), mode: 0o600, owner: 'ansible' });
    await expect(made.runner.performOnce('write-inventory')).rejects.toThrow(refusal('kubespray.bad-address'));
    expect([...made.ansible.machine.files.keys()]).toEqual([`${FOLDER}/.windlass`]);
    expect(begun).toEqual([]);
  });

  it.each([
    ['run-playbook:scale', scaled('scale_end'), 'about'],
    ['remove-workers', scaled('scale_start'), 'leaving'],
  ] as const)('runs nothing for nodes whose names are no names: %s', async (id, hook, member) => {
    const made = bench({ hook });
    Object.assign(made.runner.step(id).input, { [member]: ['all,localhost'] });
    await made.runner.performOnce('check-ansible');
    const run = made.runner.action(id).apply(made.runner.runOf(id));
    await expect(run).rejects.toThrow(refusal('kubespray.bad-host-name'));
    expect(made.ansible.runs).toEqual([]);
  });

  it('that says of a host that nobody asked about that it is not reached is not believed', async () => {
    const made = bench({ hook: scaled('scale_start') });
    made.world.begin('server-master-1', 'master-10-10-0-24', '10.10.0.24');
    made.world.listed.set('worker-10-10-0-32', { ready: true, address: '10.10.0.32' });
    const failed = [{ host: 'all reset_nodes=true', task: 't', status: 'unreachable', message: 'm' }];
    made.ansible.instead.set('ansible', { status: 4, stdout: `${JSON.stringify({ event: 'end', failed, more: 0 })}\n` });
    await made.runner.run();
    const [removal, ...others] = made.ansible.runs.filter(({ playbook }) => playbook === 'remove-node.yml');
    expect([removal!.words, others]).toEqual([
      expect.arrayContaining([expect.stringContaining('"node":"worker-10-10-0-32"')]),
      [],
    ]);
  });
});

describe('a request that names another Ansible server for its operation', () => {
  it.each([
    ['scale', checkScale],
    ['heal', checkHeal],
  ])('by what is no address is refused at its path, as the instantiation’s is: %s', (_what, check) => {
    const named = (address: string) => {
      const request = validateRequest(plainParams(), { instantiateParams: filledParams() });
      const { ansible } = request.requestParams[PARAMS] as { ansible: object };
      Object.assign(ansible, { ip_address: address });
      return check(request).invalidParams.map(({ path }) => path);
    };
    const path = `/additionalParams/${PARAMS}/ansible/ip_address`;
    expect([named('192.0.2.11'), named('192.0.2.300'), named('0.0.0.0')]).toEqual([[], [path], [path]]);
  });
});
