import { TransientError } from '@windlass/foundation';
import type { EndJobs, Host, HostRun, Hosts, HostTarget } from '../host.js';
import { FakeHost } from './fake-host.js';
import { FakeMachine, realClock, type FakeCall, type FakeClock, type FakeProcess, type FakeReply } from './fake-machine.js';

/** A point of a job at which a worker may die. */
export type FakePoint = 'before-start' | 'after-start' | 'before-after' | 'before-finish' | 'before-result';

/** Options of {@link FakeHosts}: a clock of the test, and a hook at each point of a job. */
export interface FakeHostsOptions {
  readonly clock?: FakeClock;
  /** Called at each {@link FakePoint}. An error thrown there is the worker's death: the machine keeps its state. */
  readonly atPoint?: (point: FakePoint, job: string) => void | Promise<void>;
}

/** Answers a command; undefined leaves the command to another script. */
type Script = FakeReply | ((call: FakeCall) => FakeReply | undefined | Promise<FakeReply>);

/**
 * Hosts in memory, with jobs that outlive workers, under the same contract as hosts over SSH. Commands are scripted by
 * pattern: the last matching script with an answer answers. A command without a script fails like an unknown command (127).
 */
export class FakeHosts implements Hosts {
  /** Every process of a job so far. */
  readonly processes: FakeProcess[] = [];
  /** Every look so far. */
  readonly looks: { resourceId: string; command: string }[] = [];
  readonly clock: FakeClock;
  readonly #machines = new Map<string, FakeMachine>();
  readonly #scripts: { pattern: RegExp; script: Script }[] = [];

  constructor(private readonly options: FakeHostsOptions = {}) {
    this.clock = options.clock ?? realClock;
  }

  /** Adds a script for the commands that match the pattern. */
  on(pattern: RegExp, script: Script): this {
    this.#scripts.unshift({ pattern, script });
    return this;
  }

  machine(resourceId: string): FakeMachine {
    const machine = this.#machines.get(resourceId) ?? new FakeMachine(resourceId, this.clock, this.processes);
    this.#machines.set(resourceId, machine);
    return machine;
  }

  /** Removes a machine with its processes and files. */
  destroy(resourceId: string): void {
    this.#machines.get(resourceId)?.reboot();
    this.#machines.delete(resourceId);
  }

  /** Pairs of processes of one step that ran on one machine at the same time, without jobs of one run: there must be none. */
  doubled(): [FakeProcess, FakeProcess][] {
    const pairs: [FakeProcess, FakeProcess][] = [];
    const end = (process: FakeProcess): number => process.endedAt ?? Number.POSITIVE_INFINITY;
    this.processes.forEach((one, index) => {
      for (const other of this.processes.slice(index + 1)) {
        const same = (['resourceId', 'operationId', 'stepId', 'job'] as const).every((key) => one[key] === other[key]);
        if (same && one.startedAt < end(other) && other.startedAt < end(one)) pairs.push([one, other]);
      }
    });
    return pairs;
  }

  host(target: HostTarget, run: HostRun): Host {
    return new FakeHost(this, target, run);
  }

  endJobs(target: HostTarget, step: EndJobs): Promise<readonly string[]> {
    const machine = this.machine(target.resourceId);
    if (machine.unreachable) {
      const detail = `the jobs of step ${step.stepId} on ${target.resourceId} are not confirmed stopped: it can't be reached`;
      return Promise.reject(new TransientError('remote.not-confirmed-stopped', detail));
    }
    return Promise.resolve(step).then((which) => machine.endStep(which));
  }

  /** @internal */
  async reply(call: FakeCall): Promise<FakeReply> {
    for (const { script } of this.#scripts.filter(({ pattern }) => pattern.test(call.command))) {
      const answer = typeof script === 'function' ? await script(call) : script;
      if (answer !== undefined) return answer;
    }
    return { status: 127, stderr: `sh: 1: ${call.command.split(' ')[0] ?? ''}: not found\n` };
  }

  /** @internal */
  async point(point: FakePoint, job: string): Promise<void> {
    await this.options.atPoint?.(point, job);
  }
}
