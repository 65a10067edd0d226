import { seconds, TerminalError, type Duration, type Json, type JsonObject } from '@windlass/foundation';
import {
  secretParameters,
  type HookContext,
  type ManagementDriver,
  type ValidateReply,
  type ValidateRequest,
} from '@windlass/mgmt-driver';
import { mgmtContracts, type DriverContract, type MgmtContracts } from '@windlass/messaging';
import type { Plan, StepRun } from '@windlass/saga';
import { readDescription, type ExecAction, type ExecDescription } from './description.js';
import { DriverProcess, type Executable } from './driver-process.js';
import { filledPlan, inputAndSecrets } from './exec-plan.js';
import { withAddresses } from './exec-machines.js';
import { removeLeftFolders } from './own-folders.js';
import { Places } from './places.js';
import { EXEC_PROTOCOL } from './said.js';
import { endWith } from './step-end.js';
import type { StepMachines } from './step-machines.js';

/** How long each question may take: lcm-api waits five seconds for a check, a coordinator ten for a plan. */
export const QUESTION_WITHIN = { describe: seconds(20), validate: seconds(4.5), plan: seconds(9.5) } as const;

/** How many processes answer questions at once. Steps have a limit of their own. */
const QUESTIONS_AT_ONCE = 8;

/** A management driver that is an executable: each question and each run of a step is a process of its own. */
export class ExecutableDriver implements ManagementDriver {
  readonly #places = new Places(QUESTIONS_AT_ONCE);

  #executable: Executable;

  private constructor(
    executable: Executable,
    readonly description: ExecDescription,
  ) {
    this.#executable = executable;
  }

  /**
   * Asks the executable what it is.
   * @throws TerminalError `driver.bad-description`, `driver.garbage`; TransientError `driver.ended`, `driver.silent`
   */
  static async of(executable: Executable): Promise<ExecutableDriver> {
    await removeLeftFolders();
    const answer = await ask(executable, 'describe', {}, QUESTION_WITHIN.describe);
    return new ExecutableDriver(executable, readDescription(answer, executable.path));
  }

  /** Where the executable lies. */
  get path(): string {
    return this.#executable.path;
  }

  /** Sets the log for what the processes print for people. */
  logTo(log: Executable['log']): void {
    this.#executable = { ...this.#executable, log };
  }

  describe(): ExecDescription['driver'] {
    return this.description.driver;
  }

  async validate(request: ValidateRequest): Promise<ValidateReply> {
    const nothing = { invalidParams: [], warnings: [], normalised: {} };
    if (!this.description.checks.includes(request.operation)) return nothing;
    this.#executable.log.info('the driver is asked', {
      what: 'validate',
      operation: request.operation,
      vnfInstanceId: request.vnfInstanceId,
    });
    const answer = await this.#ask('validate', { request: asJson(request) });
    return this.#held(this.#contracts.validate, { ...nothing, ...answer });
  }

  async plan(context: HookContext): Promise<Plan> {
    const { driver } = this.description;
    const { hook, operationId } = context;
    this.#executable.log.info('the driver is asked', { what: 'plan', hook, operationId });
    const plan = await this.#ask('plan', { context: asJson(context) });
    return this.#held(this.#contracts.plan, filledPlan(plan, driver, secretParameters(driver)));
  }

  /**
   * Runs a step in a process of its own, or undoes it.
   * @throws what the executable says, TerminalError `driver.garbage`, TransientError `driver.ended`, `driver.silent`; the signal's reason
   */
  async perform(action: ExecAction, run: StepRun, machines: StepMachines): Promise<Json | undefined> {
    const { input, secrets } = inputAndSecrets(run.input);
    const verb = run.phase === 'undo' ? 'undo' : 'run';
    const process = await DriverProcess.start(this.#executable, { what: `${verb} of ${action.name}@${action.version}`, secrets });
    const unhear = endWith(process, run.signal);
    try {
      run.assertLease();
      process.send({ windlass: EXEC_PROTOCOL, ask: verb, step: stepOf(action, run), input: withAddresses(input) });
      const output = await converse(process, action.silence, run, machines);
      await endsWell(process);
      return output;
    } catch (error) {
      if (!run.signal.aborted) throw error;
      await process.ended();
      throw run.signal.reason;
    } finally {
      unhear();
      await process.dispose();
    }
  }

  get #contracts(): MgmtContracts {
    return mgmtContracts(this.description.driver.driver);
  }

  /**
   * An answer that follows the contract's schema. The caller checks a plan's bounds.
   * @throws TerminalError `driver.bad-answer`
   */
  #held<Reply>({ verb, answer: rule }: Pick<DriverContract<unknown, Reply>, 'verb' | 'answer'>, reply: JsonObject): Reply {
    const checked = rule.check({ reply });
    if (checked.ok && 'reply' in checked.value) return checked.value.reply;
    const places = checked.ok ? [] : checked.wrong.map(({ path, reason }) => `${path.replace(/^\/reply/, '/answer')} ${reason}`);
    throw new TerminalError(
      'driver.bad-answer',
      `the answer of ${this.#executable.path} (${verb}) is wrong: ${places.join('; ')}`,
    );
  }

  #ask(verb: 'validate' | 'plan', what: JsonObject): Promise<JsonObject> {
    const until = performance.now() + QUESTION_WITHIN[verb];
    return this.#places.use(() => ask(this.#executable, verb, what, Math.max(1, until - performance.now()) as Duration));
  }
}

