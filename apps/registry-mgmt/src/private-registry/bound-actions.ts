import type { DriverPorts } from '@windlass/driver-kit';
import { bindActions, type Action, type BoundAction } from '@windlass/saga';
import { installEngineWork } from './install-engine.action.js';
import { loadImageWork } from './load-image.action.js';
import { RegistryContext, type RegistryStepInput } from './registry-context.js';
import { runRegistryWork } from './run-registry.action.js';
import { secureRegistryWork } from './secure-registry.action.js';
import { verifyRegistryWork } from './verify-registry.action.js';

/** What is done on the registry's VM, bound to its ports. */
export function boundPrivateRegistryActions(ports: DriverPorts): BoundAction[] {
  const bound = <Input extends RegistryStepInput, Output>(action: Action<RegistryContext<Input>, Input, Output>): BoundAction[] =>
    bindActions([action], (run, work) => work(new RegistryContext<Input>(run, ports)));
  return [
    ...bound(secureRegistryWork),
    ...bound(installEngineWork),
    ...bound(loadImageWork),
    ...bound(runRegistryWork),
    ...bound(verifyRegistryWork),
  ];
}
