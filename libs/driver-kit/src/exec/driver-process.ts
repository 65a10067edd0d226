import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, rm } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import {
  millis,
  maskSecrets,
  seconds,
  TerminalError,
  TransientError,
  type Duration,
  type JsonObject,
} from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import { ownFolder } from './own-folders.js';
import { EXEC_LIMITS, garbage, readSaid, type Said } from './said.js';

/** A user other than ours, so that an executable can't read our files and processes. */
export interface ProcessUser {
  name: string;
  uid: number;
  gid: number;
}

/** An executable, and what its processes are given beside what they are asked. */
export interface Executable {
  /** Absolute. */
  path: string;
  /** PATH and LANG; HOME is the process's own. Nothing else is passed on. */
  environment: Readonly<Record<'PATH' | 'LANG', string>>;
  /** Ours unless given. */
  user?: ProcessUser;
  log: MessagingLog;
}

/** How a process ended. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** What is asked of one process. */
export interface ProcessTask {
  /** For people: `run of write-notice@1`. */
  what: string;
  /** Masked in all that it says. */
  secrets?: readonly string[];
}

const SETPRIV = '/usr/bin/setpriv';
/** Lines of its standard error that stand in its error. */
const LAST_LINES = 5;
/** How long the output is read after the process has ended, where another process holds it open. */
const LAST_WORDS = millis(500);
/** How long a process may run after its answer. */
const ENDS_WITHIN = seconds(5);

/**
 * One process of an executable. It leads a process group, which ends with it. It has standard input and output, a folder of its own as HOME and
 * working folder, and nothing else of ours. It ends when we are killed.
 */
export class DriverProcess {
  readonly #lines: string[] = [];
  readonly #lastErrors: string[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #count = 0;
  #errorCount = 0;
  #broken: Error | undefined;
  #end: ProcessEnd | undefined;
  #wake: () => void = () => undefined;
  /** Resolves when the process has ended and all of its output was read. */
  readonly #closed: Promise<void>;

  private constructor(
    private readonly child: ChildProcessByStdio<Writable, Readable, Readable>,
    private readonly executable: Executable,
    private readonly task: ProcessTask,
    private readonly folder: string,
  ) {
    child.stdin.on('error', () => undefined); // it reads no more: how it ended tells why
    child.stdout.on('data', (chunk: Buffer) => this.#heard(chunk));
    this.#logErrors(child.stderr);
    this.#closed = new Promise<void>((resolve) => {
      const closed = (): void => {
        child.stdout.destroy();
        child.stderr.destroy();
        resolve();
      };
      child.once('error', (error) =>
        this.#break(new TransientError('driver.not-started', `${this.#who} can't be started: ${error.message}`)),
      );
      child.once('exit', (code, signal) => {
        this.signal('SIGKILL'); // what it has left behind
        this.#end = { code, signal };
        setTimeout(closed, LAST_WORDS).unref();
      });
      child.once('close', closed);
    }).then(() => {
      if (this.#rest.length > 0) this.#take(this.#rest);
      this.#end ??= { code: null, signal: null };
      this.#wake();
    });
  }

