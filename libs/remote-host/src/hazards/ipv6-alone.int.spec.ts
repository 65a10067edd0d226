import { seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { failureOf } from '@windlass/mgmt-driver/testing/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryHostKeys } from '../connection/host-keys.js';
import { setScene } from '../testing/scene.js';
import { TestUser } from '../testing/sshd.js';

const scene = setScene('ListenAddress [::1]:%PORT%');
const within = seconds(20);
let user: TestUser;
beforeAll(() => {
  user = new TestUser('nopasswd', '/bin/bash');
});
afterAll(() => user.remove());

describe('a machine that has an address of IPv6 alone', () => {
  const hostKeys = new MemoryHostKeys();
  const login = () => ({ resourceId: 'sixth', address: '::1', username: user.name, password: user.password });

  it('is logged in to, runs a command and takes a file, and its key is pinned; messages have its address in brackets', async () => {
    const rig = scene.rig(login(), { hostKeys });
    const host = rig.hosts.host(rig.target, hostRun());
    expect((await host.run(cmd`echo "$SSH_CONNECTION"`, { within })).stdout.split(' ')[2]).toBe('::1');
    const file = `${user.home}/by-ipv6`;
    await host.files.put(file, 'by IPv6', { mode: 0o644 });
    expect((await host.run(cmd`cat ${file}`, { within })).stdout).toBe('by IPv6');
    expect((await hostKeys.get('sixth')).keys).toHaveLength(1);
    const failure = await failureOf(host.run(cmd`false`, { within }));
    expect(failure.message).toContain(`${user.name}@[::1]:${scene.sshd.port}`);
  });

  it('whose key is another is refused', async () => {
    scene.sshd.makeHostKey('ecdsa');
    await scene.sshd.restart();
    const rig = scene.rig(login(), { hostKeys });
    const failure = await failureOf(rig.hosts.host(rig.target, hostRun()).run(cmd`true`, { within }));
    expect(failure).toMatchObject({ code: 'remote.host-key-changed' });
    expect(failure.message).toContain("::1's SSH host key is not the one pinned at the first login");
  });
});
