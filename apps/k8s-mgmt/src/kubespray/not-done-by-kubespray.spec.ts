import type { Json, JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { checkHeal, checkInstantiation, checkScale, checkScaleToLevel } from './check-request.js';
import { filledParams, PARAMS, validateRequest } from './testing/requests.js';

const REGISTRY = { connection_type: '1', server: 'registry.example:5000', username: 'puller', password: 'secret' };
const GIVEN: readonly (readonly [path: string, value: Json])[] = [
  ['/private_registry_connection_info', [REGISTRY]],
  ['/storage_server', { ssh_cp_name: 'storage_server_CP1', username: 'ubuntu' }],
  ['/pv_registration_params', [{ pv_manifest_file_path: 'Files/pv.yaml', nfs_server_cp: 'storage_server_CP1' }]],
  ['/network_addon', 'calico'],
  ['/image_repository', 'registry.example:5000/k8s'],
  ['/helm_installation_script_path', 'Scripts/helm.sh'],
  ['/master_node/pod_node_prefix', 25],
];

function filled(path: string, value: Json): JsonObject {
  const params = filledParams();
  const [field = '', ...around] = path.split('/').slice(1).reverse();
  const object = around.reduceRight((of, name) => of[name] as JsonObject, params[PARAMS] as JsonObject);
  object[field] = value;
  return params;
}

describe('a parameter of the other driver that kubespray’s would pass over', () => {
  it.each(GIVEN)('%s is refused at its path with what to do', (path, value) => {
    expect(checkInstantiation(validateRequest(filled(path, value))).invalidParams).toEqual([
      {
        path: `/additionalParams/${PARAMS}${path}`,
        reason: expect.stringContaining('make the cluster with the driver mgmt-drivers-kubernetes') as string,
      },
    ]);
  });

  it.each([
    ['SCALE', checkScale],
    ['SCALE_TO_LEVEL', checkScaleToLevel],
    ['HEAL', checkHeal],
  ] as const)('is refused by %s, too', (operation, check) => {
    const requestParams = { [PARAMS]: { private_registry_connection_info: [REGISTRY] } };
    const request = validateRequest(requestParams, { operation, instantiateParams: filledParams() });
    expect(check(request).invalidParams.map(({ path }) => path)).toEqual([
      `/additionalParams/${PARAMS}/private_registry_connection_info`,
    ]);
  });

  it('is taken where it says nothing', () => {
    expect(checkInstantiation(validateRequest(filled('/private_registry_connection_info', []))).invalidParams).toEqual([]);
  });
});
