import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { describeDuration, TerminalError, TransientError, type Duration } from '@windlass/foundation';
import type { HostTarget } from '@windlass/mgmt-driver';
import type { ClientChannel } from 'ssh2';
import { nameOf } from './connect.js';
import type { SshConnection } from './ssh-connection.js';

/** A script to run over one SSH session. */
export interface ExecRequest {
  /** POSIX sh. It travels over standard input, so that no list of processes shows it. */
  readonly script: string;
  readonly sudo: boolean;
  /** What the script reads on its standard input. */
  readonly input?: Uint8Array | Readable;
  /** Until the answer is complete; undefined for what is watched by its silence. */
  readonly within: Duration | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Gets standard output instead of the answer; for what has no end yet. */
  readonly onStdout?: (chunk: Buffer) => void;
  /** With `onStdout`: so long a silence means that the host is gone. */
  readonly silence?: Duration;
}

/** How a script ended, and what it printed: at most 4 MiB of each stream; `truncated` when there was more. */
export interface ExecAnswer {
  readonly status: number;
  /** Such as `SIGTERM`; the status is 128 then. */
  readonly signal: string | undefined;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly truncated: boolean;
}

const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Whether a command on this host can be root's. */
export const mayBeRoot = (target: HostTarget): boolean => target.username === 'root' || target.privileges !== 'none';

/** @throws TerminalError `remote.no-privileges` */
export function needPrivileges(target: HostTarget, what: string): void {
  if (mayBeRoot(target)) return;
  throw new TerminalError('remote.no-privileges', `${what} needs root on ${nameOf(target)}, whose login has no privileges`);
}

/**
 * Runs a script over a session.
 * @throws TransientError `remote.connection-lost`, `remote.look-timeout`; TerminalError `remote.sudo-refused`
 */
export async function exec(connection: SshConnection, request: ExecRequest): Promise<ExecAnswer> {
  const sudo = request.sudo && connection.target.username !== 'root';
  const script = Buffer.from(request.script, 'utf8');
  // Random, so that nothing the host prints by itself is taken for it.
  const ready = `windlass-ready-${randomBytes(9).toString('hex')}`;
  const prompt = `windlass-sudo-${randomBytes(9).toString('hex')}`;
  // The login shell may be any: it sees nothing but this.
  const shell = `sh -c 'echo ${ready}; eval "$(head -c ${script.length})"'`;
  const channel = await connection.exec(sudo ? `exec sudo -k -S -p ${prompt} -- ${shell}` : `exec ${shell}`);
  return new Session(connection, request, channel, { ready: `${ready}\n`, prompt, script }).answer();
}

interface Opening {
  ready: string;
  prompt: string;
  script: Buffer;
}

