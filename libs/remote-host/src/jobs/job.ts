import { randomUUID } from 'node:crypto';
import {
  describeDuration,
  InvariantError,
  Secret,
  TerminalError,
  TransientError,
  type WindlassError,
} from '@windlass/foundation';
import type { HostRun, JobResult, JobSpec } from '@windlass/mgmt-driver';
import { mayBeRoot, needPrivileges } from '../connection/exec.js';
import type { Masker } from '../output/masker.js';
import { Refusal, type Runner } from '../runner/runner.js';
import { JobCalls, type JobLook } from './job-calls.js';
import type { EndedState } from './job-state.js';
import { LogStream } from './log.js';
import { lastLines } from './log-lines.js';
import { Inputs, prepare } from './prepared.js';

/** Looks that lead to nothing: far more than races can explain. */
const MAX_LOOKS = 100;
/** A job that is over was started here or elsewhere. */
interface Seen {
  end: EndedState;
  attached: boolean;
  receipt: Secret | undefined;
}

/** One job of one run: started or attached to, followed to its end, taken back. */
export class Job {
  readonly #calls: JobCalls;
  #out: LogStream;
  #err: LogStream;
  /** Prepared for a start of which nothing was heard. */
  #unsure: Secret | undefined;
  /** Times out by this process's monotonic clock; set when the job is known to run. */
  #until = Number.POSITIVE_INFINITY;

  constructor(
    private readonly runner: Runner,
    private readonly run: HostRun,
    private readonly name: string,
    private readonly spec: JobSpec,
    private readonly masker: Masker,
  ) {
    this.#calls = new JobCalls(runner, run, name);
    const onOutput = spec.secretOutput === true ? undefined : spec.onOutput;
    this.#out = new LogStream('stdout', masker, onOutput);
    this.#err = new LogStream('stderr', masker, onOutput);
  }

  /** @throws what {@link Host.job} says */
  async result(): Promise<JobResult> {
    const seen = await this.#toEnd();
    for (const log of [this.#out, this.#err]) log.end();
    const failure = this.#failureOf(seen.end);
    try {
      if (seen.receipt !== undefined) await this.spec.after?.(seen.receipt);
    } catch (error) {
      throw failure === undefined ? error : withCause(failure, error);
    }
    await this.#finish();
    if (failure !== undefined) throw failure;
    return this.#resultOf(seen);
  }

  async #toEnd(): Promise<Seen> {
    let startedHere: { receipt: Secret | undefined } | undefined;
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const look = await this.#calls.look(this.masker);
      const { state } = look;
      let { receipt } = look;
      await this.#settleUnsure(receipt);
      this.#until =
        state.kind === 'running' ? performance.now() + this.spec.within - state.elapsed * 10 : Number.POSITIVE_INFINITY;
      if (look.intruders) {
        await this.#calls.clear(look.clock);
        continue;
      }
      if (state.kind === 'none') {
        if (receipt !== undefined) await this.spec.after?.(receipt);
        startedHere = await this.#start(look);
        if (startedHere === undefined) continue;
        receipt = startedHere.receipt;
        this.#until = performance.now() + this.spec.within;
      }
      const end = await this.#follow();
      if (end !== undefined) return { end, attached: startedHere === undefined, receipt };
    }
    throw new InvariantError(`${MAX_LOOKS} looks at the job ${this.name} on ${this.runner.host} came to nothing`);
  }

  /** Undefined when it was not this call that started the job. What was prepared in vain is taken back. */
  async #start(look: JobLook): Promise<{ receipt: Secret | undefined } | undefined> {
    const nonce = randomUUID();
    const inputs = new Inputs(`${look.root}/.in/${nonce}`, this.masker);
    const asRoot = this.#asRoot();
    const prepared = await prepare(this.spec, inputs);
    const receipt = typeof prepared.receipt === 'string' ? new Secret(prepared.receipt) : prepared.receipt;
    try {
      if (await this.#calls.start(look.clock, nonce, inputs.complete(prepared), asRoot)) return { receipt };
    } catch (error) {
      // The order or its answer was lost: the next look tells which.
      if (error instanceof TransientError && error.code === 'remote.connection-lost') {
        this.#unsure = receipt;
        return undefined;
      }
      // Where it may have started all the same, what it was given is left to it.
      if (receipt !== undefined && certainlyNotStarted(error)) await this.spec.after?.(receipt);
      throw error;
    }
    if (receipt !== undefined) await this.spec.after?.(receipt);
    return undefined;
  }

