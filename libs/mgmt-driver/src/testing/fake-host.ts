import type { Readable } from 'node:stream';
import {
  describeDuration,
  InvariantError,
  maskSecrets,
  millis,
  Secret,
  TerminalError,
  TransientError,
  type WindlassError,
} from '@windlass/foundation';
import type { Command } from '../cmd.js';
import type {
  FileContent,
  Host,
  HostFacts,
  HostFiles,
  HostRun,
  HostTarget,
  JobResult,
  JobSpec,
  PreparedRun,
  PutOptions,
  RunOptions,
  RunResult,
} from '../host.js';
import type { FakeCall, FakeClock, FakeJob, FakeMachine, FakeReply } from './fake-machine.js';

const text = (content: FileContent): string =>
  content instanceof Secret ? content.reveal() : typeof content === 'string' ? content : Buffer.from(content).toString('utf8');

/** The part of {@link FakeHosts} that one fake machine needs. */
export interface HostsAround {
  readonly looks: { resourceId: string; command: string }[];
  readonly clock: FakeClock;
  machine(resourceId: string): FakeMachine;
  reply(call: FakeCall): Promise<FakeReply>;
  point(name: string, job: string): Promise<void>;
}

/** A fake machine, bound to one run of a step. */
export class FakeHost implements Host {
  readonly files: HostFiles;
  readonly #jobs = new Set<string>();
  readonly #secrets: Secret[];

  constructor(
    private readonly hosts: HostsAround,
    readonly target: HostTarget,
    private readonly boundTo: HostRun,
  ) {
    const { password, privateKey, passphrase } = target;
    const own = [password, privateKey, passphrase].filter((secret) => secret !== undefined);
    this.#secrets = [...own, ...(boundTo.secrets ?? [])];
    this.files = {
      put: this.#put.bind(this),
      read: this.#read.bind(this),
      exists: this.#exists.bind(this),
      stat: this.#stat.bind(this),
    };
  }

  get signal(): AbortSignal {
    return this.boundTo.signal;
  }

  async run(command: Command, options: RunOptions): Promise<RunResult> {
    const machine = this.#reach();
    if (options.sudo === true) this.#needPrivileges(command.display);
    this.hosts.looks.push({ resourceId: machine.resourceId, command: command.text });
    const asRoot = options.sudo === true || this.target.username === 'root';
    const input = options.input === undefined ? '' : text(options.input);
    const reply = await this.hosts.reply({
      machine,
      command: command.text,
      kind: 'run',
      asRoot,
      env: {},
      input,
      files: new Map(),
    });
    if (reply.takes !== undefined) {
      await this.hosts.clock.sleep(millis(Math.min(reply.takes, options.within)), this.signal);
      if (reply.takes > options.within) {
        const detail = `${this.#mask(command.display)} on ${this.#name} did not end within ${describeDuration(options.within)}`;
        throw new TransientError('remote.look-timeout', detail);
      }
    }
    const { status = 0, stdout = '', stderr = '' } = reply;
    const expected = options.expect ?? [0];
    if (expected !== 'any' && !expected.includes(status)) {
      const said = options.secretOutput === true ? 'its output is secret' : this.#lastLines(stdout, stderr);
      throw new TerminalError(
        'remote.command-failed',
        `${this.#mask(command.display)} on ${this.#name} failed with exit status ${status}: ${said}`,
      );
    }
    return { status, signal: undefined, stdout, stderr, truncated: false };
  }

  async job(name: string, spec: JobSpec): Promise<JobResult> {
    if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) throw new InvariantError(`"${name}" is no name of a job`);
    if (this.#jobs.has(name))
      throw new InvariantError(`step ${this.boundTo.stepId} uses the name "${name}" for two jobs in one run`);
    this.#jobs.add(name);
    const { job, attached } = await this.#startOrAttach(name, spec);
    await this.#end(job, spec);
    this.#passOn(job, spec);
    const failure = this.#failureOf(job, spec);
    await this.hosts.point('before-after', name);
    try {
      if (job.receipt !== undefined) await spec.after?.(job.receipt);
    } catch (error) {
      throw failure === undefined ? error : withCause(failure, error);
    }
    await this.hosts.point('before-finish', name);
    this.#finish(job, spec);
    await this.hosts.point('before-result', name);
    if (failure !== undefined) throw failure;
    return this.#resultOf(job, spec, attached);
  }

  quiet(): Promise<void> {
    return Promise.resolve().then(() => {
      const machine = this.#reach();
      machine.passFence(this.boundTo);
      this.#assertLease();
      machine.quiet(this.boundTo);
    });
  }

