import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millis, Secret, seconds, waitUntil } from '@windlass/foundation';
import { endedWith, freePort, onFreePort } from '@windlass/foundation/testing';
import type { HostTarget } from '@windlass/mgmt-driver';

/** A real sshd on a free port of loopback, with its own keys and configuration. Needs root and Debian's openssh-server. */
export class TestSshd {
  readonly folder = mkdtempSync(join(tmpdir(), 'windlass-sshd-'));
  readonly clientKey: Secret;
  port = 0;
  #process: ChildProcess | undefined;

  private constructor(private readonly extra: readonly string[]) {
    // sshd reads the keys as the user who logs in.
    chmodSync(this.folder, 0o711);
    this.clientKey = new Secret(this.#makeKey('client_key', 'ed25519'));
    writeFileSync(join(this.folder, 'authorized_keys'), readFileSync(join(this.folder, 'client_key.pub')), { mode: 0o644 });
    this.#makeKey('host_key', 'ed25519');
  }

  /** @param extra more lines of the configuration, in which `%PORT%` is the port */
  static start(...extra: string[]): Promise<TestSshd> {
    return TestSshd.startOn(freePort, ...extra);
  }

  /** Starts on the first given port that is free. */
  static async startOn(nextPort: () => Promise<number>, ...extra: string[]): Promise<TestSshd> {
    const sshd = new TestSshd(extra);
    try {
      await onFreePort(nextPort, (port) => {
        sshd.port = port;
        return sshd.restart();
      });
      return sshd;
    } catch (error) {
      await sshd.stop();
      throw error;
    }
  }

  /** Starts again on the same port, with the present configuration and keys. */
  async restart(): Promise<void> {
    await this.halt();
    // The folder of sshd's unprivileged half.
    mkdirSync('/run/sshd', { recursive: true });
    const config = [
      `ListenAddress 127.0.0.1:${this.port}`,
      `HostKey ${this.folder}/host_key`,
      `AuthorizedKeysFile ${this.folder}/authorized_keys`,
      `PidFile none`,
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin yes',
      // sshd logs when it listens.
      'LogLevel INFO',
      'MaxStartups 100',
      // Keeps root's bash from reading this machine's .bashrc, which may be slow.
      'SetEnv SHLVL=1',
      'Subsystem sftp internal-sftp',
      ...this.extra.map((line) => line.replace('%PORT%', String(this.port))),
    ];
    writeFileSync(join(this.folder, 'sshd_config'), `${config.join('\n')}\n`);
    const started = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(this.folder, 'sshd_config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = started;
    let said = '';
    let ended = false;
    const hear = (chunk: Buffer): void => void (said += chunk.toString());
    started.stderr.on('data', hear);
    started.once('close', () => (ended = true));
    await waitUntil(
      (seen) => {
        seen(said);
        if (ended) this.#failed(said);
        // Another server may answer on the port: only sshd's own log counts.
        return Promise.resolve(said.includes(`Server listening on 127.0.0.1 port ${this.port}`) || undefined);
      },
      { for: `sshd on port ${this.port}`, within: seconds(20), every: millis(20) },
    );
    started.stderr.off('data', hear).resume();
  }

  #failed(said: string): never {
    this.#process = undefined;
    throw endedWith(`sshd on port ${this.port}`, said);
  }

  /** Replaces the host key. */
  makeHostKey(type: 'ed25519' | 'ecdsa' | 'rsa' = 'ed25519'): void {
    this.#makeKey('host_key', type);
  }

  /** The fingerprint of the present host key, `SHA256:...`, by ssh-keygen. */
  get fingerprint(): string {
    return execFileSync('ssh-keygen', ['-l', '-f', join(this.folder, 'host_key.pub')])
      .toString()
      .split(' ')[1]!;
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  /** The processes of sshd that serve a connection each. */
  sessions(): number[] {
    return childrenOf(this.pid).flatMap((child) => [child, ...childrenOf(child).filter((pid) => isSshd(pid))]);
  }

  target(overrides: Partial<HostTarget> = {}): HostTarget {
    return {
      resourceId: `server-${randomBytes(4).toString('hex')}`,
      address: '127.0.0.1',
      port: this.port,
      username: 'root',
      ...(overrides.password === undefined && { privateKey: this.clientKey }),
      ...overrides,
    };
  }

  /** Ends sshd with its connections. */
  async halt(): Promise<void> {
    const process = this.#process;
    if (process?.pid === undefined) return;
    const sessions = this.sessions();
    for (const pid of [process.pid, ...sessions]) signal(pid, 'SIGCONT');
    for (const pid of [process.pid, ...sessions]) signal(pid, 'SIGKILL');
    await waitUntil(() => Promise.resolve(process.exitCode !== null || process.signalCode !== null ? true : undefined), {
      for: 'sshd to end',
      within: seconds(20),
      every: millis(10),
    });
    this.#process = undefined;
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #makeKey(name: string, type: string): string {
    const path = join(this.folder, name);
    rmSync(path, { force: true });
    rmSync(`${path}.pub`, { force: true });
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', 'windlass-test', '-f', path]);
    return readFileSync(path, 'utf8');
  }
}

/** A user of this machine for the time of a test. */
export class TestUser {
  readonly name = `wl-${randomBytes(4).toString('hex')}`;
  readonly password = new Secret(`pw-${randomBytes(9).toString('hex')} '"$\\`);
  readonly home = `/tmp/${this.name}-home`;

  /** @param sudo the user's rights in sudoers */
  constructor(sudo: 'password' | 'nopasswd' | 'no', shell = '/bin/sh') {
    execFileSync('useradd', ['--create-home', '--home-dir', this.home, '--shell', shell, this.name], { stdio: 'pipe' });
    execFileSync('chpasswd', { input: `${this.name}:${this.password.reveal()}\n`, stdio: 'pipe' });
    if (sudo === 'no') return;
    const tag = sudo === 'nopasswd' ? 'NOPASSWD: ' : '';
    writeFileSync(this.#sudoers, `${this.name} ALL=(ALL:ALL) ${tag}ALL\n`, { mode: 0o440 });
  }

  get #sudoers(): string {
    return `/etc/sudoers.d/${this.name}`;
  }

  remove(): void {
    rmSync(this.#sudoers, { force: true });
    execFileSync('userdel', ['--force', '--remove', this.name], { stdio: 'pipe' });
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statOf(pid)?.[1] === String(parent));
}

/** Fields of /proc/pid/stat after the name: state, parent, group, session... */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    // The process has ended since the listing.
    return undefined;
  }
}

function isSshd(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'sshd';
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
