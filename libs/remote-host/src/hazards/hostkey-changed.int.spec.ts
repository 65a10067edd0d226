import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { RequestError, seconds, Secret, type TerminalError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { failureOf } from '@windlass/mgmt-driver/testing/contract';
import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { MemoryHostKeys } from '../connection/host-keys.js';
import { setScene } from '../testing/scene.js';

const scene = setScene();
const within = seconds(10);

/** A key that the host does not have. */
const clientKeyLine = (): string =>
  execFileSync('ssh-keygen', ['-y', '-f', join(scene.sshd.folder, 'client_key')])
    .toString()
    .split(' ')
    .slice(0, 2)
    .join(' ')
    .trim();

it('another key is refused, both fingerprints told, and a replaced server is pinned anew', async () => {
  const hostKeys = new MemoryHostKeys();
  const rig = scene.rig({ resourceId: 'server-one' }, { hostKeys });
  const look = () => rig.hosts.host(rig.target, hostRun()).run(cmd`true`, { within });
  await look();
  const before = scene.sshd.fingerprint;
  // The same key, another connection.
  await scene.sshd.restart();
  await look();
  for (const type of ['ed25519', 'ecdsa', 'rsa'] as const) {
    scene.sshd.makeHostKey(type);
    await scene.sshd.restart();
    const failure = await failureOf(look());
    expect(failure).toMatchObject({ name: 'TerminalError', code: 'remote.host-key-changed' });
    const file = `ssh-keygen -l -f /etc/ssh/ssh_host_${type}_key.pub`;
    for (const part of ['server-one', before, scene.sshd.fingerprint, file]) expect(failure.message).toContain(part);
    expect(failure.message).toContain("127.0.0.1's SSH host key is not the one pinned at the first login: expected ");
    expect(failure).toMatchObject({ remedy: { leadsOn: 'retry' } });
    const replaced = scene.rig({ resourceId: `server-with-${type}` }, { hostKeys });
    await replaced.hosts.host(replaced.target, hostRun()).run(cmd`true`, { within });
    expect((await hostKeys.get(`server-with-${type}`)).keys[0]).toMatch(
      type === 'ed25519' ? /^ssh-ed25519 / : type === 'rsa' ? /^ssh-rsa / : /^ecdsa-sha2/,
    );
  }
});

it('a server whose keys are known beforehand shows one of them at first sight, or is told no password', async () => {
  const keyLine = () => readFileSync(join(scene.sshd.folder, 'host_key.pub'), 'utf8').split(' ').slice(0, 2).join(' ').trim();
  const [ours, stranger] = [keyLine(), clientKeyLine()];
  const rsa = `ssh-rsa ${Buffer.from('an old one').toString('base64')}`;
  const look = (known: string[]) => {
    const rig = scene.rig({ resourceId: 'known' }, { hostKeys: new MemoryHostKeys({ known }) });
    return rig.hosts.host(rig.target, hostRun()).run(cmd`true`, { within });
  };
  await look([rsa, ours]);
  for (const known of [[stranger], [rsa], [rsa, stranger], ['no key at all']]) {
    const failure = await failureOf(look(known));
    expect(failure).toMatchObject({ name: 'TerminalError', code: 'remote.host-key-changed' });
    const given = known.length > 1 ? 'one of those given beforehand' : 'the one given beforehand';
    for (const part of [`127.0.0.1's SSH host key is not ${given}: expected `, 'resource known', scene.sshd.fingerprint])
      expect(failure.message).toContain(part);
    // A retry takes no other key: only another request does.
    expect(failure).toMatchObject({
      remedy: {
        leadsOn: 'rollback',
        says: expect.stringMatching(/^1\. .+\n2\. .+windlass_host_keys\n3\. .+\n4\. .+$/) as string,
        when: 'When the fingerprint is the same as "got"',
      },
    });
    expect(failure.message.endsWith((failure as TerminalError).remedy?.says ?? 'none')).toBe(true);
  }
});

it('that another step’s claim is over is no reason for ours to end', async () => {
  const asked: string[] = [];
  const hostKeys = {
    get: async (_id: string, { stepId }: { stepId: string }) => {
      asked.push(stepId);
      await new Promise((resolve) => setImmediate(resolve));
      if (stepId === 'lost') throw new RequestError(409, 'claim.not-held', 'the step is in other hands');
      return { keys: [], pinned: false };
    },
    pin: (_id: string, key: string) => Promise.resolve(key),
  };
  const rig = scene.rig({}, { hostKeys });
  const run = (stepId: string) => rig.hosts.host(rig.target, hostRun({ stepId })).run(cmd`echo ok`, { within });
  const [lost, ours, others] = await Promise.allSettled([run('lost'), run('ours'), run('others')]);
  expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'claim.not-held' } });
  expect([ours, others]).toMatchObject([{ value: { stdout: 'ok\n' } }, { value: { stdout: 'ok\n' } }]);
  expect(asked).toEqual(['lost', 'ours']);
});

it('of two that see a server first, the one that pinned another key loses', async () => {
  const rig = scene.rig(
    {},
    { hostKeys: { get: () => Promise.resolve({ keys: [], pinned: false }), pin: () => Promise.resolve('ssh-ed25519 AAAA') } },
  );
  const failure = await failureOf(rig.hosts.host(rig.target, hostRun()).run(cmd`true`, { within }));
  expect(failure).toMatchObject({ code: 'remote.host-key-changed' });
});

it('a machine with another key is told no password', async () => {
  const tried: string[] = [];
  scene.sshd.makeHostKey('ed25519');
  const server = new ssh2.Server({ hostKeys: [readFileSync(join(scene.sshd.folder, 'host_key'))] }, (client) => {
    client.on('authentication', (context) => {
      tried.push(context.method);
      context.reject();
    });
    // It hangs up, as it should.
    client.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const look = async (pinned: string | undefined) => {
    const expected = { keys: pinned === undefined ? [] : [pinned], pinned: pinned !== undefined };
    const hostKeys = { get: () => Promise.resolve(expected), pin: (_id: string, key: string) => Promise.resolve(key) };
    const rig = scene.rig({ port, password: new Secret('for the real one') }, { hostKeys });
    return failureOf(rig.hosts.host(rig.target, hostRun()).run(cmd`true`, { within }));
  };
  expect(await look(clientKeyLine())).toMatchObject({ code: 'remote.host-key-changed' });
  expect(tried).toEqual([]);
  expect(await look(undefined)).toMatchObject({ code: 'remote.auth-failed' });
  expect(tried).toContain('password');
  server.close();
});
