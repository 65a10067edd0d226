import { driverContractSuite } from '@windlass/driver-kit/testing';
import { kubesprayParts } from './service.js';
import { defaultSettings } from './settings/settings.js';
import { healed, scaled } from './testing/requests.js';
import { filledParams, hookContext, PARAMS, validateRequest } from './kubespray/testing/requests.js';

const params = filledParams();
const hook = (more: Parameters<typeof hookContext>[2]) => hookContext(params, 2, more);

driverContractSuite('the driver of clusters by kubespray', {
  parts: kubesprayParts(defaultSettings),
  params,
  secrets: ['"password":"ansible"', '"password":"ubuntu"', 'password1', 'password2'],
  operations: Object.fromEntries(
    (['SCALE', 'SCALE_TO_LEVEL', 'HEAL'] as const).map((operation) => [
      operation,
      {
        params: {
          worker_node_username: 'root',
          worker_node_password: 'password3',
          ansible_password: 'password4',
          drain_force: true,
          [PARAMS]: {
            ansible: {
              ip_address: '192.0.2.11',
              username: 'ansible',
              password: 'password5',
              kubespray_root_path: '/opt/kubespray',
              transferring_inventory_path: '/opt/inventories',
            },
          },
        },
        secrets: ['password3', 'password4', 'password5'],
      },
    ]),
  ),
  request: validateRequest(params),
  hooks: [
    ...(['instantiate_start', 'instantiate_end', 'terminate_start', 'terminate_end'] as const).map((each) =>
      hook({ hook: each }),
    ),
    ...(['scale_start', 'scale_end'] as const).map((each) => hook(scaled(each))),
    ...(['heal_start', 'heal_end'] as const).map((each) => hook(healed(each, ['worker-1']))),
  ],
});
