import { describeDuration, InvariantError, observed, seconds, TerminalError, TransientError } from '@windlass/foundation';
import {
  cmd,
  type Command,
  type Host,
  type HostFacts,
  type HostFiles,
  type HostRun,
  type HostTarget,
  type JobResult,
  type JobSpec,
  type RunOptions,
  type RunResult,
} from '@windlass/mgmt-driver';
import { exec, needPrivileges } from './connection/exec.js';
import { RemoteFiles } from './files/remote-files.js';
import { runParameters } from './jobs/job-calls.js';
import { Job } from './jobs/job.js';
import { lastLines, maskedEnd } from './jobs/log-lines.js';
import { bytesOf } from './jobs/prepared.js';
import { Masker } from './output/masker.js';
import { HostClock } from './runner/clock.js';
import type { Runner } from './runner/runner.js';

/** Exit status of `timeout` when the time is over. */
const TIMED_OUT = 124;

/** Names as `x86_64` or `ubuntu` go into messages and file names. */
const MAX_FACT_LENGTH = 100;

/** A machine reached by SSH, bound to one run of a step. */
export class RemoteHost implements Host {
  readonly files: HostFiles;
  readonly #masker: Masker;
  readonly #jobs = new Set<string>();
  #facts: Promise<HostFacts> | undefined;

  constructor(
    private readonly runner: Runner,
    private readonly boundTo: HostRun,
  ) {
    const { username, password, privateKey, passphrase } = runner.target;
    this.#masker = new Masker([password, privateKey, passphrase, ...(boundTo.secrets ?? [])], [username]);
    this.files = new RemoteFiles(runner, boundTo, this.#masker);
  }

  get target(): HostTarget {
    return this.runner.target;
  }

  get signal(): AbortSignal {
    return this.boundTo.signal;
  }

  run(command: Command, options: RunOptions): Promise<RunResult> {
    return observed({ kind: 'ssh', name: 'run', attributes: { 'server.address': this.target.address } }, () =>
      this.#run(command, options),
    );
  }

  async #run(command: Command, options: RunOptions): Promise<RunResult> {
    const sudo = options.sudo ?? false;
    if (sudo) needPrivileges(this.target, this.#shown(command));
    this.#masker.add(options.input);
    const began = performance.now();
    const text = Buffer.from(command.text, 'utf8');
    // The host ends it, also when nobody is there any more to see it; what remains of its group gets a KILL. The text comes by standard input:
    // as an argument of `timeout` every user of the host could read it.
    const script = `exec timeout -k 5 ${Math.max(0.001, options.within / 1000).toFixed(3)} sh -c 'eval "$(head -c ${text.length})"'`;
    const answer = await this.runner.use(this.signal, (connection) =>
      exec(connection, {
        script,
        sudo,
        within: (options.within + seconds(15)) as typeof options.within,
        signal: this.signal,
        input: options.input === undefined ? text : Buffer.concat([text, bytesOf(options.input)]),
      }),
    );
    const { status, signal, truncated } = answer;
    if ((status === TIMED_OUT || signal === 'SIGKILL') && performance.now() - began >= options.within) {
      throw new TransientError(
        'remote.look-timeout',
        `${this.#shown(command)} on ${this.runner.host} did not end within ${describeDuration(options.within)}`,
      );
    }
    const result = { status, signal, stdout: answer.stdout.toString('utf8'), stderr: answer.stderr.toString('utf8'), truncated };
    this.#expect(command, options, result);
    return result;
  }

  async job(name: string, spec: JobSpec): Promise<JobResult> {
    if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name))
      throw new InvariantError(`"${name}" is no name of a job: small letters, digits and dashes`);
    if (this.#jobs.has(name))
      throw new InvariantError(`step ${this.boundTo.stepId} uses the name "${name}" for two jobs in one run: give each its own`);
    this.#jobs.add(name);
    const attributes = { 'server.address': this.target.address, 'windlass.job': name };
    return observed({ kind: 'ssh', name: 'job', attributes }, () =>
      new Job(this.runner, this.boundTo, name, spec, this.#masker).result(),
    );
  }

  async quiet(): Promise<void> {
    const parameters = runParameters(this.boundTo);
    const clock = HostClock.from(await this.runner.call('clock', parameters, { signal: this.signal }));
    if (clock === undefined) throw new InvariantError(`${this.runner.host} told no clock`);
    await this.runner.call('quiet', { ...parameters, ...clock.deadline(this.boundTo) }, { signal: this.signal });
  }

  facts(): Promise<HostFacts> {
    this.#facts ??= this.#readFacts().catch((error: unknown) => {
      this.#facts = undefined;
      throw error;
    });
    return this.#facts;
  }

  async #readFacts(): Promise<HostFacts> {
    const { stdout } = await this.run(cmd`uname -m && cat /etc/os-release`, { within: seconds(30) });
    const [arch = '', ...lines] = stdout.split('\n');
    const value = (key: string): string =>
      lines
        .find((line) => line.startsWith(`${key}=`))
        ?.slice(key.length + 1)
        .slice(0, MAX_FACT_LENGTH)
        .replaceAll(/^["']|["']$/g, '') ?? '';
    return { arch: arch.slice(0, MAX_FACT_LENGTH), osId: value('ID'), osVersion: value('VERSION_ID') };
  }

  #expect(command: Command, options: RunOptions, result: RunResult): void {
    const expected = options.expect ?? [0];
    if (expected === 'any' || (result.signal === undefined && expected.includes(result.status))) return;
    const how = result.signal === undefined ? `exit status ${result.status}` : `signal ${result.signal}`;
    const said =
      options.secretOutput === true
        ? 'its output is secret'
        : lastLines(maskedEnd(this.#masker, result.stderr), maskedEnd(this.#masker, result.stdout));
    throw new TerminalError(
      'remote.command-failed',
      `${this.#shown(command)} on ${this.runner.host} failed with ${how}: ${said}`,
    );
  }

  #shown(command: Command): string {
    return this.#masker.mask(command.display);
  }
}
