import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { seconds, Secret } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { failureOf } from '@windlass/mgmt-driver/testing/contract';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exec } from '../connection/exec.js';
import { CapturedMachine, listeningIn, type Behaviour } from '../testing/captured-machine.js';
import type { ContractRig } from '../testing/contract-rig.js';
import { setScene } from '../testing/scene.js';
import { TestUser } from '../testing/sshd.js';

const MIB = 1024 * 1024;
const scene = setScene();
const within = seconds(60);
const users: TestUser[] = [];
afterAll(() => {
  for (const user of users) user.remove();
});

/** A rig whose login shell runs this first. */
function rigWithShell(text: string, port: number): ContractRig {
  const path = join(scene.sshd.folder, `shell-${users.length}`);
  writeFileSync(path, `#!/bin/sh\n${text}\nexec /bin/sh "$@"\n`);
  chmodSync(path, 0o755);
  const user = new TestUser('no', path);
  users.push(user);
  return scene.rig({ port, username: user.name, password: user.password, privileges: 'none' });
}

/** A rig whose job script is this. */
const rigWithScript = (text: string, port = scene.sshd.port): ContractRig => scene.rig({ port }, { runnerScript: text });

async function withMachine<T>(
  behaviour: Behaviour,
  work: (machine: CapturedMachine, rig: ContractRig) => Promise<T>,
): Promise<T> {
  const machine = await CapturedMachine.start(join(scene.sshd.folder, 'host_key'), behaviour);
  const rig = scene.rig({ port: machine.port, username: 'u', password: new Secret('sesame'), privileges: 'none' });
  try {
    return await work(machine, rig);
  } finally {
    rig.hosts.close();
    machine.stop();
  }
}

/** A step on a machine that is still ours gets through meanwhile. */
async function anotherStep(): Promise<void> {
  const rig = scene.rig();
  const result = await rig.hosts.host(rig.target, hostRun()).job('work', { run: cmd`echo fine`, within });
  expect(result.stdoutTail).toBe('fine\n');
}

const tooMuch = { name: 'TerminalError', code: 'remote.said-too-much' };

describe('a machine that talks before it does as it is told', () => {
  it.each(['', ' >&2'])('for 200 MB ends its own step at once (%j)', async (where) => {
    await listeningIn(scene.sshd.port, async (port, heard) => {
      const rig = rigWithShell(`head -c 200000000 /dev/zero${where}`, port);
      const [failure] = await Promise.all([
        failureOf(rig.hosts.host(rig.target, hostRun()).run(cmd`echo ok`, { within })),
        anotherStep(),
      ]);
      expect(failure).toMatchObject(tooMuch);
      expect(failure.message).toContain(`${rig.target.username}@127.0.0.1:${port}`);
      expect(failure.message.length).toBeLessThan(500);
      // What was under way: a window of SSH, and what the kernel holds for both connections.
      expect(heard()).toBeLessThan(20 * MIB);
      expect(rig.hosts.connections.size).toBe(0);
    });
  });

  it('for some KiB, and in single bytes on standard error, is listened to', async () => {
    const rig = rigWithShell('head -c 30000 /dev/zero; dd if=/dev/zero bs=1 count=20000 status=none >&2', scene.sshd.port);
    const { stdout, stderr } = await rig.hosts.host(rig.target, hostRun()).run(cmd`echo ok`, { within });
    expect([stdout, stderr.length]).toEqual(['ok\n', 20_000]);
  });
});

describe('a command', () => {
  it('that prints a megabyte of standard error in single bytes gives it back', async () => {
    const rig = scene.rig();
    const run = cmd`dd if=/dev/zero bs=1 count=${MIB} status=none >&2`;
    const { stderr, truncated } = await rig.hosts.host(rig.target, hostRun()).run(run, { within });
    expect([stderr.length, truncated]).toEqual([MIB, false]);
  });

  it.each(['', ' >&2'])('that prints without end is not heard out (%j)', async (where) => {
    await listeningIn(scene.sshd.port, async (port, heard) => {
      const rig = scene.rig({ port });
      const run = { text: `yes${where}`, display: 'yes' } as ReturnType<typeof cmd>;
      const [failure] = await Promise.all([failureOf(rig.hosts.host(rig.target, hostRun()).run(run, { within })), anotherStep()]);
      expect(failure).toMatchObject(tooMuch);
      expect(heard()).toBeLessThan(90 * MIB);
    });
  });
});

