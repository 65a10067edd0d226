import type { JsonObject } from '@windlass/foundation';
import { expect, it } from 'vitest';
import { defaultSettings } from '../../settings/settings.js';
import { flavour, PARAMS, plainParams, validateRequest } from '../../testing/requests.js';
import { checkInstantiation } from './check-instantiation.js';

const floatingIps = [
  { id: 'master_FIP', cp: 'masterNode_CP1' },
  { id: 'worker_FIP', cp: 'workerNode_CP2' },
  { id: 'computed_FIP', cp: null },
];

const checked = (master: JsonObject, told: object = { floatingIps, sharedPorts: ['vip_CP'] }) => {
  const params = plainParams();
  const cluster = params[PARAMS] as Record<string, JsonObject>;
  Object.assign(cluster.master_node!, master);
  return checkInstantiation(validateRequest(params, { flavour: { ...flavour(), ...told } }), defaultSettings);
};

it('ssh_cp_name may name a floating IP of the template: hooks see the port that it leads to, and log in by its floating IP', () => {
  const { invalidParams, normalised } = checked({ ssh_cp_name: 'master_FIP' });
  expect(invalidParams).toEqual([]);
  expect(normalised).toEqual({ [PARAMS]: { master_node: { ssh_cp_name: 'masterNode_CP1' } } });
});

it.each([
  ['of another VDU', 'worker_FIP', 'nic_cp_name'],
  ['whose port a template computes', 'computed_FIP', 'ssh_cp_name'],
  ['that no template has', 'other_FIP', 'ssh_cp_name'],
])('a floating IP %s is refused with its path', (_what, ssh_cp_name, field) => {
  const { invalidParams } = checked({ ssh_cp_name });
  expect(invalidParams[0]?.path).toBe(`/additionalParams/${PARAMS}/master_node/${field}`);
});

it('cluster_fip_name names a floating IP or a port of the templates, or is refused, for the VIM would be registered at the address inside', () => {
  for (const name of ['master_FIP', 'vip_CP', 'outside_CP'])
    expect(checked({ cluster_fip_name: name }).invalidParams).toEqual([]);
  expect(checked({ cluster_fip_name: 'cluster_fib' }).invalidParams).toEqual([
    {
      path: `/additionalParams/${PARAMS}/master_node/cluster_fip_name`,
      reason: expect.stringContaining('have no floating IP and no port cluster_fib') as string,
    },
  ]);
  // Of a package that an earlier release onboarded nobody knows them.
  expect(checked({ cluster_fip_name: 'cluster_fib' }, {}).invalidParams).toEqual([]);
});
