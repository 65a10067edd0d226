import {
  InvariantError,
  millis,
  minutes,
  seconds,
  shape,
  TransientError,
  type Duration,
  type OfMembers,
  type Secret,
} from '@windlass/foundation';
import { cmd, type Command, type Host, type HostRun, type Hosts, type JobFiles, type JobResult } from '@windlass/mgmt-driver';
import type { StepRun } from '@windlass/saga';
import { name } from '../inputs/input-shapes.js';
import { silentMachines, type SilentMachines } from './silent-machines.js';
import { awaitFirstBoot } from './first-boot.js';
import { resourceOf, targetOf, type MachineInput, type ServerInput } from './machine-input.js';

/** EX_TEMPFAIL: a script's exit status for "a later try may succeed". */
const TRY_AGAIN = 75;

/** Lines of a script's output that stand in its error. */
const LAST_LINES = 5;

/** Characters of a line of progress. */
const MAX_LINE = 200;

/** How long a look may take. A machine that takes longer is too busy to be of use. */
export const LOOK = seconds(60);

/** The longest that a first boot is waited for, unless a plan says otherwise. */
const FIRST_BOOT = minutes(10);

/** A script for a machine: its text (bash), and what it is told. */
export interface HostScript {
  text: string;
  /** The longest that it may take. */
  within: Duration;
  /** Puts files into the job's folder and returns the arguments. */
  arguments: (files: JobFiles) => Promise<readonly string[]> | readonly string[];
  /** None unless given. */
  env?: Readonly<Record<string, string>>;
}

/** Members of a {@link HostStepInput}. */
export const hostStepMembers = {
  /** The id of the VNF instance: whose work it is. */
  instance: name,
  /** How long {@link HostContext.firstBoot} waits, in ms; ten minutes unless given. */
  firstBootWithinMs: shape.optional(shape.integer({ minimum: 1, maximum: 86_400_000 })),
};

/** What the input of every step on a machine has. */
export type HostStepInput = OfMembers<typeof hostStepMembers>;

/** What an action on a machine works with, on behalf of one claim. A driver says where in its input the machine stands. */
export abstract class HostContext<Input extends HostStepInput> {
  readonly #hosts = new Map<string, Host>();

  /** @throws InvariantError for a step whose input lacks one of `members`, or the instance */
  constructor(
    readonly run: StepRun<Input>,
    private readonly hosts: Hosts,
    members: readonly (keyof Input)[],
  ) {
    // Today's plans have these members by their types; a plan that an older release journaled may not.
    const input: Partial<Input> = run.input;
    for (const member of ['instance', ...members] as const) {
      if (input[member] === undefined) throw new InvariantError(`step ${run.stepId} has no input "${String(member)}"`);
    }
  }

  get input(): Input {
    return this.run.input;
  }

  /** The one that the step works on. */
  protected abstract get machine(): MachineInput | ServerInput;

  /** Others on which the step may start jobs; a forceful cancel ends those too. */
  protected get otherMachines(): readonly (MachineInput | ServerInput)[] {
    return [];
  }

  /** What the step's input holds that must not be shown, beside passwords of machines. */
  protected get secrets(): readonly Secret[] {
    return [];
  }

  /** Machines that did not answer lately, whichever step of this process asked them. */
  get silent(): SilentMachines {
    return silentMachines(this.hosts);
  }

  /** The machine that the step works on. */
  get host(): Host {
    return this.hostOf(this.machine);
  }

  /** A machine, bound to this claim; the same however often it is asked for. */
  hostOf(machine: MachineInput | ServerInput): Host {
    const resourceId = resourceOf(machine);
    const host = this.#hosts.get(resourceId) ?? this.hosts.host(targetOf(machine), this.#hostRun());
    this.#hosts.set(resourceId, host);
    return host;
  }

