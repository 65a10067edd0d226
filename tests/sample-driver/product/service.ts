import {
  defineDriver,
  driverService,
  DriverServiceConfig,
  MachineContext,
  machineReference,
  type DriverParts,
} from '@windlass/driver-kit';
import type { HookContext } from '@windlass/mgmt-driver';
import { bindActions, parallel, type Plan, type StepNode } from '@windlass/saga';
import { checkNotice, noticeParams, PARAM, parameters } from './parameters.js';
import { writeNotice, type WriteNoticeInput } from './write-notice.action.js';

const SERVICE = 'notice-mgmt';

/** A step for each VM that has the CP, side by side. */
function instantiateEnd({ vnfInstanceId, instantiateParams, vnfcs }: HookContext): Plan {
  const { text, ssh_cp_name: cp } = noticeParams(instantiateParams);
  const steps = vnfcs
    .filter(({ cps }) => cps.some(({ cpdId }) => cpdId === cp))
    .map(({ id, name, resourceId }): StepNode => ({
      kind: 'step',
      id: `write-notice:${id}`,
      action: writeNotice.name,
      version: writeNotice.version,
      service: SERVICE,
      target: name,
      limits: [`host:${resourceId}`],
      input: { instance: vnfInstanceId, text, machine: machineReference(name, id, cp, `/${PARAM}`) },
    }));
  return { root: parallel(steps) };
}

/** The driver and its action. */
export const noticeParts: DriverParts = {
  driver: defineDriver({
    name: 'mgmt-drivers-notice',
    version: '1.0.0',
    service: SERVICE,
    actions: [writeNotice],
    parameters,
    hooks: { instantiate_end: instantiateEnd },
    checks: { INSTANTIATE: checkNotice },
  }),
  actions: ({ hosts }) => bindActions([writeNotice], (run, work) => work(new MachineContext<WriteNoticeInput>(run, hosts))),
};

/** For `runService`. */
export const noticeMgmt = driverService({
  name: SERVICE,
  version: '1.0.0',
  description: 'shows a notice to whoever logs in to a VM',
  config: DriverServiceConfig,
  parts: () => noticeParts,
});
