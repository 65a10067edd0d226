import { MachineContext, proxySecrets, type DriverPorts, type MachineStepInput, type PackageFiles } from '@windlass/driver-kit';
import { Secret } from '@windlass/foundation';
import type { StepRun } from '@windlass/saga';
import type { RegistryProxies } from './parameters.js';

/** What a step on the registry's VM may have in its input. */
export interface RegistryStepInput extends MachineStepInput {
  proxy?: RegistryProxies;
}

/** What actions on the registry's VM work with. */
export class RegistryContext<Input extends RegistryStepInput = RegistryStepInput> extends MachineContext<Input> {
  readonly packages: PackageFiles;

  constructor(run: StepRun<Input>, { hosts, packages }: DriverPorts) {
    super(run, hosts);
    this.packages = packages;
  }

  protected override get secrets(): readonly Secret[] {
    return proxySecrets(this.input.proxy ?? {});
  }
}
