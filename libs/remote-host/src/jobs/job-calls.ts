import { randomUUID } from 'node:crypto';
import { InvariantError, Secret } from '@windlass/foundation';
import type { HostRun } from '@windlass/mgmt-driver';
import { badAnswer, MIB, quoted, SaidTooMuch, type Allowance } from '../output/said-too-much.js';
import type { Masker } from '../output/masker.js';
import { countOf } from '../runner/counts.js';
import { HostClock } from '../runner/clock.js';
import { FollowParser } from '../runner/follow-parser.js';
import type { Parameters, Runner } from '../runner/runner.js';
import { segment } from '../runner/segments.js';
import { parseState, type JobState } from './job-state.js';
import type { LogStream } from './log.js';
import { tooMuchToHide } from './prepared.js';

/** What a look at a job told. */
export interface JobLook {
  state: JobState;
  /** The jobs folder on the host. */
  root: string;
  clock: HostClock;
  /** Jobs run there that may not run beside this one. */
  intruders: boolean;
  /** What a `prepare` left that nobody took back yet; of this attempt or an earlier one. */
  receipt: Secret | undefined;
}

/** How following a job came to an end: it is over, or one must look again. */
export type Followed = JobState | { kind: 'look-again' };

/** The script sends at most half a MiB every half a second, and pauses less in its first seconds: 20 MiB in seven of them. */
const LOG_ALLOWANCE: Allowance = { bytes: 64 * MIB, perSecond: 2 * MIB };

/** Parameters of the runner script that name a step and its claim. */
export const stepParameters = (run: Pick<HostRun, 'operationId' | 'stepId' | 'epoch'>): Parameters => ({
  OP: segment(run.operationId),
  STEP: segment(run.stepId),
  EPOCH: run.epoch,
});

/** Parameters of the runner script that name a run: those of its step, the attempt, the phase and the VNF instance. */
export const runParameters = (run: HostRun): Parameters => ({
  ...stepParameters(run),
  ATTEMPT: run.attemptEpoch,
  PHASE: run.phase,
  SUBJECT: segment(run.vnfInstanceId),
});

/** The calls of one job of one run. */
export class JobCalls {
  readonly #parameters: Parameters;

  constructor(
    private readonly runner: Runner,
    private readonly run: HostRun,
    name: string,
  ) {
    this.#parameters = { ...runParameters(run), JOB: segment(name) };
  }

  async look(masker: Masker): Promise<JobLook> {
    const lines = await this.runner.call('look', this.#parameters, { signal: this.run.signal });
    const value = (key: string): string | undefined => lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
    const clock = HostClock.from(lines);
    if (clock === undefined) throw new InvariantError(`a look at a job told no clock: ${quoted(lines.join(' | '))}`);
    const mask = value('mask');
    if (mask !== undefined) for (const secret of this.#secretsOf(decode(mask))) masker.add(new Secret(secret));
    const receipt = value('receipt');
    return {
      state: parseState(this.runner.host, (value('state') ?? '').split(' ', 5)),
      root: value('root') ?? '',
      clock,
      intruders: lines.includes('intruders'),
      receipt: receipt === undefined ? undefined : new Secret(decode(receipt)),
    };
  }

  /**
   * What is to be hidden in the log, as the host was told at the job's start.
   * @throws TerminalError `remote.bad-answer`, `remote.said-too-much`
   */
  #secretsOf(json: string): string[] {
    const { host } = this.runner;
    const secrets = parsed(json);
    if (!Array.isArray(secrets) || !secrets.every((each) => typeof each === 'string'))
      throw badAnswer(host, 'what is to be hidden is no list');
    const tooMuch = tooMuchToHide(secrets);
    if (tooMuch !== undefined) throw new SaidTooMuch(host, tooMuch);
    return secrets;
  }

  /** Ends what may not run beside this job. */
  async clear(clock: HostClock): Promise<void> {
    await this.runner.call('clear', { ...this.#parameters, ...clock.deadline(this.run) }, { signal: this.run.signal });
  }

  /** False when another process of ours was faster, or something else came in between: look again. */
  async start(clock: HostClock, nonce: string, inputs: Buffer, asRoot: boolean): Promise<boolean> {
    const parameters = { ...this.#parameters, ...clock.deadline(this.run), NONCE: nonce, AS: asRoot ? 'root' : 'login' };
    const lines = await this.runner.call('start', parameters, { signal: this.run.signal, input: () => inputs });
    return lines.includes('started');
  }

  /** Reads the log from where the streams stand, until the job is over. */
  async follow(out: LogStream, err: LogStream, signal: AbortSignal): Promise<Followed> {
    let followed: Followed = { kind: 'look-again' };
    const { host } = this.runner;
    const parser = new FollowParser(host, {
      log: (stream, skipped, bytes) => {
        const log = stream === 'out' ? out : err;
        log.skip(skipped);
        log.push(bytes);
      },
      line: ([kind, ...words]) => {
        if (kind === 'state') followed = parseState(host, words);
        else if (kind === 'kept') for (const log of [out, err]) log.restart();
        else if (kind === 'dropped') {
          out.droppedBefore(countOf(host, words[0]));
          err.droppedBefore(countOf(host, words[1]));
        }
      },
    });
    const parameters = { ...this.#parameters, OUT_AT: out.offset, ERR_AT: err.offset };
    await this.runner.call('follow', parameters, {
      signal,
      within: 'endless',
      allowance: LOG_ALLOWANCE,
      onAnswer: (chunk) => parser.push(chunk),
    });
    return followed;
  }

  /** Ends the job and sees that it is gone. */
  async end(reason: 'timeout'): Promise<void> {
    await this.runner.call('end-job', { ...this.#parameters, REASON: reason }, { signal: this.run.signal });
  }

  /** Leaves this of the log on the host, and nothing else. */
  async finish(out: Buffer, err: Buffer, dropped: [number, number]): Promise<void> {
    const head = Buffer.from(`${out.length} ${err.length} ${dropped.join(' ')}\n`);
    await this.runner.call(
      'finish',
      { ...this.#parameters, NONCE: randomUUID() },
      { signal: this.run.signal, input: () => Buffer.concat([head, out, err]) },
    );
  }
}

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Without the reason: it would quote secrets.
    return undefined;
  }
}