  /**
   * Runs a script as one job on the machine; its last line is the step's progress.
   * @throws TransientError `node.try-again` when it says that the same may work later (exit status 75); else as {@link Host.job}
   */
  async script(name: string, script: HostScript): Promise<JobResult> {
    const result = await this.host.job(name, {
      prepare: async (files) => {
        await files.put('script.sh', script.text);
        const words = await script.arguments(files);
        return {
          run: cmd`/bin/bash ${files.path('script.sh')} ${[...words]}`,
          ...(script.env === undefined ? {} : { env: script.env }),
        };
      },
      within: script.within,
      okStatuses: [0, TRY_AGAIN],
      onOutput: ({ text }) => this.progress(text),
    });
    if (result.status !== TRY_AGAIN) return result;
    const said = `${result.stdoutTail}\n${result.stderrTail}`.trim().split('\n').slice(-LAST_LINES).join('\n');
    throw new TransientError('node.try-again', `${name} on ${this.machine.name} may work later: ${said}`);
  }

  /**
   * Waits until cloud-init has set the machine up: the first work on a fresh one begins with this.
   * @throws TerminalError `node.first-boot-failed`, `node.first-boot-unfinished`
   */
  firstBoot(machine: MachineInput | ServerInput = this.machine): Promise<void> {
    const { firstBootWithinMs } = this.input;
    const within = firstBootWithinMs === undefined ? FIRST_BOOT : millis(firstBootWithinMs);
    return awaitFirstBoot({ host: this.hostOf(machine), name: machine.name, within, progress: (line) => this.progress(line) });
  }

  /** Whether a look at the machine succeeds, as root. A failed look counts as no. */
  async sees(command: Command, input?: string | Secret): Promise<boolean> {
    const options = { within: LOOK, sudo: true, expect: 'any', ...(input === undefined ? {} : { input }) } as const;
    return (await this.host.run(command, options)).status === 0;
  }

  /** Shows the last line of a text to whoever watches the step. */
  progress(text: string): void {
    const line = text.trim().split('\n').at(-1)?.trim() ?? '';
    if (line !== '') this.run.progress(line.slice(0, MAX_LINE));
  }

  /** Ends what a forceful cancel leaves running, on every machine of the step. @throws as {@link Hosts.endJobs} */
  async stop(): Promise<boolean> {
    const { operationId, stepId, epoch } = this.run;
    for (const machine of [this.machine, ...this.otherMachines])
      await this.hosts.endJobs(targetOf(machine), { operationId, stepId, epoch });
    return true;
  }

  #hostRun(): HostRun {
    const { run } = this;
    return {
      operationId: run.operationId,
      stepId: run.stepId,
      vnfInstanceId: this.input.instance,
      phase: run.phase,
      epoch: run.epoch,
      attemptEpoch: run.attemptEpoch,
      signal: run.signal,
      assertLease: () => run.assertLease(),
      leaseLeft: () => run.leaseLeft(),
      secrets: this.secrets,
      progress: (line) => this.progress(line),
    };
  }
}

/** Input of a step on one machine. */
export interface MachineStepInput extends HostStepInput {
  machine: MachineInput;
}

/** The context of actions on one machine, where the input has it as `machine`. */
export class MachineContext<Input extends MachineStepInput = MachineStepInput> extends HostContext<Input> {
  constructor(run: StepRun<Input>, hosts: Hosts) {
    super(run, hosts, ['machine']);
  }

  protected get machine(): MachineInput {
    return this.input.machine;
  }
}

/** Input of a step on a server of the operator's. */
export interface ServerStepInput extends HostStepInput {
  server: ServerInput;
}

/** The context of actions on a server of the operator's, which is no VNFC. */
export class ServerContext<Input extends ServerStepInput = ServerStepInput> extends HostContext<Input> {
  constructor(run: StepRun<Input>, hosts: Hosts, members: readonly (keyof Input)[] = []) {
    super(run, hosts, ['server', ...members]);
  }

  protected get machine(): ServerInput {
    return this.input.server;
  }
}
