import type { DriverPorts } from '@windlass/driver-kit';
import { bindActions, type Action, type BoundAction } from '@windlass/saga';
import type { ExternalLbInput } from './contracts.js';
import { ExternalLbContext } from './external-lb-context.js';
import { installExternalLbWork } from './install-external-lb.action.js';
import { noteExposedPortsWork } from './note-exposed-ports.action.js';
import { restoreNodePortsWork } from './restore-node-ports.action.js';
import { routeExternalLbWork } from './route-external-lb.action.js';
import { runExternalLbScriptWork } from './run-external-lb-script.action.js';
import { verifyExternalLbWork } from './verify-external-lb.action.js';

/** The external load balancer's actions, bound to the service's ports. */
export function boundExternalLbActions(ports: Pick<DriverPorts, 'hosts' | 'packages'>): BoundAction[] {
  const onBalancer = <Input extends ExternalLbInput, Output>(
    action: Action<ExternalLbContext<Input>, Input, Output>,
  ): BoundAction[] => bindActions([action], (run, work) => work(new ExternalLbContext<Input>(run, ports)));
  return [
    ...onBalancer(installExternalLbWork),
    ...onBalancer(runExternalLbScriptWork),
    ...onBalancer(routeExternalLbWork),
    ...onBalancer(noteExposedPortsWork),
    ...onBalancer(restoreNodePortsWork),
    ...onBalancer(verifyExternalLbWork),
  ];
}
