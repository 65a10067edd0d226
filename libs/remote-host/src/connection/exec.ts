import { randomBytes } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';
import { describeDuration, TerminalError, TransientError, type Duration } from '@windlass/foundation';
import type { HostTarget } from '@windlass/mgmt-driver';
import type { ClientChannel } from 'ssh2';
import { nameOf } from './connect.js';
import { Awaited, Gathered } from '../output/gathered.js';
import { described, KIB, MIB, SaidTooMuch, Spending, type Allowance } from '../output/said-too-much.js';
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
  /** How much the machine may say on both streams until it is ended; 64 MiB. */
  readonly allowance?: Allowance;
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

/** {@link ExecAnswer} says so. */
export const MAX_OUTPUT_BYTES = 4 * MIB;
/** What is more than is kept is read all the same, so that a command comes to its end; sixteen times as much is no accident any more. */
const ALLOWANCE: Allowance = { bytes: 64 * MIB };
/** Greetings of a login shell and the lecture of sudo have a few KiB. */
const MAX_BEFORE_READY = 64 * KIB;

/** Whether a command on this host can be root's. */
export const mayBeRoot = (target: HostTarget): boolean => target.username === 'root' || target.privileges !== 'none';

/** @throws TerminalError `remote.no-privileges` */
export function needPrivileges(target: HostTarget, what: string): void {
  if (mayBeRoot(target)) return;
  throw new TerminalError('remote.no-privileges', `${what} needs root on ${nameOf(target)}, whose login has no privileges`);
}

/**
 * Runs a script over a session.
 * @throws TransientError `remote.connection-lost`, `remote.look-timeout`; TerminalError `remote.sudo-refused`, `remote.said-too-much`
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
  return new Session(connection, request, channel, { ready: new Awaited(`${ready}\n`), prompt, script }).answer();
}

interface Opening {
  ready: Awaited;
  prompt: string;
  script: Buffer;
}

/** One command under way: the password if sudo asks, then the script, then its input. */
class Session {
  readonly #stdout = new Gathered(MAX_OUTPUT_BYTES);
  readonly #stderr = new Gathered(MAX_OUTPUT_BYTES);
  readonly #prompted: Awaited;
  readonly #spent: Spending;
  #isReady = false;
  #bytesBeforeReady = 0;
  #hasFailed = false;
  #passwordSent = false;
  #exit: { status: number; signal: string | undefined } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: SshConnection,
    private readonly request: ExecRequest,
    private readonly channel: ClientChannel,
    private readonly opening: Opening,
  ) {
    this.#prompted = new Awaited(opening.prompt);
    this.#spent = new Spending(request.allowance ?? ALLOWANCE);
  }

  answer(): Promise<ExecAnswer> {
    const { channel, request } = this;
    return new Promise<ExecAnswer>((resolve, reject) => {
      const fail = (error: unknown): void => {
        reject(error instanceof Error ? error : new Error(String(error)));
        this.#hasFailed = true;
        this.#clear();
        // A machine that does as it likes would send on over a channel that is closed.
        if (error instanceof SaidTooMuch) this.connection.destroy(error);
        else channel.close();
      };
      const onAbort = (): void => fail(request.signal?.reason);
      channel.on('data', (chunk: Buffer) => this.#guard(fail, () => this.#hear(chunk, fail) && this.#onStdout(chunk, fail)));
      channel.stderr.on('data', (chunk: Buffer) =>
        this.#guard(fail, () => this.#hear(chunk, fail) && this.#onStderr(chunk, fail)),
      );
      channel.on(
        'exit',
        (code: number | null, signal?: string) => (this.#exit = { status: code ?? 128, signal: signalOf(signal) }),
      );
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

  /**
   * Counts it; whether anybody still wants it.
   * @throws SaidTooMuch
   */
  #hear(chunk: Buffer, fail: (error: unknown) => void): boolean {
    const allowance = this.request.allowance ?? ALLOWANCE;
    if (!this.#spent.takes(chunk.length)) throw this.#tooMuch(`more than ${described(allowance)} in answer to one call`);
    if (this.#hasFailed) return false;
    this.#listen(fail);
    return true;
  }

  #hearBeforeReady(chunk: Buffer): void {
    this.#bytesBeforeReady += chunk.length;
    if (this.#bytesBeforeReady <= MAX_BEFORE_READY) return;
    const advice = 'see what the login shell prints there (.bashrc, .profile), and ForceCommand in sshd_config';
    throw this.#tooMuch(`more than ${described({ bytes: MAX_BEFORE_READY })} before it ran anything; ${advice}`);
  }

  #tooMuch(detail: string): SaidTooMuch {
    return new SaidTooMuch(nameOf(this.connection.target), detail);
  }

  #onStdout(chunk: Buffer, fail: (error: unknown) => void): void {
    if (this.#isReady) {
      if (this.request.onStdout) this.request.onStdout(chunk);
      else this.#stdout.push(chunk);
      return;
    }
    // A login shell's own greeting may come first.
    const rest = this.opening.ready.restAfter(chunk);
    if (rest === undefined) {
      this.#hearBeforeReady(chunk);
      return;
    }
    this.#isReady = true;
    this.#send(fail);
    if (rest.length > 0) this.#onStdout(rest, fail);
  }

  #onStderr(chunk: Buffer, fail: (error: unknown) => void): void {
    this.#stderr.push(chunk);
    if (this.#isReady) return;
    this.#hearBeforeReady(chunk);
    if (this.#prompted.restAfter(chunk) === undefined) return;
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
      input.pipe(this.#paced()).pipe(this.channel);
    }
  }

  /** ssh2 takes as much as the machine's window has room for, whether the machine reads or not: it would pile up here. */
  #paced(): Transform {
    return new Transform({
      transform: (chunk, _encoding, done) => void this.connection.drained().then(() => done(undefined, chunk), done),
    });
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

/** The machine names it: what is no name of a signal is not passed on. */
const signalOf = (name: string | undefined): string | undefined =>
  name === undefined || /^SIG[A-Z0-9]{1,16}$/.test(name) ? name : 'SIG?';