/** Contract data is JSON by its types; interfaces are taken so. */
const asJson = (value: ValidateRequest | HookContext): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

const stepOf = ({ name, version }: ExecAction, run: StepRun): JsonObject => ({
  operationId: run.operationId,
  id: run.stepId,
  action: name,
  version,
  attempt: run.attempt,
  resumed: run.resumed,
  target: run.target,
  tenant: run.tenant,
});

/** One question, one answer, one process. */
async function ask(executable: Executable, verb: string, what: JsonObject, within: Duration): Promise<JsonObject> {
  const process = await DriverProcess.start(executable, { what: verb });
  try {
    process.send({ windlass: EXEC_PROTOCOL, ask: verb, ...what });
    process.endInput();
    const said = await process.next(within);
    if (said?.say === 'failed') throw said.error;
    if (said?.say === 'answer') {
      await endsWell(process);
      return said.answer;
    }
    if (said !== undefined) throw process.unexpected(said.say);
    const end = await process.ended();
    // The same question would end the same way, unless somebody killed the process.
    const crashed = process.crashed(end);
    throw end.signal === null ? new TerminalError(crashed.code, crashed.message) : crashed;
  } finally {
    await process.dispose();
  }
}

/** Checks that the process has said nothing after its answer and ended with status 0. Only then the answer counts. */
async function endsWell(process: DriverProcess): Promise<void> {
  process.endInput();
  const more = await process.next(seconds(5));
  if (more !== undefined) throw process.unexpected(more.say);
  const end = await process.ended();
  if (end.code !== 0) throw process.crashed(end);
}

/** Answers what the process asks for until it says how the step ended. */
async function converse(
  process: DriverProcess,
  silence: Duration,
  run: StepRun,
  machines: StepMachines,
): Promise<Json | undefined> {
  for (;;) {
    const said = await process.next(silence);
    run.signal.throwIfAborted();
    if (said === undefined) throw process.crashed(await process.ended());
    switch (said.say) {
      case 'done':
        return said.output;
      case 'failed':
        throw said.error;
      case 'alive':
        break;
      case 'progress':
        run.progress(said.line);
        break;
      case 'script':
        process.send({ tell: 'script', ...(await machines.script(said)) });
        break;
      case 'known-hosts':
        process.send({ tell: 'known-hosts', lines: [...(await machines.knownHosts(said.on))] });
        break;
      default:
        throw process.unexpected(said.say);
    }
  }
}