describe('a machine whose job script is not ours', () => {
  const clock = 'echo "root $WL_ROOT"; echo "clock 100 boot"';
  const following = (follow: string): string => `case $1 in
    look) ${clock}; echo 'state none'; echo . ;;
    start) cat >/dev/null; echo started; echo . ;;
    follow) ${follow} ;;
  esac\n`;

  it.each([
    ['a line of 50 MB', `head -c 50000000 /dev/zero | tr '\\0' x`, 'remote.said-too-much', 8],
    ['a log without end', `while :; do echo out 0 1000000; head -c 1000000 /dev/zero; done`, 'remote.said-too-much', 100],
    ['a size that is none', 'echo out 0 -2; echo xx; sleep 5', 'remote.bad-answer', 1],
    ['a state without a time', 'echo state exited 0 x y', 'remote.bad-answer', 1],
  ])('ends its own step by %s', async (_what, follow, code, megabytes) => {
    await listeningIn(scene.sshd.port, async (port, heard) => {
      const rig = rigWithScript(following(follow), port);
      const [failure] = await Promise.all([
        failureOf(rig.hosts.host(rig.target, hostRun()).job('work', { run: cmd`true`, within })),
        anotherStep(),
      ]);
      expect(failure).toMatchObject({ name: 'TerminalError', code });
      expect(failure.message).toContain(`127.0.0.1:${port}`);
      expect(failure.message.length).toBeLessThan(500);
      expect(heard()).toBeLessThan(megabytes * MIB);
    });
  });

  it.each([
    ['more than 4 MiB', `head -c 9000000 /dev/zero | tr '\\0' x`, 'remote.said-too-much'],
    ['a million lines', 'yes "" | head -n 1000000', 'remote.said-too-much'],
    [
      'a million secrets to be hidden',
      `${clock}; echo "mask $({ printf '[""'; yes ',"a"' | head -n 500000; echo ]; } | base64 -w 0)"; echo .`,
      'remote.said-too-much',
    ],
    ['secrets that are none', `${clock}; echo "mask $(echo '[1]' | base64)"; echo .`, 'remote.bad-answer'],
    ['a job that runs for a time that is none', `${clock}; echo 'state running -99999999999'; echo .`, 'remote.bad-answer'],
  ])('ends its own step by an answer of %s', async (_what, look, code) => {
    const rig = rigWithScript(`${look}\n`);
    const failure = await failureOf(rig.hosts.host(rig.target, hostRun()).job('work', { run: cmd`true`, within }));
    expect(failure).toMatchObject({ name: 'TerminalError', code });
    expect(failure.message.length).toBeLessThan(500);
  });

  it('is quoted with the beginning of what it says', async () => {
    const rig = rigWithScript(`printf 'failed '; head -c 1000000 /dev/zero | tr '\\0' x; echo\n`);
    const failure = await failureOf(rig.hosts.host(rig.target, hostRun()).job('work', { run: cmd`true`, within }));
    expect(failure).toMatchObject({ code: 'remote.runner-failed' });
    expect(failure.message.length).toBeLessThan(1_000);
  });
});

