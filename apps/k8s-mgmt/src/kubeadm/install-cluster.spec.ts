import { clusterConnectionId, clusterVimId } from '@windlass/mgmt-driver';
import { millis } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/settings.js';
import { bench } from '../testing/bench.js';
import { guideParams, INSTANCE, plainParams, script, vnfc } from '../testing/requests.js';

const NO_PROXY = 'NO_PROXY';

describe('installing a cluster', () => {
  it('ends with every node listed, the VIM registered and no join token left', async () => {
    const { runner, world, vims } = bench();
    await runner.run();
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31', 'worker32']);
    expect(world.minted).toHaveLength(2);
    expect(world.tokens.size).toBe(0);
    expect(vims.vims.get(clusterVimId(INSTANCE))).toMatchObject({
      name: 'kubernetes_vim',
      auth_url: 'https://10.10.0.24:6443',
      auth_cred: { bearer_token: 'bearer-of-admin', ssl_ca_cert: 'PEM of CA' },
    });
    expect(runner.outputs.get('register-vim')).toEqual({
      instance: {
        vimConnectionInfo: {
          add: [
            {
              id: clusterConnectionId(INSTANCE),
              vimId: clusterVimId(INSTANCE),
              vimType: 'kubernetes',
              accessInfo: { authUrl: 'https://10.10.0.24:6443' },
              extra: {},
            },
          ],
        },
      },
    });
  });

  it('tells kubeadm the addresses of pods and services, and the name and address of each node', async () => {
    const { runner, world } = bench({ workers: 1 });
    await runner.run();
    const [init, join] = world.configurations;
    expect(init).toContain('podSubnet: 192.168.0.0/16');
    expect(init).toContain('serviceSubnet: 10.199.187.0/24');
    expect(init).toContain('controlPlaneEndpoint: 10.10.0.24:6443');
    expect(init).toContain('kubernetesVersion: v1.34.1');
    expect(join).toContain('name: worker31');
    expect(join).toContain('apiServerEndpoint: 10.10.0.24:6443');
  });

  it('gives kubeadm nothing that it would look up the newest Kubernetes on the internet for, not for a join either', async () => {
    const { runner, world } = bench({ workers: 2 });
    await runner.run();
    for (const text of world.configurations)
      expect(
        text.includes('kind: JoinConfiguration') || text.includes('kind: ClusterConfiguration\nkubernetesVersion: v1'),
        text,
      ).toBe(true);
    expect(world.configurations).toHaveLength(3);
    const commands = [...world.hosts.processes, ...world.hosts.looks].map(({ command }) => command);
    expect(commands.filter((command) => command.includes('kubeadm token'))).toEqual([]);
  });

  it('goes through the proxies with apt and containerd', async () => {
    const { runner, world } = bench({ params: guideParams(), workers: 1 });
    await runner.run();
    const node = world.node('server-worker-1');
    expect(node.files.get('apt-proxy')).toBe(
      'Acquire::http::Proxy "http://user1:password1@host1:port1";\nAcquire::https::Proxy "https://user2:password2@host2:port2";\n',
    );
    expect(node.files.get('containerd-proxy')).toContain('HTTPS_PROXY=https://user2:password2@host2:port2\n');
    expect(node.files.get('containerd-proxy')).toContain('10.10.0.31');
  });

  it('tells kubeadm what to go around the proxies for and nothing of the proxies, which it would copy into manifests and kube-proxy', async () => {
    const { runner, world } = bench({ params: guideParams(), workers: 1 });
    await runner.run();
    const copies = [world.node('server-master-1').files.get('manifests'), JSON.stringify(world.api?.get('daemonset/kube-proxy'))];
    for (const copy of copies) {
      expect(copy).toContain('10.10.0.31');
      expect(copy).not.toMatch(/password|https?_proxy/i);
    }
    for (const id of ['server-master-1', 'server-worker-1'])
      expect(Object.keys(world.node(id).env).sort()).toEqual([NO_PROXY, 'no_proxy']);
  });

  it('shows no secret in a command line or in its progress', async () => {
    const params = guideParams();
    const { runner, world, lines } = bench({ params, workers: 1 });
    await runner.run();
    const shown = [
      ...lines,
      ...world.hosts.looks.map(({ command }) => command),
      ...world.hosts.processes.map(({ command }) => command),
    ].join('\n');
    for (const secret of ['password1', 'password2', 'bearer-of-admin', ...world.minted]) expect(shown).not.toContain(secret);
  });

  it('finds every step done on a cluster that stands, and looks only', async () => {
    const { runner, world } = bench({ params: guideParams() });
    await runner.run();
    const before = world.hosts.processes.length;
    for (const { id } of runner.steps) {
      const { check } = runner.action(id);
      if (check !== undefined) expect(await check(runner.runOf(id, { epoch: 5, attemptEpoch: 5 })), id).not.toBe(false);
    }
    expect(world.hosts.processes).toHaveLength(before);
  });

  it.each(['daemonset/kube-proxy', 'deployment/coredns', 'configmap/cluster-info'])(
    'takes a control plane without %s for one whose making did not end',
    async (object) => {
      const { runner, world } = bench({ workers: 0 });
      await runner.run();
      world.api?.delete(object);
      const id = 'init-control-plane:master24';
      expect(await runner.action(id).check?.(runner.runOf(id, { epoch: 5, attemptEpoch: 5 }))).toBe(false);
    },
  );

  it('refuses an operating system that it does not know, and names those it does', async () => {
    const { runner, world } = bench();
    world.hosts.machine('server-master-1').facts = { osId: 'ubuntu', osVersion: '20.04', arch: 'x86_64' };
    const refusal = {
      code: 'node.os-unsupported',
      message: expect.stringContaining('ubuntu 22.04, ubuntu 24.04, debian 12') as string,
    };
    await expect(runner.run()).rejects.toMatchObject({ code: 'node.unfit', message: refusal.message });
    await expect(runner.action('prepare-node:master24').apply(runner.runOf('prepare-node:master24'))).rejects.toMatchObject(
      refusal,
    );
    expect(world.hosts.processes).toEqual([]);
  });

  it.each(['inspect-nodes', 'prepare-node', 'run-install-script'])(
    'waits for cloud-init of a fresh node before anything: %s',
    async (action) => {
      const packaged = action === 'run-install-script' ? { hook: { files: [script('#!/bin/bash')] } } : {};
      const { runner, world } = bench({ workers: 1, ...packaged });
      world.hosts.on(/cloud-init/, ({ machine }) => ({ status: 1, stdout: `status: error of ${machine.resourceId}\n` }));
      const { id } = runner.steps.find((step) => step.action === action)!;
      await expect(runner.action(id).apply(runner.runOf(id))).rejects.toMatchObject({
        code: 'node.first-boot-failed',
        message: expect.stringContaining('status: error of server-master-1') as string,
      });
      expect(world.hosts.processes).toEqual([]);
    },
  );

  it('joins anew a VM that took the place of a node of that name', async () => {
    const { runner, world } = bench({ workers: 1 });
    await runner.run();
    world.nodes.delete('server-worker-1');
    const again = runner.runOf('join-worker:worker31', { epoch: 2, attemptEpoch: 2 });
    expect(await runner.action('join-worker:worker31').check?.(again)).toBe(false);
    await runner.action('join-worker:worker31').apply(again);
    expect(world.node('server-worker-1').ca).toBe(world.node('server-master-1').ca);
  });

  it('waits for a cluster whose API the registry cannot reach yet, and fails with its words on a name that is taken', async () => {
    const { runner, vims } = bench({ workers: 0 });
    vims.unreachable = 2;
    await runner.run();
    expect(vims.vims.size).toBe(1);
    const other = bench({ workers: 0 });
    other.vims.vims.set('other', { ...[...vims.vims.values()][0]!, id: 'other' });
    await expect(other.runner.run()).rejects.toMatchObject({ code: 'vim.name-taken', name: 'TerminalError' });
  });
});

