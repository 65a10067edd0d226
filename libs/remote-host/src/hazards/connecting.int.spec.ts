import { setTimeout as pause } from 'node:timers/promises';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { millis, minutes, seconds, Secret } from '@windlass/foundation';
import { cmd, type HostTarget } from '@windlass/mgmt-driver';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { failureOf } from '@windlass/mgmt-driver/testing/contract';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../connection/connect.js';
import { MemoryHostKeys } from '../connection/host-keys.js';
import { SshConnection } from '../connection/ssh-connection.js';
import type { ContractRig } from '../testing/contract-rig.js';
import { setScene } from '../testing/scene.js';
import { TestUser } from '../testing/sshd.js';

const scene = setScene();
const within = seconds(20);
let user: TestUser;
beforeAll(() => {
  user = new TestUser('no', '/bin/bash');
});
afterAll(() => user.remove());

const look = (rig: ContractRig, target: Partial<HostTarget> = {}) =>
  rig.hosts.host({ ...rig.target, ...target }, hostRun()).run(cmd`id -un`, { within });

/** Something on a free port that isn't sshd, or not yet. */
async function listening<T>(onConnection: (socket: Socket) => void, work: (port: number) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    // Whoever hangs up is no news.
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

describe('a connection', () => {
  it('may have as many sessions waiting for it as there are, without a warning', async () => {
    const claim = { operationId: 'op', stepId: 'step', epoch: 1 };
    const target = scene.sshd.target({ username: user.name, password: user.password });
    const client = await connect(target, claim, { hostKeys: new MemoryHostKeys(), within: seconds(10), silence: seconds(20) });
    expect((client as unknown as { _sock: Socket })._sock.getMaxListeners()).toBe(0);
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', note);
    try {
      const connection = new SshConnection(target, client, () => undefined);
      // More than sshd opens: those that it refuses have waited, too.
      const opened = await Promise.allSettled(Array.from({ length: 15 }, () => connection.exec('true')));
      expect(opened.some(({ status }) => status === 'fulfilled')).toBe(true);
      connection.close();
    } finally {
      process.off('warning', note);
    }
    expect(warnings).toEqual([]);
  });
});

describe('a machine whose port accepts and closes', () => {
  it('is waited for, and whoever waits is told at once for what and why, once a reason', async () => {
    const lines: string[] = [];
    await listening(
      (socket) => socket.destroy(),
      async (port) => {
        const rig = scene.rig({ username: user.name, password: user.password });
        const run = hostRun({ progress: (line) => void lines.push(line) });
        const failed = rig.hosts.host({ ...rig.target, port }, run).run(cmd`id -un`, { within });
        expect(await failureOf(failed)).toMatchObject({ code: 'remote.unreachable' });
      },
    );
    expect(lines[0]).toMatch(/^waiting for .*127\.0\.0\.1.* to answer: /);
    expect(new Set(lines).size).toBe(lines.length);
  });
});

describe('a login', () => {
  it('by password, by key, and by a key with a passphrase', async () => {
    const rig = scene.rig({ username: user.name, password: user.password });
    expect((await look(rig)).stdout).toBe(`${user.name}\n`);
    const path = join(scene.sshd.folder, 'locked_key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'open sesame', '-f', path]);
    const authorized = join(scene.sshd.folder, 'authorized_keys');
    execFileSync('sh', ['-c', 'cat "$1" >> "$2"', 'sh', `${path}.pub`, authorized]);
    const privateKey = new Secret(readFileSync(path, 'utf8'));
    const keyed = scene.rig({ username: user.name, privateKey, passphrase: new Secret('open sesame') });
    expect((await look(keyed)).stdout).toBe(`${user.name}\n`);
    expect(await failureOf(look(keyed, { passphrase: new Secret('wrong') }))).toMatchObject({ code: 'remote.bad-private-key' });
    const bare = scene.rig({ username: user.name, privateKey });
    expect(await failureOf(look(bare))).toMatchObject({ name: 'TerminalError', code: 'remote.bad-private-key' });
  });

  it('by the keyboard, where the server takes the password that way only', async () => {
    const key = readFileSync(join(scene.sshd.folder, 'host_key'));
    const server = new ssh2.Server({ hostKeys: [key] }, (client) => {
      client.on('authentication', (context) => {
        if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
        context.prompt([{ prompt: 'Password: ', echo: false }], (answers) =>
          answers[0] === 'sesame' ? context.accept() : context.reject(),
        );
      });
      client.on('ready', () => {
        client.on('session', (accept) => {
          accept().on('exec', (acceptExec, _reject, { command }) => {
            const channel = acceptExec();
            channel.write(`${/echo (\S+);/.exec(command)?.[1] ?? ''}\n`);
            channel.write('by keyboard\n');
            channel.exit(0);
            channel.end();
          });
        });
      });
      client.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const rig = scene.rig({ port, username: 'u', password: new Secret('sesame') });
    expect((await look(rig)).stdout).toBe('by keyboard\n');
    expect(await failureOf(look(rig, { password: new Secret('wrong') }))).toMatchObject({ code: 'remote.auth-failed' });
    rig.hosts.close();
    server.close();
  });

  it('that is refused is not tried again', async () => {
    const rig = scene.rig({ username: user.name, password: new Secret('not-the-password') }, { patience: minutes(5) });
    const failure = await failureOf(look(rig));
    expect(failure).toMatchObject({ name: 'TerminalError', code: 'remote.auth-failed' });
    expect(failure.message).toContain(user.name);
    expect(failure.message).not.toContain('not-the-password');
  });
});

describe('a host that does not answer', () => {
  const options = { patience: millis(1_200), connectWithin: millis(500) };

  it('refuses, hangs or talks nonsense: each may be tried again', async () => {
    const answers: Record<string, (socket: Socket) => void> = {
      hangs: () => undefined,
      'hangs up': (socket) => socket.destroy(),
      'talks nonsense': (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    };
    for (const [what, answer] of Object.entries(answers)) {
      await listening(answer, async (port) => {
        const failure = await failureOf(look(scene.rig({ port }, options)));
        expect(failure, what).toMatchObject({ name: 'TransientError', code: 'remote.unreachable' });
        expect(failure.message, what).toContain(`:${port}`);
      });
    }
    expect(await failureOf(look(scene.rig({ port: 9 }, options)))).toMatchObject({ code: 'remote.unreachable' });
  });

  it('is reached when it starts to, without another attempt of the step', async () => {
    const rig = scene.rig({}, { patience: seconds(20) });
    await scene.sshd.halt();
    const waiting = look(rig);
    await pause(600);
    await scene.sshd.restart();
    expect((await waiting).stdout).toBe('root\n');
  });

  it('keeps nobody who has lost the lease', async () => {
    const rig = scene.rig({ port: 9 }, { patience: minutes(5) });
    const lost = new AbortController();
    const waiting = rig.hosts.host(rig.target, hostRun({ signal: lost.signal })).run(cmd`true`, { within });
    const reason = new Error('lease-lost');
    lost.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});

describe('connections', () => {
  it('that die while their key is being pinned are made anew', async () => {
    let deaths = 0;
    const hostKeys = {
      get: () => Promise.resolve({ keys: [], pinned: false }),
      pin: async (_id: string, key: string) => {
        if (deaths++ === 0) {
          for (const pid of scene.sshd.sessions()) process.kill(pid, 'SIGKILL');
          await expect.poll(() => scene.sshd.sessions().length).toBe(0);
        }
        return key;
      },
    };
    const rig = scene.rig({}, { hostKeys });
    const look = await rig.hosts.host(rig.target, hostRun()).job('work', { run: cmd`echo ok`, within });
    expect(look.stdoutTail).toBe('ok\n');
    expect(deaths).toBe(2);
  });

  it('are shared by the steps on a host, and as many as their sessions need', async () => {
    const rig = scene.rig();
    for (let step = 0; step < 3; step += 1) await look(rig);
    expect(rig.hosts.connections.size).toBe(1);
    const many = Array.from({ length: 20 }, () => rig.hosts.host(rig.target, hostRun()).run(cmd`sleep 0.5; echo ok`, { within }));
    expect((await Promise.all(many)).map(({ stdout }) => stdout)).toEqual(Array(20).fill('ok\n'));
    const size = rig.hosts.connections.size;
    expect([2, 3]).toContain(size);
    // Another user of the same host has another connection.
    await look(rig, { username: user.name, password: user.password });
    expect(rig.hosts.connections.size).toBe(size + 1);
  });

  it('are closed when nobody uses them for a while', async () => {
    const rig = scene.rig({}, { idle: millis(100) });
    await look(rig);
    await expect.poll(() => rig.hosts.connections.size, { interval: 20 }).toBe(0);
    expect((await look(rig)).stdout).toBe('root\n');
  });
});

describe('a login shell', () => {
  it('that greets, and is no sh, changes nothing', async () => {
    execFileSync('sh', ['-c', `echo 'echo "Welcome, $USER"; echo noise >&2' > ${user.home}/.bashrc`]);
    const rig = scene.rig({ username: user.name, password: user.password, privileges: 'none' });
    // SHLVL of the test's sshd keeps .bashrc away: this user's comes by another way.
    execFileSync('usermod', ['--shell', shellThatGreets(), user.name], { stdio: 'pipe' });
    expect(await look(rig)).toMatchObject({ stdout: `${user.name}\n`, stderr: '' });
    const result = await rig.hosts.host(rig.target, hostRun()).job('work', { run: cmd`echo ${"it's $HOME"}`, within });
    expect(result.stdoutTail).toBe("it's $HOME\n");
  });
});

/** A shell that talks before it does as it is told. */
function shellThatGreets(): string {
  const path = join(scene.sshd.folder, 'greeting-shell');
  execFileSync('sh', ['-c', `printf '#!/bin/sh\\necho "Welcome"\\nexec /bin/sh "$@"\\n' > ${path}; chmod 755 ${path}`]);
  return path;
}