describe('a machine that keeps to no rule of SSH', () => {
  it('is hung up on when it talks on over a channel that was closed, room or not', async () => {
    const talk: Behaviour = {
      exec: (channel, { ready, wire }) => {
        const bytes = Buffer.alloc(32_000, 'x');
        const goOn = (): void => {
          while (!wire.socket.destroyed && !wire.socket.writableNeedDrain) wire.data(channel, bytes);
          if (!wire.socket.destroyed) wire.socket.once('drain', goOn);
        };
        channel.write(ready, () => setImmediate(goOn));
      },
    };
    await withMachine(talk, async (machine, rig) => {
      const gone = new AbortController();
      const run = rig.hosts.host(rig.target, hostRun({ signal: gone.signal })).run(cmd`true`, { within });
      await expect.poll(() => machine.said, { interval: 1, timeout: 20_000 }).toBeGreaterThan(MIB);
      const reason = new Error('lease-lost');
      gone.abort(reason);
      await expect(run).rejects.toBe(reason);
      await expect.poll(() => machine.isHeard, { interval: 20, timeout: 30_000 }).toBe(false);
      expect(machine.said).toBeLessThan(90 * MIB);
    });
  });

  it('is hung up on when it makes nothing of a farewell', async () => {
    let talks: NodeJS.Timeout | undefined;
    let hasBegun = false;
    const stays: Behaviour = {
      exec: (channel, { ready, wire }) => {
        hasBegun = true;
        wire.stay();
        channel.write(ready);
        // Too slow for a packet to come of it, which would be an error.
        wire.socket.once('end', () => (talks = setInterval(() => wire.socket.write('x'), 3_000)));
      },
    };
    await withMachine(stays, async (machine, rig) => {
      const run = failureOf(rig.hosts.host(rig.target, hostRun()).run(cmd`true`, { within }));
      await expect.poll(() => hasBegun, { interval: 20, timeout: 20_000 }).toBe(true);
      rig.hosts.close();
      await expect.poll(() => machine.isHeard, { interval: 50, timeout: 12_000 }).toBe(false);
      clearInterval(talks);
      expect(await run).toMatchObject({ code: 'remote.connection-lost' });
    });
  }, 40_000);

  it('gets no more of a stream than it reads, whatever room it says it has', async () => {
    const deaf: Behaviour = {
      exec: (channel, { ready, wire }) => {
        channel.write(ready);
        wire.adjust(channel, 2 ** 31);
        wire.socket.pause();
      },
    };
    await withMachine(deaf, async (_machine, rig) => {
      let taken = 0;
      const input = new Readable({
        read() {
          taken += 64 * 1024;
          this.push(taken > 500 * MIB ? null : Buffer.alloc(64 * 1024));
        },
      });
      const claim = hostRun();
      const sent = failureOf(
        rig.hosts.connections.use(rig.target, { claim }, (connection) =>
          exec(connection, { script: 'cat', sudo: false, within: seconds(5), input }),
        ),
      );
      expect(await sent).toMatchObject({ code: 'remote.look-timeout' });
      expect(taken).toBeGreaterThan(64 * 1024);
      // What the kernel holds for both ends of a connection.
      expect(taken).toBeLessThan(30 * MIB);
    });
  });

  it('is not believed how a command ended', async () => {
    const dies: Behaviour = {
      exec: (channel, { ready, wire }) => {
        channel.write(ready);
        wire.exit(channel, 'X'.repeat(30_000));
        channel.end();
      },
    };
    await withMachine(dies, async (_machine, rig) => {
      const failure = await failureOf(rig.hosts.host(rig.target, hostRun()).run(cmd`true`, { within }));
      expect(failure).toMatchObject({ code: 'remote.command-failed' });
      expect(failure.message).toContain('signal SIG?');
      expect(failure.message.length).toBeLessThan(500);
    });
  });
});

describe('a file of a machine that lies', () => {
  const { STATUS_CODE } = ssh2.utils.sftp;
  let reads = 0;
  beforeAll(() => (reads = 0));
  const attributes = { mode: 0o100_644, uid: 0, gid: 0, size: 10, atime: 0, mtime: 0 };

  it('is read no further than was asked for, whatever size it had', async () => {
    const lies: Behaviour = {
      sftp: (sftp) => {
        sftp.on('STAT', (id) => sftp.attrs(id, attributes));
        sftp.on('OPEN', (id) => sftp.handle(id, Buffer.from('h')));
        sftp.on('CLOSE', (id) => sftp.status(id, STATUS_CODE.OK));
        sftp.on('READ', (id, _handle, _offset, length) => {
          reads += 1;
          sftp.data(id, Buffer.alloc(Math.min(length, 1_000), 'x'));
        });
      },
    };
    await withMachine(lies, async (_machine, rig) => {
      const { files } = rig.hosts.host(rig.target, hostRun());
      expect(await failureOf(files.read('/etc/motd', { atMost: 100_000 }))).toMatchObject({ code: 'remote.file-too-large' });
      expect(reads).toBeLessThan(120);
    });
  });

  it('is quoted with the beginning of what is wrong with it', async () => {
    const complains: Behaviour = {
      sftp: (sftp) => {
        sftp.on('STAT', (id) => sftp.attrs(id, attributes));
        sftp.on('OPEN', (id) => sftp.status(id, STATUS_CODE.FAILURE, 'x'.repeat(30_000)));
      },
    };
    await withMachine(complains, async (_machine, rig) => {
      const failure = await failureOf(rig.hosts.host(rig.target, hostRun()).files.read('/etc/motd'));
      expect(failure).toMatchObject({ code: 'remote.command-failed' });
      expect(failure.message.length).toBeLessThan(1_000);
    });
  });
});