describe('a packaged script', () => {
  const packaged = (workers: number, stdout: string) => {
    const settings = { ...defaultSettings, listedWithin: millis(30) };
    const made = bench({ params: plainParams(), workers, settings, hook: { files: [script('#!/bin/bash')] } });
    const { world } = made;
    world.scriptOutput = ({ machine }) => {
      const worker = /worker-(\d)/.exec(machine.resourceId)?.[1];
      return {
        stdout: worker === undefined ? stdout : 'This node has joined the cluster\n',
        effect: () => {
          if (worker === undefined) world.begin(machine.resourceId, 'master24', '10.10.0.24');
          else world.listed.set(`worker3${worker}`, { ready: true, address: `10.10.0.3${worker}` });
        },
      };
    };
    return made;
  };
  const TOKEN = 'abcdef.0123456789abcdef';
  const PRINTED = `a lot\ntoken:${TOKEN}\nserver:https://10.10.0.24:6443\nssl_ca_cert_hash:${'12'.repeat(32)}\n-----BEGIN CERTIFICATE-----\n`;

  it('gets the arguments of its contract, and what the master’s printed goes to the workers', async () => {
    const { runner, world, vims } = packaged(2, PRINTED);
    await runner.run();
    expect(world.node('server-master-1').scriptRuns).toEqual([
      '-m 10.10.0.24 -i 10.10.0.24 -p 192.168.0.0/16 -a 10.199.187.0/24',
    ]);
    expect(world.node('server-worker-2').scriptRuns.map((text) => text.replaceAll("'", ''))).toEqual([
      `-w 10.10.0.32 -i 10.10.0.24 -t ${TOKEN} -s ${'12'.repeat(32)}`,
    ]);
    expect(world.node('server-worker-2').env.ha_flag).toBe('False');
    expect(vims.vims.size).toBe(1);
  });

  it('prints what nobody is shown', async () => {
    const { runner, lines } = packaged(1, PRINTED);
    await runner.run();
    expect(lines.join('\n')).not.toContain(TOKEN);
  });

  it('is not run on a master that stands: a token is made for the workers instead', async () => {
    const { runner, world } = packaged(1, PRINTED);
    world.begin('server-master-1', 'master24', '10.10.0.24');
    await runner.run();
    expect(world.node('server-master-1').scriptRuns).toEqual([]);
    expect(world.node('server-worker-1').scriptRuns[0]!.replaceAll("'", '')).toContain(`-t ${world.minted[0]!}`);
  });

  it('may print nothing of the cluster that it made: a token is made for the workers', async () => {
    const { runner, world } = packaged(1, 'done\n');
    await runner.run();
    expect(world.node('server-worker-1').scriptRuns[0]!.replaceAll("'", '')).toContain(`-t ${world.minted[0]!}`);
  });

  it('fails with what the master’s said when that ends well and makes no cluster', async () => {
    const { runner, world } = packaged(1, '');
    world.scriptOutput = () => ({ stdout: 'kubeadm init: port 6443 is in use\n' });
    await expect(runner.run()).rejects.toMatchObject({
      code: 'script.not-joined',
      message: expect.stringMatching(/the API does not answer.*It said last: kubeadm init: port 6443 is in use/) as string,
    });
    expect(world.node('server-worker-1').scriptRuns).toEqual([]);
  });

  const HA = {
    sharedCps: [{ name: 'masterNode_CP1', resourceId: 'port-vip', addresses: ['10.10.0.50'], floatingIp: null }],
    vnfcs: [
      ...[1, 2, 3].map((n) => vnfc('master', n, `10.10.0.${23 + n}`)),
      ...[1, 2].map((n) => vnfc('worker', n, `10.10.0.${30 + n}`)),
    ],
  };

  /** Three masters and two workers; each script does what its contract says. */
  const available = () => {
    const settings = { ...defaultSettings, listedWithin: millis(30) };
    const made = bench({ params: plainParams(), settings, hook: { ...HA, files: [script('#!/bin/bash')] } });
    const { world } = made;
    const order: string[] = [];
    world.hosts.on(/upload-certs/, { effect: () => void world.api?.set('secret/kubeadm-certs', { metadata: {} }) });
    world.scriptOutput = ({ machine: { resourceId: id } }) => {
      const [, role = '', n = ''] = /(master|worker)-(\d)/.exec(id) ?? [];
      const address = `10.10.0.${(role === 'master' ? 23 : 30) + Number(n)}`;
      const effect = (): void => {
        order.push(id);
        if (id === 'server-master-1') world.begin(id, 'master24', address);
        else world.listed.set(`${role}${address.slice(8)}`, { ready: true, address });
        world.node(id).ca = world.node('server-master-1').ca;
        world.api?.set('configmap/kubeadm-config', {
          metadata: {},
          data: { ClusterConfiguration: 'kind: ClusterConfiguration\n' },
        });
      };
      return { stdout: id === 'server-master-1' ? PRINTED.replace(':6443', ':16443') : 'joined\n', effect };
    };
    return { ...made, order };
  };
  const ran = (world: ReturnType<typeof available>['world'], id: string) =>
    world.node(id).scriptRuns.map((text) => text.replaceAll("'", ''));

  it('makes a cluster of several masters: each further one after the one before, by a token and a key of its own, and the masters that are there first', async () => {
    const { runner, world, order, vims, lines } = available();
    await runner.run();
    expect(order.slice(0, 3)).toEqual(['server-master-1', 'server-master-2', 'server-master-3']);
    const common = '-i 10.10.0.50 -p 192.168.0.0/16 -a 10.199.187.0/24';
    expect(ran(world, 'server-master-1')).toEqual([`-m 10.10.0.24,10.10.0.25,10.10.0.26 ${common}`]);
    const keys = [2, 3].map((n) => {
      const [line = ''] = ran(world, `server-master-${n}`);
      expect(line).toMatch(
        new RegExp(`^-m 10.10.0.24,10.10.0.25,10.10.0.26 ${common} -t ${world.minted[n - 2]!} -s \\w{64} -k [0-9a-f]{64}$`),
      );
      return line.slice(-64);
    });
    expect(new Set(keys).size).toBe(2);
    expect(ran(world, 'server-worker-1')).toEqual([`-w 10.10.0.31 -i 10.10.0.50 -t ${TOKEN} -s ${'12'.repeat(32)}`]);
    expect(world.node('server-worker-1').env.ha_flag).toBe('True');
    expect([...vims.vims.values()].map(({ auth_url: url }) => url)).toEqual(['https://10.10.0.24:16443']);
    expect(world.tokens.size).toBe(0);
    expect(world.api?.has('secret/kubeadm-certs')).toBe(false);
    for (const secret of [...keys, ...world.minted]) expect(lines.join('\n')).not.toContain(secret);
  });

  it('did not do it where the API server of a further master does not answer, though the cluster lists it', async () => {
    const { runner, world, order } = available();
    world.hosts.on(/10\.10\.0\.25:6443.*readyz/, { status: 1 });
    await expect(runner.run()).rejects.toMatchObject({
      code: 'script.not-joined',
      message: expect.stringContaining('master25 is listed, and its own API server does not answer') as string,
    });
    expect(order).toEqual(['server-master-1', 'server-master-2']);
  });
});
