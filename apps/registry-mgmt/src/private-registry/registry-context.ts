import { MachineContext, proxySecrets, type DriverPorts, type MachineStepInput, type PackageFiles } from '@windlass/driver-kit';
import { Secret } from '@windlass/foundation';
import type { StepRun } from '@windlass/saga';
import type { RegistryLogin, SecureRegistryInput } from './step-inputs.js';
import type { RegistryProxies } from './parameters.js';

/** What a step on the registry's VM may have in its input. */
export interface RegistryStepInput extends MachineStepInput {
  proxy?: RegistryProxies;
  login?: RegistryLogin;
  tls?: SecureRegistryInput['tls'];
}

/** What actions on the registry's VM work with. */
export class RegistryContext<Input extends RegistryStepInput = RegistryStepInput> extends MachineContext<Input> {
  readonly packages: PackageFiles;

  constructor(run: StepRun<Input>, { hosts, packages }: DriverPorts) {
    super(run, hosts);
    this.packages = packages;
  }

  protected override get secrets(): readonly Secret[] {
    const { proxy = {}, login, tls } = this.input;
    return [
      ...proxySecrets(proxy),
      ...(login === undefined ? [] : [new Secret(String(login.password)), credentialOf(login)]),
      ...(tls === undefined ? [] : [new Secret(tls.key)]),
    ];
  }
}

/** As HTTP's Basic has it. */
export const credentialOf = ({ username, password }: RegistryLogin): Secret =>
  new Secret(Buffer.from(`${username}:${String(password)}`).toString('base64'));
