import { loginAddress } from '../driver/cidr.js';
import { atPointer, isJsonObject, seconds, TerminalError, type Json, type JsonObject } from '@windlass/foundation';
import type { NatsHostKeys } from '@windlass/messaging';
import type { Hosts } from '@windlass/mgmt-driver';
import type { StepRun } from '@windlass/saga';
import { HostContext, type HostStepInput } from '../host/host-context.js';
import { resourceOf, targetOf, type MachineInput } from '../host/machine-input.js';
import type { ScriptAsk } from './said.js';
import type { StepMachines } from './step-machines.js';

/** The input of every step whose process asks for machines. */
type ExecInput = HostStepInput & JsonObject;

/** One machine of a step's input. */
class OneMachine extends HostContext<ExecInput> {
  constructor(
    run: StepRun<ExecInput>,
    hosts: Hosts,
    protected readonly machine: MachineInput,
  ) {
    super(run, hosts, []);
  }
}

/**
 * What the processes of executables do on machines, in the way of every driver: jobs that survive the service, pinned host keys, and the claim's
 * fence.
 */
export class ExecMachines implements StepMachines {
  constructor(
    private readonly run: StepRun,
    private readonly hosts: Hosts,
    private readonly hostKeys: Pick<NatsHostKeys, 'get'>,
  ) {}

  async script({ name, text, on, arguments: words, files, env, withinSeconds, firstBoot }: ScriptAsk) {
    const context = this.#context(on);
    if (firstBoot) await context.firstBoot();
    const { stdoutTail: stdout, stderrTail: stderr } = await context.script(name, {
      text,
      within: seconds(withinSeconds),
      env,
      arguments: async (job) => {
        for (const [file, content] of Object.entries(files)) await job.put(file, content);
        return words.map((word) => (typeof word === 'string' ? word : job.path(word.file)));
      },
    });
    return { stdout, stderr };
  }

  /** The machine's host keys. An unknown key is pinned by a login first. */
  async knownHosts(on: string): Promise<readonly string[]> {
    const context = this.#context(on);
    await context.host.facts();
    const { operationId, stepId, epoch } = this.run;
    const machine = machineAt(this.run, on);
    const { keys } = await this.hostKeys.get(resourceOf(machine), { operationId, stepId, epoch });
    return keys.map((key) => `${targetOf(machine).address} ${key}`);
  }

  /** Ends the jobs of a step that was cancelled, on every machine of its input. */
  async stop(): Promise<boolean> {
    for (const at of machinesIn(this.run.input)) await this.#context(at).stop();
    return true;
  }

  #context(on: string): OneMachine {
    if (typeof this.run.input.instance !== 'string')
      throw wrongInput(this.run, 'has no member "instance", which scripts need: put the vnfInstanceId of the hook there');
    return new OneMachine(this.run as StepRun<ExecInput>, this.hosts, machineAt(this.run, on));
  }
}

/** Machines of an input with the address that is logged in to, which processes are told. */
export const withAddresses = (input: JsonObject): JsonObject => addressed(input) as JsonObject;

function addressed(value: Json): Json {
  if (Array.isArray(value)) return value.map(addressed);
  if (!isJsonObject(value)) return value;
  const below = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, addressed(member)]));
  return isMachine(value) ? { ...below, address: addressOf(value) } : below;
}

/** Null where the CP has no address yet. */
function addressOf(machine: MachineInput): string | null {
  const cp = machine.vnfc.cps.find(({ cpdId }) => cpdId === machine.sshCp);
  return loginAddress(cp) ?? null;
}

function machineAt(run: StepRun, on: string): MachineInput {
  const found = atPointer(run.input, on);
  if (isMachine(found)) return found;
  throw wrongInput(
    run,
    `has no machine at ${on}: {"name", "vnfc", "sshCp", "username", "password" or "private_key"} was expected there`,
  );
}

const wrongInput = ({ stepId }: StepRun, what: string): TerminalError =>
  new TerminalError('driver.no-machine', `the input of step ${stepId} ${what}`);

/** Pointers of the machines in an input. */
function machinesIn(value: Json, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (isMachine(value)) return [path];
  return Object.entries(value).flatMap(([name, member]) =>
    machinesIn(member, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

/** Whether an object has what a login needs, with a `vnfc` of ours. */
function isMachine(value: unknown): value is MachineInput {
  if (!isJsonObject(value)) return false;
  const { name, sshCp, username, vnfc } = value;
  const isLogin = [name, sshCp, username].every((each) => typeof each === 'string');
  return isLogin && isJsonObject(vnfc) && Array.isArray(vnfc.cps) && typeof vnfc.resourceId === 'string';
}
