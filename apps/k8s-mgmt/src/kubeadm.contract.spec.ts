import { OFFERED } from '@windlass/driver-kit';
import { driverContractSuite } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { k8sParts } from './service.js';
import { defaultSettings } from './settings/settings.js';
import { byPasswordAndKey, KEY } from './testing/parameter-table.js';
import {
  healed,
  hookContext,
  PARAMS,
  reconnected,
  scaled,
  storageServer,
  validateRequest,
  withStorage,
  withVms,
} from './testing/requests.js';

const params = withStorage(byPasswordAndKey());
const vms = (workers: number) => withVms([...hookContext(params, workers).vnfcs, storageServer()]);
Object.assign(params[PARAMS] as JsonObject, {
  private_registry_connection_info: [{ connection_type: '1', server: 'registry.example', username: 'u', password: 'password4' }],
});

driverContractSuite('the driver of Kubernetes clusters', {
  parts: k8sParts(defaultSettings),
  params,
  uses: OFFERED,
  // Users and passwords of proxies are found by what URLs are, the rest by the schema.
  secrets: ['"password":"ubuntu"', 'password1', 'password2', 'password4', KEY.passphrase, ...KEY.secretLines],
  operations: Object.fromEntries(
    (['SCALE', 'SCALE_TO_LEVEL', 'HEAL', 'CHANGE_EXT_CONN'] as const).map((operation) => [
      operation,
      {
        params: { worker_node_username: 'root', worker_node_password: 'password3', drain_timeout_seconds: 60, drain_force: true },
        secrets: ['password3'],
      },
    ]),
  ),
  request: validateRequest(params),
  hooks: [
    ...(['instantiate_start', 'instantiate_end', 'terminate_start', 'terminate_end'] as const).map((hook) =>
      hookContext(params, 2, { hook, ...vms(2) }),
    ),
    ...(['scale_start', 'scale_end'] as const).map((hook) => hookContext(params, 2, { ...scaled(hook), ...vms(2) })),
    ...(['change_external_connectivity_start', 'change_external_connectivity_end'] as const).map((hook) => {
      const { vnfcs, volumes } = vms(2);
      const earlier = { 'worker-1': '10.10.0.41', 'worker-2': '10.10.0.42' };
      return hookContext(params, 2, {
        ...reconnected(hook, { vnfcs, earlier, cps: ['workerNode_CP2'] }),
        ...(volumes && { volumes }),
      });
    }),
    ...[{ windlassCertificates: 'look' }, { windlassCertificates: 'renew' }, { windlassSnapshots: 'take' }].map((request) =>
      hookContext(params, 2, { hook: 'modify_information_end', request, ...vms(2) }),
    ),
    ...(['heal_start', 'heal_end'] as const).map((hook) =>
      hookContext(params, 2, { ...healed(hook, ['worker-1', 'storage']), ...vms(2) }),
    ),
  ],
});