/** One command under way: the password if sudo asks, then the script, then its input. */
class Session {
  readonly #stdout = new Capped();
  readonly #stderr = new Capped();
  #isReady = false;
  #passwordSent = false;
  #before = '';
  #exit: { status: number; signal: string | undefined } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: SshConnection,
    private readonly request: ExecRequest,
    private readonly channel: ClientChannel,
    private readonly opening: Opening,
  ) {}

  answer(): Promise<ExecAnswer> {
    const { channel, request } = this;
    return new Promise<ExecAnswer>((resolve, reject) => {
      const fail = (error: unknown): void => {
        reject(error instanceof Error ? error : new Error(String(error)));
        channel.close();
      };
      const onAbort = (): void => fail(request.signal?.reason);
      channel.on('data', (chunk: Buffer) => this.#guard(fail, () => this.#onStdout(chunk, fail)));
      channel.stderr.on('data', (chunk: Buffer) => this.#guard(fail, () => this.#onStderr(chunk, fail)));
      channel.on('exit', (code: number | null, signal?: string) => (this.#exit = { status: code ?? 128, signal }));
      // A command that ends without reading all its input is no error; a lost connection shows in the close.
      channel.on('error', () => undefined);
      channel.on('close', () => {
        this.#clear();
        request.signal?.removeEventListener('abort', onAbort);
        this.#guard(reject, () => resolve(this.#result()));
      });
      if (request.signal?.aborted === true) onAbort();
      else request.signal?.addEventListener('abort', onAbort, { once: true });
      const { within } = request;
      if (within !== undefined) this.#timer = setTimeout(() => fail(this.#overdue(within)), within);
      this.#listen(fail);
    });
  }

  #guard(fail: (error: unknown) => void, work: () => void): void {
    try {
      work();
    } catch (error) {
      fail(error);
    }
  }

  #onStdout(chunk: Buffer, fail: (error: unknown) => void): void {
    this.#listen(fail);
    if (this.#isReady) {
      if (this.request.onStdout) this.request.onStdout(chunk);
      else this.#stdout.push(chunk);
      return;
    }
    // A login shell's own greeting may come first.
    this.#before += chunk.toString('latin1');
    const at = this.#before.indexOf(this.opening.ready);
    if (at < 0) return;
    this.#isReady = true;
    const rest = Buffer.from(this.#before.slice(at + this.opening.ready.length), 'latin1');
    this.#send(fail);
    if (rest.length > 0) this.#onStdout(rest, fail);
  }

  #onStderr(chunk: Buffer, fail: (error: unknown) => void): void {
    this.#stderr.push(chunk);
    if (this.#isReady || !this.#stderr.bytes().toString('latin1').includes(this.opening.prompt)) return;
    this.#stderr.clear();
    const { password } = this.connection.target;
    const host = nameOf(this.connection.target);
    if (this.#passwordSent) {
      fail(new TerminalError('remote.sudo-refused', `sudo on ${host} refused the password of the login user`));
    } else if (password === undefined) {
      const advice = 'give the user a password in its credentials, or NOPASSWD in sudoers';
      fail(new TerminalError('remote.sudo-refused', `sudo on ${host} asks for a password and none is known: ${advice}`));
    } else {
      this.#passwordSent = true;
      this.channel.write(`${password.reveal()}\n`);
    }
  }

  #send(fail: (error: unknown) => void): void {
    const { input } = this.request;
    this.channel.write(this.opening.script);
    if (input === undefined) this.channel.end();
    else if (input instanceof Uint8Array) this.channel.end(Buffer.from(input));
    else {
      input.on('error', fail);
      input.pipe(this.channel);
    }
  }

  #listen(fail: (error: unknown) => void): void {
    if (this.request.silence === undefined) return;
    clearTimeout(this.#watch);
    const silent = `said nothing for ${describeDuration(this.request.silence)}`;
    this.#watch = setTimeout(() => fail(this.connection.lost(new Error(silent))), this.request.silence);
  }

  #result(): ExecAnswer {
    const { target } = this.connection;
    if (this.#exit === undefined) throw this.connection.lost();
    if (!this.#isReady) {
      const said = this.#stderr.bytes().toString('utf8').replaceAll(this.opening.prompt, '').trim().slice(-500);
      const what = this.request.sudo
        ? `sudo on ${nameOf(target)} did not let the user become root`
        : `${nameOf(target)} runs no sh`;
      throw new TerminalError('remote.sudo-refused', `${what} (exit status ${this.#exit.status}): ${said}`);
    }
    const truncated = this.#stdout.truncated || this.#stderr.truncated;
    return { ...this.#exit, stdout: this.#stdout.bytes(), stderr: this.#stderr.bytes(), truncated };
  }

  #overdue(within: Duration): TransientError {
    const { target } = this.connection;
    return new TransientError('remote.look-timeout', `no answer from ${nameOf(target)} in ${describeDuration(within)}`);
  }

  #clear(): void {
    clearTimeout(this.#watch);
    clearTimeout(this.#timer);
  }
}

/** Keeps the first of what comes. */
class Capped {
  #chunks: Buffer[] = [];
  #size = 0;
  truncated = false;

  push(chunk: Buffer): void {
    const room = MAX_OUTPUT_BYTES - this.#size;
    if (chunk.length > room) this.truncated = true;
    if (room <= 0) return;
    const kept = chunk.subarray(0, room);
    this.#chunks.push(kept);
    this.#size += kept.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  clear(): void {
    this.#chunks = [];
    this.#size = 0;
  }
}
