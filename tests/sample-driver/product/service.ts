import {
  defineDriver,
  driverService,
  DriverServiceConfig,
  MachineContext,
  machineReference,
  oneDriver,
  paramsAs,
  paramsSource,
  type DriverParts,
} from '@windlass/driver-kit';
import type { HookContext } from '@windlass/mgmt-driver';
import { bindActions, parallel, stepOf, type Plan } from '@windlass/saga';
import { checkNotice, parameters, type NoticeParams } from './parameters.js';
import { writeNotice, writeNoticeWork } from './write-notice.action.js';

const PARAMS = paramsSource<NoticeParams>();

/** A step for each VM that has the CP, side by side. */
function instantiateEnd({ vnfInstanceId, instantiateParams, vnfcs }: HookContext): Plan {
  const { notice: shown } = paramsAs<NoticeParams>(instantiateParams);
  const { text, ssh_cp_name: sshCp } = shown;
  const steps = vnfcs
    .filter(({ cps }) => cps.some(({ cpdId }) => cpdId === sshCp))
    .map(({ id: vnfcId, name, resourceId }) =>
      stepOf(writeNotice, {
        id: `write-notice:${vnfcId}`,
        target: name,
        limits: [`host:${resourceId}`],
        input: {
          instance: vnfInstanceId,
          text,
          machine: machineReference({ name, vnfcId, sshCp, params: PARAMS, login: ({ notice }) => notice, shown }),
        },
      }),
    );
  return { root: parallel(steps) };
}

/** The driver and its action. */
export const noticeParts: DriverParts = {
  driver: defineDriver({
    name: 'mgmt-drivers-notice',
    version: '1.0.0',
    service: writeNotice.service,
    actions: [writeNotice],
    parameters,
    hooks: { instantiate_end: instantiateEnd },
    checks: { INSTANTIATE: checkNotice },
  }),
  actions: ({ hosts }) => bindActions([writeNoticeWork], (run, work) => work(new MachineContext(run, hosts))),
};

/** For `runService`. */
export const noticeMgmt = driverService({
  name: writeNotice.service,
  version: '1.0.0',
  description: 'shows a notice to whoever logs in to a VM',
  config: DriverServiceConfig,
  parts: () => oneDriver(noticeParts),
});