  facts(): Promise<HostFacts> {
    return Promise.resolve().then(() => this.#reach().facts);
  }

  async #startOrAttach(name: string, spec: JobSpec): Promise<{ job: FakeJob; attached: boolean }> {
    for (;;) {
      const machine = this.#reach();
      machine.passFence(this.boundTo);
      const intruders = machine.intruders(this.boundTo);
      const there = machine.find(this.boundTo, name);
      if (intruders.length > 0) {
        this.#assertLease();
        machine.clear(this.boundTo, intruders);
      } else if (there?.attemptEpoch === this.boundTo.attemptEpoch) {
        this.#secrets.push(...there.mask);
        return { job: there, attached: true };
      } else {
        if (there?.receipt !== undefined) {
          await spec.after?.(there.receipt);
          there.receipt = undefined;
        }
        const started = await this.#start(name, spec);
        if (started !== undefined) return { job: started, attached: false };
      }
    }
  }

  /** Starts a job; undefined when another job began meanwhile. */
  async #start(name: string, spec: JobSpec): Promise<FakeJob | undefined> {
    const files = new Map<string, string>();
    const mask: Secret[] = [];
    const learn = (value: unknown): void => {
      if (value instanceof Secret) mask.push(value);
    };
    const folder = `/var/lib/windlass/jobs/.in/${this.boundTo.stepId}-${name}`;
    const prepared: PreparedRun = spec.prepare
      ? await spec.prepare({
          path: (file) => `${folder}/${file}`,
          put: (file, content) => {
            learn(content);
            files.set(`${folder}/${file}`, text(content));
            return Promise.resolve();
          },
        })
      : spec;
    const asRoot = spec.sudo ?? (this.target.privileges !== 'none' || this.target.username === 'root');
    if (asRoot) this.#needPrivileges(name);
    for (const value of [...Object.values(prepared.env ?? {}), prepared.input, prepared.receipt]) learn(value);
    this.#secrets.push(...mask);
    const receipt = typeof prepared.receipt === 'string' ? new Secret(prepared.receipt) : prepared.receipt;
    await this.hosts.point('before-start', name);
    const machine = this.#reach();
    const env = Object.fromEntries(Object.entries(prepared.env ?? {}).map(([key, value]) => [key, text(value)]));
    const input = prepared.input === undefined ? '' : text(prepared.input);
    const command = prepared.run.text;
    const reply = await this.hosts.reply({ machine, command, kind: 'job', asRoot, env, input, files });
    machine.passFence(this.boundTo);
    this.#assertLease();
    if (
      machine.intruders(this.boundTo).length > 0 ||
      machine.find(this.boundTo, name)?.attemptEpoch === this.boundTo.attemptEpoch
    ) {
      if (receipt !== undefined) await spec.after?.(receipt);
      return undefined;
    }
    const job = machine.start(this.boundTo, name, command, reply, { receipt, mask });
    await this.hosts.point('after-start', name);
    return job;
  }

  /** Waits for the end of a job, and ends the job when its time is over. */
  async #end(job: FakeJob, spec: JobSpec): Promise<void> {
    const left = job.process.startedAt + spec.within - this.hosts.clock.now();
    const done = new AbortController();
    const over = job.over.then(() => done.abort());
    const timeout = this.hosts.clock.sleep(millis(Math.max(0, left)), AbortSignal.any([this.signal, done.signal])).then(
      () => true,
      () => false,
    );
    const overran = await Promise.race([over.then(() => false), timeout]);
    if (job.state.kind !== 'running') return;
    this.signal.throwIfAborted();
    if (!overran) return this.#end(job, spec);
    const machine = this.#reachForEnd(job);
    machine.passFence(this.boundTo);
    machine.endJob(job, 'timeout');
  }

  #reachForEnd(job: FakeJob): FakeMachine {
    try {
      return this.#reach();
    } catch (error) {
      const detail = `the job ${job.name} on ${this.#name} overran and could not be ended: it can't be reached`;
      throw new TransientError('remote.not-confirmed-stopped', detail, { cause: error });
    }
  }

  #finish(job: FakeJob, spec: JobSpec): void {
    this.#reach();
    if (spec.secretOutput !== true) {
      job.stdout = this.#mask(job.stdout);
      job.stderr = this.#mask(job.stderr);
    }
    job.receipt = undefined;
    job.mask = [];
  }

  #passOn(job: FakeJob, spec: JobSpec): void {
    if (spec.secretOutput === true) return;
    for (const stream of ['stdout', 'stderr'] as const) {
      if (job[stream] !== '') spec.onOutput?.({ stream, text: this.#mask(job[stream]) });
    }
  }

  #resultOf(job: FakeJob, spec: JobSpec, attached: boolean): JobResult {
    const secret = spec.secretOutput === true;
    return {
      status: job.state.kind === 'exited' ? job.state.status : -1,
      stdoutTail: secret ? '' : this.#mask(job.stdout),
      stderrTail: secret ? '' : this.#mask(job.stderr),
      stdoutDropped: 0,
      stderrDropped: 0,
      startedAt: new Date(job.process.startedAt).toISOString(),
      endedAt: new Date(job.process.endedAt ?? 0).toISOString(),
      attached,
      ...(secret && { secretOutput: { stdout: new Secret(job.stdout), stderr: new Secret(job.stderr) } }),
    };
  }

  #failureOf(job: FakeJob, spec: JobSpec): WindlassError | undefined {
    const what = `job ${job.name} on ${this.#name}`;
    const { state } = job;
    if (state.kind === 'exited') {
      if ((spec.okStatuses ?? [0]).includes(state.status)) return undefined;
      const said = spec.secretOutput === true ? 'its output is secret' : this.#lastLines(job.stdout, job.stderr);
      return new TerminalError('remote.command-failed', `${what} failed with exit status ${state.status}: ${said}`);
    }
    if (state.kind === 'running') return new InvariantError(`${what} runs and was taken for ended`);
    if (state.reason === 'timeout') {
      return new TransientError(
        'remote.job-timeout',
        `${what} did not end within ${describeDuration(spec.within)} and was ended`,
      );
    }
    if (state.reason === 'lost')
      return new TransientError('remote.job-lost', `${what} is gone without a result: the host restarted`);
    return new TerminalError('remote.job-ended', `${what} was ended: ${state.reason}`);
  }

  async #put(path: string, content: FileContent | Readable, options: PutOptions = {}): Promise<void> {
    const machine = this.#reach();
    if (options.sudo === true) this.#needPrivileges(path);
    if (content instanceof Secret) this.#secrets.push(content);
    const bytes =
      typeof content === 'string' || content instanceof Secret || content instanceof Uint8Array
        ? Buffer.from(content instanceof Uint8Array ? content : text(content))
        : Buffer.concat((await content.toArray()).map((chunk) => Buffer.from(chunk as Uint8Array)));
    machine.passFence(this.boundTo);
    this.#assertLease();
    const folder = path.slice(0, path.lastIndexOf('/')) || '/';
    if (options.parents !== true && machine.stat(folder) === undefined) throw this.#noSuchFile(folder);
    const mode = options.mode ?? (content instanceof Secret ? 0o600 : 0o644);
    machine.files.set(path, {
      content: bytes,
      mode,
      owner: options.owner ?? (options.sudo === false ? this.target.username : 'root'),
    });
  }

  #read(path: string, options: { sudo?: boolean; atMost?: number } = {}): Promise<Buffer> {
    return Promise.resolve().then(() => {
      if (options.sudo === true) this.#needPrivileges(path);
      const file = this.#reach().files.get(path);
      if (file === undefined) throw this.#noSuchFile(path);
      if (file.content.length > (options.atMost ?? 4 * 1024 * 1024)) {
        throw new TerminalError('remote.file-too-large', `${path} on ${this.#name} has ${file.content.length} bytes`);
      }
      return file.content;
    });
  }

  #exists(path: string, options: { sudo?: boolean } = {}): Promise<boolean> {
    return this.#stat(path, options).then((stat) => stat !== undefined);
  }

  #stat(path: string, options: { sudo?: boolean } = {}): ReturnType<HostFiles['stat']> {
    return Promise.resolve().then(() => {
      if (options.sudo === true) this.#needPrivileges(path);
      return this.#reach().stat(path);
    });
  }

  get #name(): string {
    return `${this.target.username}@${this.target.address}`;
  }

  #reach(): FakeMachine {
    this.signal.throwIfAborted();
    const machine = this.hosts.machine(this.target.resourceId);
    machine.reach();
    return machine;
  }

  #assertLease(): void {
    this.boundTo.assertLease();
    if (this.boundTo.leaseLeft() < 0)
      throw new TransientError('remote.lease-over', `${this.#name} got the order after the lease`);
  }

  #needPrivileges(what: string): void {
    if (this.target.privileges === 'none' && this.target.username !== 'root') {
      throw new TerminalError('remote.no-privileges', `${what} needs root on ${this.#name}, whose login has no privileges`);
    }
  }

  #mask(printed: string): string {
    return maskSecrets(printed, this.#secrets);
  }

  #lastLines(stdout: string, stderr: string): string {
    const said = (stderr.trim() === '' ? stdout : stderr).trim();
    return said === '' ? 'it printed nothing' : `it printed at last:\n${this.#mask(said).split('\n').slice(-10).join('\n')}`;
  }

  #noSuchFile(path: string): TerminalError {
    return new TerminalError('remote.no-such-file', `there is no ${path} on ${this.#name}`);
  }
}

function withCause(failure: WindlassError, error: unknown): WindlassError {
  const detail = `${failure.message}\nand what it was given could not be taken back: ${error instanceof Error ? error.message : String(error)}`;
  return failure instanceof TransientError
    ? new TransientError(failure.code, detail, { cause: error })
    : new TerminalError(failure.code, detail, { cause: error });
}