  /** @throws TerminalError `driver.no-setpriv` where it can't become another user on this machine */
  static async start(executable: Executable, task: ProcessTask): Promise<DriverProcess> {
    const { environment, user } = executable;
    const [file, ...words] = launched(executable, existsSync(SETPRIV));
    const folder = await ownFolder();
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    const child = spawn(file, words, {
      cwd: folder,
      env: { PATH: environment.PATH, LANG: environment.LANG, HOME: folder },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    return new DriverProcess(child, executable, task, folder);
  }

  /** Its process id, for tests of what is left of it. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  send(message: JsonObject): void {
    this.sendText(`${JSON.stringify(message)}\n`);
  }

  /** Sends a text as it is, which need not be a valid message. */
  sendText(text: string): void {
    if (this.child.stdin.writable) this.child.stdin.write(text);
  }

  /** Closes the input: nothing more will be sent. */
  endInput(): void {
    this.child.stdin.end();
  }

  /**
   * The next message of the process; undefined when the process has ended.
   * @throws TransientError `driver.silent` where there is none within the time; TerminalError `driver.garbage`
   */
  async next(within: Duration): Promise<Said | undefined> {
    const until = performance.now() + within;
    let allIsRead = false;
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) return readSaid(line, this.#where(this.#count - this.#lines.length), (text) => this.masked(text));
      if (this.#broken !== undefined) throw this.#broken;
      if (this.#end !== undefined) {
        await this.#closed;
        if (this.#isSilent()) return undefined;
        continue;
      }
      const left = until - performance.now();
      if (left > 0) await this.#woken(left);
      else if (allIsRead)
        throw new TransientError(
          'driver.silent',
          `${this.#who} said nothing for ${Math.round(within / 1_000)} s (${this.task.what}): expected a line, such as {"say":"alive"}${this.lastWords}`,
        );
      else {
        // After a pause of our process (SIGSTOP, a busy machine) timers run first, while messages still wait in the pipe.
        await setImmediate();
        allIsRead = true;
      }
    }
  }

  /** The end of the process. A process that runs on after its answer is killed after a while. */
  async ended(): Promise<ProcessEnd> {
    const timer = setTimeout(() => this.signal('SIGKILL'), ENDS_WITHIN);
    await this.#closed;
    clearTimeout(timer);
    return this.#end ?? { code: null, signal: null };
  }

  /**
   * Signals the process and all that it has started. A process that has ended gets no signal.
   * @throws Error where the system refuses it
   */
  signal(name: NodeJS.Signals): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** Ends what is left of it, and removes its folder. */
  async dispose(): Promise<void> {
    if (this.#end === undefined) this.signal('SIGKILL');
    await this.#closed;
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The last lines of its standard error, masked, as the end of a message. */
  get lastWords(): string {
    return this.#lastErrors.length === 0 ? '' : `. It said last: ${this.#lastErrors.join(' | ')}`;
  }

  /** A text of its own, without the secrets that it was given. */
  masked(text: string): string {
    return maskSecrets(text, this.task.secrets ?? []);
  }

  /** The error of a process that ended without an answer. */
  crashed({ code, signal }: ProcessEnd): TransientError {
    const how = signal === null ? `with status ${code ?? '?'}` : `by ${signal}`;
    return new TransientError('driver.ended', `${this.#who} ended ${how} without an answer (${this.task.what})${this.lastWords}`);
  }

  /** The error of a process that sent a message at the wrong time. */
  unexpected(said: string): Error {
    return garbage(
      this.#where(this.#count - this.#lines.length),
      `says "${said}", which is no answer to what it was asked (${this.task.what})`,
    );
  }

  get #who(): string {
    return this.executable.path;
  }

  #where(line: number): string {
    return `line ${line} that ${this.#who} printed (${this.task.what})`;
  }

  /** A method, because the last message may arrive between two calls. */
  #isSilent(): boolean {
    return this.#lines.length === 0 && this.#broken === undefined;
  }

  async #woken(within: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, within);
    });
    clearTimeout(timer);
  }

  #heard(chunk: Buffer): void {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10)) {
      this.#take(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
    }
    this.#rest = rest;
    if (rest.length > EXEC_LIMITS.line)
      this.#break(garbage(this.#where(this.#count + 1), `has more than ${EXEC_LIMITS.line} bytes`));
    this.#wake();
  }

  #take(bytes: Buffer): void {
    this.#rest = Buffer.alloc(0);
    if (this.#broken !== undefined) return;
    this.#count += 1;
    if (bytes.length > EXEC_LIMITS.line)
      this.#break(garbage(this.#where(this.#count), `has more than ${EXEC_LIMITS.line} bytes`));
    else if (this.#count > EXEC_LIMITS.lines)
      this.#break(garbage(this.#where(this.#count), `is one too many: ${EXEC_LIMITS.lines} are read`));
    else {
      const line = bytes.toString('utf8').trim();
      if (line === '') this.#count -= 1;
      else this.#lines.push(line);
    }
  }

  /** From now on no message of the process counts. */
  #break(error: Error): void {
    this.#broken ??= error;
    this.#rest = Buffer.alloc(0);
    this.signal('SIGKILL');
    this.#wake();
  }

  #logErrors(stream: Readable): void {
    let rest = '';
    let tooLong = false;
    const line = (text: string): void => {
      const shown = this.masked(text).trimEnd().slice(0, EXEC_LIMITS.errorLine);
      if (shown === '') return;
      this.#lastErrors.push(shown.slice(0, 300));
      if (this.#lastErrors.length > LAST_LINES) this.#lastErrors.shift();
      if (++this.#errorCount <= EXEC_LIMITS.errorLines)
        this.executable.log.info('the driver says', { of: this.task.what, line: shown });
      else if (this.#errorCount === EXEC_LIMITS.errorLines + 1)
        this.executable.log.warn('the driver says more than is logged', { of: this.task.what, lines: EXEC_LIMITS.errorLines });
    };
    // Only whole lines are masked: a chunk may end within a secret, or within a character.
    stream.setEncoding('utf8');
    const whole = (text: string): void => line(tooLong ? '(a line that was too long)' : text);
    stream.on('data', (chunk: string) => {
      const lines = chunk.split('\n');
      for (const end of lines.slice(0, -1)) {
        whole(rest + end);
        rest = '';
        tooLong = false;
      }
      rest += lines.at(-1) ?? '';
      // Nothing of such a line is shown, because the cut may lie within a secret.
      if (rest.length > EXEC_LIMITS.line) tooLong = true;
      if (tooLong) rest = '';
    });
    stream.on('close', () => {
      if (tooLong || rest !== '') whole(rest);
    });
  }
}

/**
 * The command line of an executable.
 * @throws TerminalError `driver.no-setpriv` where it is to run as another user and this machine has no means for that
 */
export function launched({ path, user }: Pick<Executable, 'path' | 'user'>, hasSetpriv: boolean): [string, ...string[]] {
  if (hasSetpriv) return [SETPRIV, ...setpriv(user), path];
  if (user === undefined) return [path];
  const problem = `${path} is to run as ${user.name}, but this machine has no ${SETPRIV}: install util-linux, or leave --user out`;
  throw new TerminalError('driver.no-setpriv', problem);
}

/** Makes the process end with us, forbids it to become another user, and changes the user where one is given. */
const setpriv = (user: ProcessUser | undefined): string[] => [
  ...(user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']),
  '--no-new-privs',
  '--pdeathsig=KILL',
  '--',
];
