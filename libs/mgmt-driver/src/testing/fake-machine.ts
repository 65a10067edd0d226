import { InvariantError, TerminalError, TransientError, type Duration, type Secret } from '@windlass/foundation';
import type { FileStat, HostFacts, HostRun } from '../host.js';

/** The clock of a fake machine: the real one, or a virtual one. */
export interface FakeClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(duration: Duration, signal?: AbortSignal): Promise<void>;
}

/** A call of a scripted command. */
export interface FakeCall {
  readonly machine: FakeMachine;
  readonly command: string;
  /** `job`: the command of a job. `run`: a look. */
  readonly kind: 'run' | 'job';
  readonly asRoot: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** The contents of the job's own files, by path. */
  readonly files: ReadonlyMap<string, string>;
}

/** The behaviour of a scripted command; status 0 and no output unless given. */
export interface FakeReply {
  readonly status?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** The time that the process takes; none unless given. */
  readonly takes?: Duration;
  /** The change of the world when the process ends by itself. */
  readonly effect?: () => void | Promise<void>;
}

/** A process that ran on a fake machine, by which tests see what ran twice. */
export interface FakeProcess {
  readonly resourceId: string;
  readonly operationId: string;
  readonly stepId: string;
  /** Of the attempt that started it. */
  readonly attemptEpoch: number;
  readonly job: string;
  readonly command: string;
  readonly startedAt: number;
  endedAt: number | undefined;
  /** `exited`: by itself. */
  ending: 'exited' | 'killed' | undefined;
}

/** The state of a fake machine's job: it runs, has ended by itself, or was ended by the machine for a reason. */
export type FakeJobState =
  | { kind: 'running' }
  | { kind: 'exited'; status: number }
  | { kind: 'ended'; reason: 'timeout' | 'cancelled' | 'superseded' | 'lost' };

/** A job in a machine's table. */
export interface FakeJob {
  readonly operationId: string;
  readonly stepId: string;
  readonly name: string;
  readonly attemptEpoch: number;
  readonly phase: 'do' | 'undo';
  readonly vnfInstanceId: string;
  readonly process: FakeProcess;
  state: FakeJobState;
  stdout: string;
  stderr: string;
  receipt: Secret | undefined;
  mask: readonly Secret[];
  /** Resolves when the job is over. */
  readonly over: Promise<void>;
  readonly kill: (reason: Extract<FakeJobState, { kind: 'ended' }>['reason']) => void;
}

/** A machine's memory of a step. */
interface FakeStep {
  fence: { epoch: number; sealed: boolean };
  jobs: Map<string, FakeJob>;
}

/** A machine in memory with its files, jobs and faults, which outlives every worker. */
export class FakeMachine {
  readonly files = new Map<string, { content: Buffer; mode: number; owner: string }>();
  /** Whether no connection reaches the machine. */
  unreachable = false;
  /** Whether processes do not end, not even by SIGKILL. */
  stubborn = false;
  facts: HostFacts = { osId: 'debian', osVersion: '12', arch: 'x86_64' };
  readonly #steps = new Map<string, FakeStep>();

  constructor(
    readonly resourceId: string,
    private readonly clock: FakeClock,
    private readonly processes: FakeProcess[],
  ) {}

