import { minutes, observed, TerminalError, TransientError, type Duration, type WindlassError } from '@windlass/foundation';
import { quoteWord, type HostTarget } from '@windlass/mgmt-driver';
import type { Readable } from 'node:stream';
import { nameOf } from '../connection/connect.js';
import { exec, MAX_OUTPUT_BYTES, mayBeRoot, type ExecAnswer } from '../connection/exec.js';
import { quoted, SaidTooMuch, type Allowance } from '../output/said-too-much.js';
import type { SshConnection } from '../connection/ssh-connection.js';
import type { Caller, SshConnections } from '../connection/ssh-connections.js';
import type { HostSettings } from '../connection/options.js';
import { runnerScript, type RunnerScript } from './script.js';

/** What the runner script can be asked to do: its first argument. */
export type Verb =
  | 'clock'
  | 'look'
  | 'clear'
  | 'start'
  | 'follow'
  | 'finish'
  | 'end-job'
  | 'end-step'
  | 'quiet'
  | 'put'
  | 'receive'
  | 'place'
  | 'sweep';

/** What can be said twice: an answer that was lost on its way is asked for again. */
const REPEATABLE = new Set<Verb>(['clock', 'look', 'clear', 'finish', 'end-job', 'end-step', 'quiet', 'sweep']);
const MAX_LOSSES = 5;
/** These wait for processes to end, one after the other. */
const ENDING = new Set<Verb>(['clear', 'end-job', 'end-step', 'quiet']);

/** The longest answers hold a receipt and what is to be hidden; more is not kept anyway. */
const ANSWER_ALLOWANCE: Allowance = { bytes: MAX_OUTPUT_BYTES };
/** A line a job of the step, in the longest. */
const MAX_ANSWER_LINES = 1_000;
const ABSENT = Buffer.from('absent\n');

/** Parameters of the script: `WL_` names without that. */
export type Parameters = Readonly<Record<string, string | number>>;

/** How one call of the runner script is made. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Made anew for each try. */
  readonly input?: () => Uint8Array | Readable;
  readonly within?: Duration | 'endless';
  /** Gets the answer piece by piece; then it isn't collected. */
  readonly onAnswer?: (chunk: Buffer) => void;
  /** How much the script may say; 4 MiB. */
  readonly allowance?: Allowance;
}

/** The script refused, for a reason that the caller knows what to do about. */
export class Refusal extends TerminalError {
  constructor(
    readonly reason: string,
    detail: string,
    code = 'remote.refused',
  ) {
    super(code, detail);
    this.name = 'TerminalError';
  }
}

/** Calls the job script on one host; puts it there first, where it isn't yet. */
export class Runner {
  readonly #script: RunnerScript;

  constructor(
    readonly target: HostTarget,
    private readonly connections: SshConnections,
    readonly settings: HostSettings,
    private readonly caller: Omit<Caller, 'signal'>,
  ) {
    this.#script = runnerScript(settings.runnerScript);
  }

  get host(): string {
    return nameOf(this.target);
  }

  /** Runs `work` with a session's room on a connection to the host, made on behalf of the claim where there is none. */
  use<T>(signal: AbortSignal | undefined, work: (connection: SshConnection) => Promise<T>): Promise<T> {
    return this.connections.use(this.target, { ...this.caller, signal }, work);
  }

  /**
   * One call, said again over another connection where that is harmless. Returns the lines of the answer.
   * @throws Refusal; TransientError `remote.lease-over`, `remote.not-confirmed-stopped`, `remote.runner-failed`; TerminalError
   *   `remote.said-too-much`; what reaching the host throws
   */
  async call(verb: Verb, parameters: Parameters, options: CallOptions = {}): Promise<string[]> {
    return observed({ kind: 'ssh', name: verb, attributes: { 'server.address': this.target.address } }, () =>
      this.#repeated(verb, parameters, options),
    );
  }

