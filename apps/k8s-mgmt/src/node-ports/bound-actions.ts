import type { DriverPorts } from '@windlass/driver-kit';
import { bindActions, type Action, type BoundAction } from '@windlass/saga';
import { checkNodePortsWork } from './check-node-ports.action.js';
import { closeNodePortsWork } from './close-node-ports.action.js';
import type { NodePortsInput } from './contracts.js';
import { exposeNodePortsWork } from './expose-node-ports.action.js';
import { NodePortsContext } from './node-ports-context.js';

/** The actions of the driver of NodePorts, bound to the service's ports. */
export function boundNodePortActions(ports: Pick<DriverPorts, 'hosts' | 'packages'>): BoundAction[] {
  const onBalancer = <Input extends NodePortsInput, Output>(
    action: Action<NodePortsContext<Input>, Input, Output>,
  ): BoundAction[] => bindActions([action], (run, work) => work(new NodePortsContext<Input>(run, ports)));
  return [...onBalancer(checkNodePortsWork), ...onBalancer(exposeNodePortsWork), ...onBalancer(closeNodePortsWork)];
}
