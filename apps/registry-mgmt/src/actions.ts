import { boundTo, serviceAction, type DriverPorts, type ServiceAction } from '@windlass/driver-kit';
import type { Action, BoundAction } from '@windlass/saga';
import { connectRegistriesWork } from './nodes/connect-registries.action.js';
import { NodeContext } from './nodes/node-context.js';
import { installEngine } from './private-registry/install-engine.action.js';
import { loadImage } from './private-registry/load-image.action.js';
import { RegistryContext, type RegistryStepInput } from './private-registry/registry-context.js';
import { runRegistry } from './private-registry/run-registry.action.js';
import { secureRegistry } from './private-registry/secure-registry.action.js';
import { verifyRegistry } from './private-registry/verify-registry.action.js';

const onRegistry = <Input extends RegistryStepInput, Output>(action: Action<RegistryContext<Input>, Input, Output>) =>
  serviceAction(action, (run, ports: DriverPorts) => new RegistryContext<Input>(run, ports));

/** What the plans of other drivers may use. */
export const OFFERS: readonly ServiceAction<DriverPorts>[] = [
  serviceAction(connectRegistriesWork, (run, ports: DriverPorts) => new NodeContext(run, ports)),
];

/** Every action of the service, each once: its driver describes them all, and its workers run them all. */
export const ACTIONS: readonly ServiceAction<DriverPorts>[] = [
  ...OFFERS,
  onRegistry(secureRegistry),
  onRegistry(installEngine),
  onRegistry(loadImage),
  onRegistry(runRegistry),
  onRegistry(verifyRegistry),
];

/** Every action of the service, bound to its ports. */
export const boundActions = (ports: DriverPorts): BoundAction[] => boundTo(ACTIONS, ports);
