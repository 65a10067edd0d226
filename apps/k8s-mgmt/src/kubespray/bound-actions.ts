import type { DriverPorts, MasterInput } from '@windlass/driver-kit';
import { bindActions, type Action, type BoundAction } from '@windlass/saga';
import { AnsibleContext, PlaybookContext, PreparationContext } from './ansible-context.js';
import { checkAnsibleWork } from './check-ansible.action.js';
import type { AnsibleStepInput, PlaybookStepInput } from './contracts.js';
import { prepareInventoryWork } from './prepare-inventory.action.js';
import { removeInventoryWork } from './remove-inventory.action.js';
import { removeWorkersWork } from './remove-workers.action.js';
import { runPlaybookWork } from './run-playbook.action.js';
import { writeInventoryWork } from './write-inventory.action.js';

/** The actions of kubespray's driver, bound to the service's ports. */
export function boundKubesprayActions({ hosts }: Pick<DriverPorts, 'hosts'>): BoundAction[] {
  const onServer = <Input extends AnsibleStepInput, Output>(
    action: Action<AnsibleContext<Input>, Input, Output>,
  ): BoundAction[] => bindActions([action], (run, work) => work(new AnsibleContext<Input>(run, hosts)));
  const ofPlaybooks = <Input extends PlaybookStepInput & { masters?: MasterInput[] }, Output>(
    action: Action<PlaybookContext<Input>, Input, Output>,
  ): BoundAction[] => bindActions([action], (run, work) => work(new PlaybookContext<Input>(run, hosts)));
  return [
    ...onServer(checkAnsibleWork),
    ...bindActions([prepareInventoryWork], (run, work) => work(new PreparationContext(run, hosts))),
    ...onServer(writeInventoryWork),
    ...ofPlaybooks(runPlaybookWork),
    ...ofPlaybooks(removeWorkersWork),
    ...onServer(removeInventoryWork),
  ];
}
