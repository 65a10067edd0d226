import { driverContractSuite } from '@windlass/driver-kit/testing';
import { nodePortParts } from './service.js';
import { defaultSettings } from './settings/settings.js';
import { FILES, lbHook, lbParams, lbRequest, LB_ADDRESS, SCRIPT_PATH, SECRET } from './testing/node-ports.js';
import { LB_PARAM } from './node-ports/parameters.js';

const params = lbParams({ script_path: SCRIPT_PATH });
const repeated = {
  params: { [LB_PARAM]: { external_lb_param: { ssh_ip: LB_ADDRESS, ssh_username: 'root', ssh_password: 'another-secret' } } },
  secrets: ['another-secret'],
};
const heal = { vnfcIds: ['one'], whole: true, recreates: false, cause: null, earlierResourceIds: {} };

driverContractSuite('the driver of NodePorts of containers', {
  parts: nodePortParts(defaultSettings),
  params,
  secrets: [SECRET],
  operations: { HEAL: repeated, TERMINATE: repeated },
  request: lbRequest(params),
  hooks: [
    ...(['instantiate_start', 'instantiate_end', 'terminate_start', 'terminate_end'] as const).map((hook) =>
      lbHook({ hook, files: FILES }),
    ),
    ...(['heal_start', 'heal_end'] as const).map((hook) => lbHook({ hook, heal, files: FILES })),
  ],
});
