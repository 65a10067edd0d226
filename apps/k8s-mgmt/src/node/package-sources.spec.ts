import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aptNode, containerd, runtimeArguments } from '../testing/apt-node.js';
import type { ScriptBench } from '@windlass/driver-kit/testing';
import { INSTALL_KUBERNETES, INSTALL_RUNTIME, REMOVE_KUBERNETES } from './scripts.js';

const URL = 'https://pkgs.k8s.io/core:/stable:/v1.34/deb/';

interface Key {
  fingerprint: string;
  armor: string;
}

describe('the packages of a node', () => {
  const home = mkdtempSync(path.join(os.tmpdir(), 'windlass-gpg-'));
  let node: ScriptBench;
  let ours: Key;
  let other: Key;

  const gpg = (...args: string[]) =>
    execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const key = (name: string): Key => {
    gpg('--passphrase', '', '--quick-generate-key', name, 'ed25519', 'sign', 'never');
    const fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(gpg('--with-colons', '--list-keys', `=${name}`))?.[1] ?? '';
    return { fingerprint, armor: gpg('--armor', '--export', fingerprint) };
  };
  beforeAll(() => {
    ours = key('ours');
    other = key('other');
  });
  afterAll(() => {
    execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
    rmSync(home, { recursive: true });
  });
  beforeEach(() => {
    node = containerd(aptNode(), '1.6.20~ds1')
      .file('etc/apt/sources.list.d/README', '')
      .file('usr/lib/apt/apt-helper', '')
      .file('etc/os-release', 'ID=debian\nVERSION_CODENAME=bookworm\n')
      .program('apt-cache', 'exit 0');
    serves(ours.armor);
  });
  afterEach(() => node.remove());

  /** What the repository answers to whoever asks for its key; asked for is noted. */
  const serves = (text: string): void => {
    node
      .file('served', text)
      .executable('usr/lib/apt/apt-helper', `echo "$4" >> ${node.at('asked')}; cat ${node.at('served')} > "$5"`);
  };
  const kubernetes = (url: string, fingerprint: string) => node.run(INSTALL_KUBERNETES, ['1.34.1', url, fingerprint]);
  const list = () => node.read('etc/apt/sources.list.d/windlass-kubernetes.list');
  const installed = () => node.calls.filter((line) => line.startsWith('apt-get') && line.includes(' install '));

  it.each([URL, URL.slice(0, -1)])('come from %s, whether or not it ends with a slash', async (url) => {
    expect(await kubernetes(url, ours.fingerprint)).toMatchObject({ status: 0 });
    expect(node.read('asked')).toBe(`${URL}Release.key\n`);
    expect(list()).toMatch(new RegExp(`\\] ${URL} /\\n$`));
    expect(node.read('etc/apt/keyrings/windlass-kubernetes.asc')).toBe(ours.armor);
  });

  it.each([
    ['another key than the one whose fingerprint we were told', () => other.armor, () => other.fingerprint],
    ['a further key beside it, which apt would trust as well', () => ours.armor + other.armor, () => other.fingerprint],
    ['no key at all, but a proxy’s page', () => '<html>Login</html>', () => '""'],
  ])('are not had of a repository with %s', async (_what, armor, names) => {
    serves(armor());
    const end = await kubernetes(URL, ours.fingerprint);
    expect(end.status).toBe(1);
    expect(end.stderr).toContain(`${ours.fingerprint} was expected`);
    expect(end.stderr).toContain(names());
    expect(node.has('etc/apt/keyrings/windlass-kubernetes.asc')).toBe(false);
    expect(node.has('etc/apt/sources.list.d/windlass-kubernetes.list')).toBe(false);
    expect(installed()).toEqual([]);
  });

  describe('that kubelet and kubeadm depend on', () => {
    const elsewhere = 'http://deb.debian.org/debian bookworm/main amd64 Packages';
    const known = (...lines: string[]) =>
      node
        .file('madison', lines.map((line) => ` ${line}\n`).join(''))
        .program('apt-cache', `[ "$1" = madison ] && grep -F " $2 |" ${node.at('madison')} || true`);

    const held = () => node.calls.flatMap((line) => /^apt-mark hold (.*)$/.exec(line)?.[1] ?? []);

    it('are installed by name and held with them, of the source that has this kubelet, whatever others have', async () => {
      const source = `${URL.slice(0, -1)}  Packages`;
      known(
        `kubelet | 1.34.2-1.1 | https://mirror.example/v1.34/deb  Packages`,
        `kubelet | 1.34.1-1.1 | ${source}`,
        `cri-tools | 1.36.0+ds1-1 | ${elsewhere}`,
        `cri-tools | 1.34.0-1.1 | ${source}`,
        `cri-tools | 1.33.0-1.1 | ${source}`,
        `kubernetes-cni | 1.7.1-1.1 | ${source}`,
      );
      expect(await kubernetes(URL, ours.fingerprint)).toMatchObject({ status: 0 });
      expect(installed().join()).toContain(
        ' kubelet=1.34.1-* kubeadm=1.34.1-* kubectl=1.34.1-* kubernetes-cni=1.7.1-1.1 cri-tools=1.34.0-1.1 conntrack ',
      );
      expect(held()).toEqual(['kubelet', 'kubeadm', 'kubectl', 'kubernetes-cni', 'cri-tools']);
    });

    it('come from wherever they are where the kubelet’s source has none, and are not asked for where nobody has them', async () => {
      known(`kubelet | 1.34.1-1.1 | ${URL}  Packages`, `cri-tools | 1.36.0+ds1-1 | ${elsewhere}`);
      expect(await kubernetes(URL, ours.fingerprint)).toMatchObject({ status: 0 });
      expect(installed().join()).toContain(' kubectl=1.34.1-* cri-tools conntrack ');
      expect(held()).toEqual(['kubelet', 'kubeadm', 'kubectl', 'cri-tools']);
    });

    it('go with them, as far as they are there', async () => {
      node.program('dpkg-query', '[ "$2" = cri-tools ]');
      expect(await node.run(REMOVE_KUBERNETES)).toMatchObject({ status: 0 });
      expect(node.calls).toContain('apt-mark unhold kubelet kubeadm kubectl cri-tools');
      expect(node.calls.find((line) => line.includes(' remove '))).toMatch(/ remove kubelet kubeadm kubectl cri-tools$/);
    });
  });

  it('may work later where the key can’t be fetched', async () => {
    node.executable('usr/lib/apt/apt-helper', 'exit 100');
    expect((await kubernetes(URL, ours.fingerprint)).status).toBe(75);
  });

  it('of containerd come from another repository, whose address is the node’s own distribution', async () => {
    const [image = '', proxies = ''] = runtimeArguments(node);
    const docker = 'https://download.docker.com/linux/{id}';
    const args = [image, proxies, 'containerd.io', '1', `${docker} {codename} stable`, `${docker}/gpg`, ours.fingerprint];
    expect(await node.run(INSTALL_RUNTIME, args)).toMatchObject({ status: 0 });
    expect(node.read('etc/apt/sources.list.d/windlass-containerd.list')).toContain(
      '] https://download.docker.com/linux/debian bookworm stable\n',
    );
    expect(node.read('asked')).toBe('https://download.docker.com/linux/debian/gpg\n');
    expect(installed().join()).toContain(' containerd.io ');
  });

  it('bring no containerd that is too old for this Kubernetes: the node, its version and what to do are named', async () => {
    const args = runtimeArguments(node);
    args[3] = '2';
    const end = await node.run(INSTALL_RUNTIME, args);
    expect(end.status).toBe(1);
    expect(end.stderr).toContain('worker31: containerd 1.6.20~ds1 is too old for this Kubernetes, which works with 2.0 or newer');
    expect(end.stderr).toContain('CONTAINERD_APT_SOURCE');
    containerd(node, 'v2.1.9');
    expect(await node.run(INSTALL_RUNTIME, args)).toMatchObject({ status: 0 });
  });

  describe('of which containerd is held', () => {
    it.each(['containerd', 'containerd.io'])(
      'leave %s as it is where it will do: apt would refuse to change it',
      async (held) => {
        node.program('apt-mark', `[ "$1" != showhold ] || printf 'linux-image\\n${held}\\n'`);
        const end = await node.run(INSTALL_RUNTIME, runtimeArguments(node));
        expect(end).toMatchObject({ status: 0 });
        expect(end.stdout).toContain(`${held} is held on this node, and stays as it is`);
        expect(installed().join()).not.toContain('containerd');
        expect(node.read('etc/containerd/config.toml')).toContain('SystemdCgroup = true');
      },
    );

    it('are refused where it is too old: the hold and what to do are named', async () => {
      node.program('apt-mark', `[ "$1" != showhold ] || echo containerd`);
      const args = runtimeArguments(node);
      args[3] = '2';
      const end = await node.run(INSTALL_RUNTIME, args);
      expect(end.status).toBe(1);
      expect(end.stderr).toContain('worker31: containerd 1.6.20~ds1 is too old');
      expect(end.stderr).toContain('apt-mark unhold containerd');
    });
  });
});