  /** Takes back what was prepared for a start that did not happen. One that happened left its receipt on the host. */
  async #settleUnsure(onHost: Secret | undefined): Promise<void> {
    const unsure = this.#unsure;
    this.#unsure = undefined;
    if (unsure !== undefined && unsure.reveal() !== onHost?.reveal()) await this.spec.after?.(unsure);
  }

  #asRoot(): boolean {
    const { target } = this.runner;
    if (this.spec.sudo === true) needPrivileges(target, `the job ${this.name}`);
    return (this.spec.sudo ?? true) && mayBeRoot(target);
  }

  /** Undefined: look again. Over a lost connection it is followed further; beyond its time it is ended. */
  async #follow(): Promise<EndedState | undefined> {
    const overdue = new AbortController();
    const left = this.#until - performance.now();
    const timer = Number.isFinite(left) ? setTimeout(() => overdue.abort(), Math.min(Math.max(0, left), MAX_TIMER)) : undefined;
    try {
      const signal = AbortSignal.any([this.run.signal, overdue.signal]);
      const followed = await this.#calls.follow(this.#out, this.#err, signal);
      return followed.kind === 'exited' || followed.kind === 'ended' ? followed : undefined;
    } catch (error) {
      if (this.run.signal.aborted) throw error;
      if (overdue.signal.aborted) await this.#endOverdue();
      else if (!(error instanceof TransientError)) throw error;
      // A host that is gone for good shows in the look that follows.
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  async #endOverdue(): Promise<void> {
    try {
      await this.#calls.end('timeout');
    } catch (error) {
      if (error instanceof Refusal && error.reason === 'gone') return;
      if (!(error instanceof TransientError) || error.code === 'remote.not-confirmed-stopped') throw error;
      throw new TransientError(
        'remote.not-confirmed-stopped',
        `the job ${this.name} on ${this.runner.host} ran longer than ${describeDuration(this.spec.within)} and could not be ended: ${error.message}`,
        { cause: error },
      );
    }
  }

  async #finish(): Promise<void> {
    const logs = [this.#out, this.#err] as const;
    const raw = this.spec.secretOutput === true;
    const [out, err] = logs.map((log) => (raw ? log.tail : Buffer.from(log.masked(), 'utf8')));
    try {
      await this.#calls.finish(out ?? EMPTY, err ?? EMPTY, [this.#out.dropped, this.#err.dropped]);
    } catch (error) {
      // A later attempt has taken its folder over, and with it what was to be cleaned.
      if (!(error instanceof Refusal && error.reason === 'gone')) throw error;
    }
  }

  #resultOf({ end, attached }: Seen): JobResult {
    const secret = this.spec.secretOutput === true;
    const at = (clock: number): string => new Date(clock * 1000).toISOString();
    const raw = (log: LogStream): Secret => new Secret(log.tail.toString('utf8'));
    return {
      status: end.kind === 'exited' ? end.status : -1,
      stdoutTail: secret ? '' : this.#out.masked(),
      stderrTail: secret ? '' : this.#err.masked(),
      stdoutDropped: this.#out.dropped,
      stderrDropped: this.#err.dropped,
      startedAt: at(end.began),
      endedAt: at(end.ended),
      attached,
      ...(secret && { secretOutput: { stdout: raw(this.#out), stderr: raw(this.#err) } }),
    };
  }

  #failureOf(end: EndedState): WindlassError | undefined {
    const job = `job ${this.name} on ${this.runner.host}`;
    if (end.kind === 'exited') {
      if ((this.spec.okStatuses ?? [0]).includes(end.status)) return undefined;
      return new TerminalError('remote.command-failed', `${job} failed with exit status ${end.status}: ${this.#lastLines()}`);
    }
    if (end.reason === 'timeout') {
      const limit = describeDuration(this.spec.within);
      return new TransientError('remote.job-timeout', `${job} did not end within ${limit} and was ended: ${this.#lastLines()}`);
    }
    if (end.reason === 'lost') {
      return new TransientError(
        'remote.job-lost',
        `${job} is gone without a result: the host restarted, or someone killed it. ${this.#lastLines()}`,
      );
    }
    return new TerminalError('remote.job-ended', `${job} was ended: ${end.reason}`);
  }

  /** The end of what it printed, errors first looked at. */
  #lastLines(): string {
    if (this.spec.secretOutput === true) return "its output is secret; root finds it in the job's folder on the host";
    return lastLines(this.#err.masked(), this.#out.masked());
  }
}

/** setTimeout takes no more; a job that long is looked at again then. */
const MAX_TIMER = 2 ** 31 - 1;
const EMPTY = Buffer.alloc(0);

const certainlyNotStarted = (error: unknown): boolean =>
  error instanceof Refusal ||
  error instanceof InvariantError ||
  (error instanceof TransientError && error.code === 'remote.lease-over');

/** The failure stays what it is; what went wrong after it is told with it. */
function withCause(failure: WindlassError, error: unknown): WindlassError {
  const detail = `${failure.message}\nand what it was given could not be taken back: ${error instanceof Error ? error.message : String(error)}`;
  return failure instanceof TransientError
    ? new TransientError(failure.code, detail, { cause: error })
    : new TerminalError(failure.code, detail, { cause: error });
}
