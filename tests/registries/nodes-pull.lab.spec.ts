import type { RegistryInput } from '@windlass/driver-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NAME, NodeLab, PASSWORD, USER } from './support/node-lab.js';

/** Debian's docker-registry and Debian's containerd, which is asked as a kubelet asks it. */
let lab: NodeLab;
beforeAll(async () => {
  lab = await NodeLab.start();
});
afterAll(() => lab.end());

const http = (): RegistryInput => ({ server: lab.registries.http, scheme: 'http' });
const tls = (): RegistryInput => ({
  server: lab.registries.tls,
  scheme: 'https',
  certificate: lab.certificate,
  hosts: { address: lab.address, names: [NAME] },
});
const login = (password = PASSWORD): RegistryInput => ({ ...tls(), server: lab.registries.login, username: USER, password });

const containerd = () => lab.said('systemctl show -p MainPID --value containerd');

describe('a node', () => {
  afterEach(() => lab.disconnect([]));

  it('that knows none of them pulls from none of them', async () => {
    expect(await lab.pulled(lab.registries.http)).toContain('server gave HTTP response to HTTPS client');
    expect(await lab.pulled(lab.registries.tls)).toContain(`lookup ${NAME}`);
  });

  it('pulls by HTTP, by an authority of the registry’s own, and with a login, once it was told of them', async () => {
    const all = [http(), tls(), login()];
    await lab.connect(all);
    expect(await lab.pulled(lab.registries.http)).toBe('');
    expect(await lab.pulled(lab.registries.tls)).toBe('');
    expect(await lab.pulled(lab.registries.login)).toBe('');
    expect(await lab.said('ctr -n k8s.io images ls -q | grep -c team/app:1.0')).toBe('3');
    expect(await lab.isConnected(all)).toBe(true);
    expect(await lab.said('stat -c "%a %U" /var/lib/kubelet/config.json')).toBe('600 root');
    expect(await lab.said(`grep -rl ${PASSWORD} /etc /var/lib/windlass /var/log 2> /dev/null`)).toBe('');
  });

  it('is not connected with a wrong password, another address or without the authority: the step says which', async () => {
    await expect(lab.connect([login('not-the-one')])).rejects.toThrow(/refuses the login: username or password is wrong/);
    expect(await lab.isConnected([login('not-the-one')]), 'the next attempt asks again').toBe(false);
    const { certificate: _without, ...untrusted } = tls();
    await expect(lab.connect([untrusted])).rejects.toThrow(/certificate_path is missing or has another CA/);
    await expect(lab.connect([{ ...http(), server: `${lab.address}:1` }])).rejects.toThrow(/does not answer: is it there/);
    await lab.connect([login()]);
    expect(await lab.pulled(lab.registries.login)).toBe('');
  });

  it('is connected without a login that the registry asks for, and pulls nothing by itself then', async () => {
    await lab.connect([{ ...tls(), server: lab.registries.login }]);
    expect(await lab.pulled(lab.registries.login)).toMatch(/401|authorization failed|no basic auth/i);
  });

  it('has its containerd restarted where its configuration changed, and not for a registry more', async () => {
    await lab.connect([http()]);
    const before = await containerd();
    await lab.connect([http(), login()]);
    expect(await containerd()).toBe(before);
    expect(await lab.pulled(lab.registries.login)).toBe('');
  });

  it('forgets a registry that it is not told of any more, and all of them when that is undone', async () => {
    await lab.connect([http(), login()]);
    await lab.connect([http()]);
    expect(await lab.pulled(lab.registries.http)).toBe('');
    expect(await lab.pulled(lab.registries.login)).not.toBe('');
    await lab.disconnect([http()]);
    expect(await lab.pulled(lab.registries.http)).toContain('server gave HTTP response to HTTPS client');
    const left =
      'ls /etc/containerd/certs.d /var/lib/kubelet /var/lib/windlass/registries 2> /dev/null | grep -v :; grep -c registries /etc/hosts';
    expect(await lab.said(left)).toBe('0');
  });
});