  async #repeated(verb: Verb, parameters: Parameters, options: CallOptions): Promise<string[]> {
    for (let losses = 0; ; losses += 1) {
      try {
        return await this.#call(verb, parameters, options);
      } catch (error) {
        const again = error instanceof TransientError && error.code === 'remote.connection-lost' && REPEATABLE.has(verb);
        if (!again || losses >= MAX_LOSSES) throw error;
      }
    }
  }

  async #call(verb: Verb, parameters: Parameters, options: CallOptions): Promise<string[]> {
    const script = this.#callScript(verb, parameters);
    const within = options.within ?? (ENDING.has(verb) ? minutes(10) : minutes(2));
    for (let installs = 0; ; installs += 1) {
      const seen = { absent: false };
      const onStdout = options.onAnswer;
      const answer = await this.#exec(script, {
        ...options,
        within,
        input: options.input?.(),
        onStdout: onStdout && ((chunk) => (chunk.equals(ABSENT) ? (seen.absent = true) : onStdout(chunk))),
      });
      const lines = answer.stdout.toString('utf8').split('\n', MAX_ANSWER_LINES + 1);
      if (lines.length > MAX_ANSWER_LINES)
        throw new SaidTooMuch(this.host, `more than ${MAX_ANSWER_LINES} lines in answer to "${verb}"`);
      if (!seen.absent && lines[0] !== 'absent') return onStdout ? this.#followed(answer) : this.#check(answer, lines);
      if (installs > 0) throw this.#failed('the script is gone as soon as it is put there', answer);
      await this.#install(options.signal);
    }
  }

  /** @throws what a line of an answer says went wrong */
  fault(line: string): WindlassError | undefined {
    const [kind, what = '', ...rest] = quoted(line).split(' ');
    if (kind === 'failed' && what === 'alive') {
      return new TransientError(
        'remote.not-confirmed-stopped',
        `processes ${rest.join(', ')} on ${this.host} did not end, not even by SIGKILL; look at them there (ps -o pid,stat,wchan,args)`,
      );
    }
    if (kind === 'failed') return new TransientError('remote.runner-failed', `jobs on ${this.host}: ${what} ${rest.join(' ')}`);
    if (kind !== 'refused') return undefined;
    if (what === 'lease-over') {
      return new TransientError(
        'remote.lease-over',
        `${this.host} got the order after the lease that it was given under, or restarted`,
      );
    }
    if (what === 'stale-epoch') {
      const detail = `a later claim of this step (epoch ${rest[0] ?? '?'}) was on ${this.host} before: this one is no longer valid`;
      return new Refusal(what, detail, 'remote.stale-epoch');
    }
    if (what === 'sealed') return new Refusal(what, `the step's jobs on ${this.host} were ended on request`, 'remote.job-ended');
    return new Refusal(what, `${this.host} refused: ${what}`);
  }

  async #exec(
    script: string,
    options: Omit<CallOptions, 'input' | 'onAnswer'> & {
      input?: Uint8Array | Readable | undefined;
      onStdout?: ((chunk: Buffer) => void) | undefined;
    },
  ): Promise<ExecAnswer> {
    const { input, onStdout, signal, allowance = ANSWER_ALLOWANCE } = options;
    return this.use(signal, (connection) =>
      exec(connection, {
        script,
        sudo: mayBeRoot(this.target),
        allowance,
        within: options.within === 'endless' ? undefined : (options.within ?? minutes(2)),
        signal,
        ...(input && { input }),
        ...(onStdout && { onStdout, silence: this.settings.silence }),
      }),
    );
  }

  #check(answer: ExecAnswer, lines: string[]): string[] {
    for (const line of lines) {
      const fault = this.fault(line);
      if (fault !== undefined) throw fault;
    }
    if (lines.at(-2) !== '.' || lines.at(-1) !== '') throw this.#failed('the script broke off', answer);
    return lines.slice(0, -2);
  }

  #followed(answer: ExecAnswer): string[] {
    if (answer.status !== 0) throw this.#failed('the script broke off', answer);
    return [];
  }

  #failed(what: string, answer: ExecAnswer): TransientError {
    const said = answer.stderr.toString('utf8').trim().slice(-500);
    return new TransientError(
      'remote.runner-failed',
      `jobs on ${this.host}: ${what} (exit status ${answer.status}${answer.signal === undefined ? '' : `, ${answer.signal}`})${said === '' ? '' : `: ${said}`}`,
    );
  }

  /** Sets the root folder and the script's path. */
  #head(): string {
    const folder = this.settings.jobsFolder ?? (mayBeRoot(this.target) ? '/var/lib/windlass/jobs' : undefined);
    const root = folder === undefined ? '"$HOME/.local/state/windlass/jobs"' : quoteWord(folder);
    return `WL_ROOT=${root}; file=$WL_ROOT/.bin/jobs-${this.#script.sha256.slice(0, 16)}.sh; `;
  }

  #callScript(verb: Verb, parameters: Parameters): string {
    const { contain, stopGrace, keep, logLimit, bootIdFile } = this.settings;
    const all: Parameters = {
      ...parameters,
      CONTAIN: contain,
      GRACE: Math.ceil(stopGrace / 100),
      KEEP_DAYS: Math.max(1, Math.ceil(keep / 86_400_000)),
      LOG_LIMIT: logLimit,
      ...(bootIdFile === undefined ? {} : { BOOT_ID_FILE: bootIdFile }),
    };
    const words = Object.entries(all).map(([name, value]) => `WL_${name}=${quoteWord(value)}`);
    return `${this.#head()}[ -r "$file" ] || { echo absent; exit 0; }; export WL_ROOT ${words.join(' ')}; exec sh "$file" ${verb}`;
  }

  async #install(signal: AbortSignal | undefined): Promise<void> {
    const script =
      `${this.#head()}new=$file.$$; (umask 066; mkdir -p "$WL_ROOT/.bin") && umask 077 && cat >"$new" && ` +
      `sum=$(sha256sum "$new") && [ "\${sum%% *}" = ${this.#script.sha256} ] && mv -f "$new" "$file" || { rm -f "$new"; exit 1; }`;
    const answer = await this.#exec(script, { signal, input: Buffer.from(this.#script.text, 'utf8') });
    if (answer.status !== 0) throw this.#failed('the script could not be put there', answer);
  }
}