  /** Restarts the machine: processes end, files stay. */
  reboot(): void {
    for (const job of this.#jobs()) job.kill('lost');
  }

  /** The processes that run now. */
  get running(): FakeProcess[] {
    return this.processes.filter(({ resourceId, endedAt }) => resourceId === this.resourceId && endedAt === undefined);
  }

  stat(path: string): FileStat | undefined {
    const file = this.files.get(path);
    if (file === undefined) return this.#isFolder(path) ? { kind: 'directory', size: 0, mode: 0o755, uid: 0, gid: 0 } : undefined;
    return { kind: 'file', size: file.content.length, mode: file.mode, uid: 0, gid: 0 };
  }

  /**
   * Connects.
   * @throws TransientError where the machine is unreachable
   */
  reach(): void {
    if (this.unreachable) throw new TransientError('remote.unreachable', `${this.resourceId} can't be reached`);
  }

  /** @throws TerminalError `remote.stale-epoch`, `remote.job-ended` */
  passFence(run: Pick<HostRun, 'operationId' | 'stepId' | 'epoch'>): void {
    const { fence } = this.#step(run);
    if (run.epoch < fence.epoch) throw this.#stale(fence.epoch);
    if (run.epoch === fence.epoch && fence.sealed) {
      throw new TerminalError('remote.job-ended', `the step's jobs on ${this.resourceId} were ended on request`);
    }
    if (run.epoch > fence.epoch) this.#step(run).fence = { epoch: run.epoch, sealed: false };
  }

  /**
   * The job of this attempt or of an earlier attempt.
   * @throws TerminalError `remote.stale-epoch` where the job is a later attempt's
   */
  find(run: HostRun, name: string): FakeJob | undefined {
    const job = this.#step(run).jobs.get(name);
    if (job !== undefined && job.attemptEpoch > run.attemptEpoch) throw this.#stale(job.attemptEpoch);
    return job;
  }

  /** The jobs that may not run beside this run's. */
  intruders(run: HostRun): FakeJob[] {
    return this.#unended().filter((job) => {
      if (job.operationId !== run.operationId) return job.vnfInstanceId === run.vnfInstanceId;
      return job.stepId === run.stepId ? job.attemptEpoch !== run.attemptEpoch : job.phase !== run.phase;
    });
  }

  /** Ends other runs' jobs, and keeps the present claims of their steps from starting more. */
  clear(run: HostRun, jobs: readonly FakeJob[]): void {
    for (const job of jobs) {
      const own = job.operationId === run.operationId && job.stepId === run.stepId;
      if (!own) this.#step(job).fence.sealed = true;
      this.#end(job, 'superseded');
    }
  }

  quiet(run: HostRun): void {
    const others = this.#unended().filter(
      (job) => job.vnfInstanceId === run.vnfInstanceId && (job.operationId !== run.operationId || job.stepId !== run.stepId),
    );
    this.clear(run, others);
  }

  /** Adds a job to the table, and runs the job's process. */
  start(run: HostRun, name: string, command: string, reply: FakeReply, given: Pick<FakeJob, 'receipt' | 'mask'>): FakeJob {
    const process: FakeProcess = {
      resourceId: this.resourceId,
      operationId: run.operationId,
      stepId: run.stepId,
      attemptEpoch: run.attemptEpoch,
      job: name,
      command,
      startedAt: this.clock.now(),
      endedAt: undefined,
      ending: undefined,
    };
    this.processes.push(process);
    const killed = new AbortController();
    const { operationId, stepId, attemptEpoch, phase, vnfInstanceId } = run;
    const job: FakeJob = {
      ...{ operationId, stepId, name, attemptEpoch, phase, vnfInstanceId, process, ...given },
      state: { kind: 'running' },
      stdout: '',
      stderr: '',
      over: Promise.resolve(),
      kill: (reason) => {
        if (job.state.kind !== 'running') return;
        job.state = { kind: 'ended', reason };
        Object.assign(process, { endedAt: this.clock.now(), ending: 'killed' });
        killed.abort();
      },
    };
    this.#step(run).jobs.set(name, job);
    Object.assign(job, { over: this.#live(job, reply, killed.signal) });
    return job;
  }

  endJob(job: FakeJob, reason: 'timeout'): void {
    this.#end(job, reason);
  }

  /** @throws TerminalError `remote.stale-epoch`; TransientError `remote.not-confirmed-stopped` */
  endStep(step: { operationId: string; stepId: string; epoch: number }): string[] {
    const { fence, jobs } = this.#step(step);
    if (step.epoch < fence.epoch) throw this.#stale(fence.epoch);
    this.#step(step).fence = { epoch: step.epoch, sealed: true };
    const running = [...jobs.values()].filter((job) => job.state.kind === 'running');
    for (const job of running) this.#end(job, 'cancelled');
    return running.map((job) => job.name);
  }

  async #live(job: FakeJob, reply: FakeReply, killed: AbortSignal): Promise<void> {
    job.stdout = reply.stdout ?? '';
    job.stderr = reply.stderr ?? '';
    if (reply.takes !== undefined) {
      const ended = await this.clock.sleep(reply.takes, killed).then(
        () => true,
        () => false,
      );
      if (!ended) return;
    }
    if (job.state.kind !== 'running') return;
    await reply.effect?.();
    job.state = { kind: 'exited', status: reply.status ?? 0 };
    Object.assign(job.process, { endedAt: this.clock.now(), ending: 'exited' });
  }

  #end(job: FakeJob, reason: 'timeout' | 'cancelled' | 'superseded'): void {
    if (this.stubborn && job.state.kind === 'running') {
      throw new TransientError(
        'remote.not-confirmed-stopped',
        `${job.name} on ${this.resourceId} did not end, not even by SIGKILL`,
      );
    }
    job.kill(reason);
  }

  #jobs(): FakeJob[] {
    return [...this.#steps.values()].flatMap(({ jobs }) => [...jobs.values()]);
  }

  #unended(): FakeJob[] {
    return this.#jobs().filter((job) => job.state.kind === 'running');
  }

  #step(of: { operationId: string; stepId: string }): FakeStep {
    const key = JSON.stringify([of.operationId, of.stepId]);
    const step = this.#steps.get(key) ?? { fence: { epoch: 0, sealed: false }, jobs: new Map<string, FakeJob>() };
    this.#steps.set(key, step);
    return step;
  }

  #stale(epoch: number): TerminalError {
    return new TerminalError(
      'remote.stale-epoch',
      `a later claim of this step (epoch ${epoch}) was on ${this.resourceId} before`,
    );
  }

  #isFolder(path: string): boolean {
    return (
      ['/', '/etc', '/root', '/tmp', '/var', '/var/lib', '/usr/local/bin'].includes(path) ||
      [...this.files.keys()].some((file) => file.startsWith(`${path}/`))
    );
  }
}

/** The real clock. */
export const realClock: FakeClock = {
  now: () => Date.now(),
  sleep: (duration, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(done, Math.min(duration, 2 ** 31 - 1));
      function done(): void {
        signal?.removeEventListener('abort', aborted);
        resolve();
      }
      function aborted(): void {
        clearTimeout(timer);
        reject(signal?.reason instanceof Error ? signal.reason : new InvariantError('aborted'));
      }
      if (signal?.aborted === true) aborted();
      else signal?.addEventListener('abort', aborted, { once: true });
    }),
};
