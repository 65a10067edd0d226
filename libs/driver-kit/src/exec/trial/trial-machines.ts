import { atPointer, isJsonObject, TerminalError, type JsonObject } from '@windlass/foundation';
import { EXEC_LIMITS, type ScriptAsk } from '../said.js';
import type { StepMachines } from '../step-machines.js';

/** Known to nobody: a driver's own ssh finds no machine with it. */
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

/** Stands in for the machines of a step: every script ends with status 0 and prints nothing. */
export class TrialMachines implements StepMachines {
  readonly scripts: ScriptAsk[] = [];

  /**
   * @param input of the step
   * @param before called at each question, before it is answered
   */
  constructor(
    private readonly input: JsonObject,
    private readonly before: () => Promise<void> = () => Promise.resolve(),
  ) {}

  async script(ask: ScriptAsk): Promise<{ stdout: string; stderr: string }> {
    this.#machine(ask.on);
    if (typeof this.input.instance !== 'string')
      throw new TerminalError(
        'driver.no-machine',
        'the step’s input has no member "instance", which scripts need: put vnfInstanceId there',
      );
    if (this.scripts.length >= EXEC_LIMITS.lines) throw new TerminalError('driver.garbage', 'it asks for scripts without end');
    this.scripts.push(ask);
    await this.before();
    return { stdout: '', stderr: '' };
  }

  async knownHosts(on: string): Promise<readonly string[]> {
    const machine = this.#machine(on);
    await this.before();
    const { vnfc } = machine;
    const address = isJsonObject(vnfc) ? atPointer(vnfc, '/cps/0/addresses/0') : undefined;
    return [`${typeof address === 'string' ? address : ''} ${KEY}`];
  }

  #machine(on: string): JsonObject {
    const found = atPointer(this.input, on);
    const has = (name: string): boolean => isJsonObject(found) && found[name] !== undefined;
    if (isJsonObject(found) && ['name', 'vnfc', 'sshCp', 'username'].every(has)) return found;
    throw new TerminalError(
      'driver.no-machine',
      `there is no machine at ${on} of the step's input: name, vnfc, sshCp, username and password or private_key were expected`,
    );
  }
}
