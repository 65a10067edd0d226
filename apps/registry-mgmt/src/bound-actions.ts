import type { DriverPorts } from '@windlass/driver-kit';
import { bindActions, type BoundAction } from '@windlass/saga';
import { connectRegistriesWork } from './nodes/connect-registries.action.js';
import { NodeContext } from './nodes/node-context.js';
import { boundPrivateRegistryActions } from './private-registry/bound-actions.js';

/** Every action of the service, bound to its ports. */
export const boundActions = (ports: DriverPorts): BoundAction[] => [
  ...bindActions([connectRegistriesWork], (run, work) => work(new NodeContext(run, ports))),
  ...boundPrivateRegistryActions(ports),
];
