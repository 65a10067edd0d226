import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millis, Secret, seconds, waitUntil } from '@windlass/foundation';
import { endedWith, freePort, onFreePort } from '@windlass/foundation/testing';
import type { HostTarget } from '@windlass/mgmt-driver';

/** A real sshd on a free port of loopback, with keys and configuration of its own. Needs root and Debian's openssh-server. */
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

  /** @param extra lines of its configuration; `%PORT%` stands for its port */
  static start(...extra: string[]): Promise<TestSshd> {
    return TestSshd.startOn(freePort, ...extra);
  }

  /** On the first port given that nobody else has. */
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

  /** Starts again, on the same port, with what the configuration and keys are now. */
  async restart(): Promise<void> {
    await this.halt();
    // Where sshd wants to keep its unprivileged half.
    mkdirSync('/run/sshd', { recursive: true });
    const config = [
      `ListenAddress 127.0.0.1:${this.port}`,
      `HostKey ${this.folder}/host_key`,
      `AuthorizedKeysFile ${this.folder}/authorized_keys`,
      `PidFile none`,
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin yes',
      // It says when it listens.
      'LogLevel INFO',
      'MaxStartups 100',
      // Keeps root's bash from reading a .bashrc of this machine's that may take its time.
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
        // Another server may answer on the port: only its own word counts.
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

  /** Another key of the host, in place of the one it had. */
  makeHostKey(type: 'ed25519' | 'ecdsa' | 'rsa' = 'ed25519'): void {
    this.#makeKey('host_key', type);
  }

  /** `SHA256:...` of the present host key, as ssh-keygen tells it. */
  get fingerprint(): string {
    return execFileSync('ssh-keygen', ['-l', '-f', join(this.folder, 'host_key.pub')])
      .toString()
      .split(' ')[1]!;
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  /** Processes of sshd that serve a connection each. */
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

  /** Ends sshd; connections that it serves end with it. */
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

/** A login user that lives as long as a test. */
export class TestUser {
  readonly name = `wl-${randomBytes(4).toString('hex')}`;
  readonly password = new Secret(`pw-${randomBytes(9).toString('hex')} '"$\\`);
  readonly home = `/tmp/${this.name}-home`;

  /** `sudo`: what sudoers says of the user. */
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
    // Gone between the listing and now.
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
