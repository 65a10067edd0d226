import type { JsonObject } from '@windlass/foundation';
import type { ValidateReply } from '@windlass/mgmt-driver';
import { expect, it } from 'vitest';
import { defaultSettings } from '../../settings/settings.js';
import { PARAMS, plainParams, validateRequest } from '../../testing/requests.js';
import { checkInstantiation } from './check-instantiation.js';

/** A request that gives connection points of the VNF these addresses; the pods have 192.168.0.0/16, the services 10.199.187.0/24. */
const checked = (addresses: unknown[], params = plainParams()): ValidateReply => {
  const ipAddresses = addresses.map((address) => ({ type: 'IPV4', fixedAddresses: [address] }));
  const cpProtocolData = [{ layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { ipAddresses } }];
  const extCps = [
    { cpdId: 'outside_CP', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] },
    { cpdId: 'masterNode_CP1', cpConfig: [{ cpProtocolData }] },
  ];
  const request = { flavourId: 'simple', extVirtualLinks: [{ id: 'net', resourceId: 'net0', extCps }] } as JsonObject;
  return checkInstantiation(validateRequest(params, { request }), defaultSettings);
};

const PATH = '/extVirtualLinks/0/extCps/1/cpConfig/0/cpProtocolData/0/ipOverEthernet/ipAddresses';

it.each([
  ['of the pods', '192.168.7.20', 'pod_cidr 192.168.0.0/16'],
  ['of the services', '10.199.187.9', 'cluster_cidr 10.199.187.0/24'],
])('an address that the request gives a machine is refused at its path where it is one %s', (_whose, address, range) => {
  const { invalidParams } = checked(['10.10.0.24', address]);
  expect(invalidParams).toEqual([
    { path: `${PATH}/1/fixedAddresses/0`, reason: expect.stringContaining(`lies in ${range}`) as string },
  ]);
});

it('addresses outside of the cluster’s ranges are taken, and what is no IPv4 address is not this driver’s matter', () => {
  expect(checked(['10.10.0.24', '192.169.0.1', 'fd00::1', 7]).invalidParams).toEqual([]);
});

it('the default ranges count where the request names none', () => {
  const params = plainParams();
  const master = (params[PARAMS] as JsonObject).master_node as JsonObject;
  delete master.pod_cidr;
  delete master.cluster_cidr;
  expect(checked(['192.168.1.1', '10.96.0.1'], params).invalidParams.map(({ path }) => path)).toEqual([
    `${PATH}/0/fixedAddresses/0`,
    `${PATH}/1/fixedAddresses/0`,
  ]);
});

it('a placeholder that nobody has filled in is refused wherever it stands in the parameters', () => {
  const params = plainParams();
  const cluster = params[PARAMS] as Record<string, JsonObject>;
  Object.assign(cluster, { vim_name: 'site-${SITE}' });
  Object.assign(cluster.master_node!, { ssh_cp_name: '${MASTER_CP}' });
  const { invalidParams } = checked([], params);
  expect(invalidParams).toEqual([
    { path: `/additionalParams/${PARAMS}/vim_name`, reason: expect.stringContaining('${...}') as string },
    { path: `/additionalParams/${PARAMS}/master_node/ssh_cp_name`, reason: expect.stringContaining('${...}') as string },
  ]);
});

it.each(['costs $5', '{braces}', '}${'])('%s is no placeholder', (vim_name) => {
  const params = plainParams();
  Object.assign(params[PARAMS] as JsonObject, { vim_name });
  expect(checked([], params).invalidParams).toEqual([]);
});

it('the cluster’s ranges are told, by the field of each, to be compared with the VIM’s subnets; the defaults, too', () => {
  const path = (field: string): string => `/additionalParams/${PARAMS}/master_node/${field}`;
  const params = plainParams();
  expect(checked([], params).ranges).toEqual([
    { path: path('pod_cidr'), name: 'pod_cidr', cidr: '192.168.0.0/16' },
    { path: path('cluster_cidr'), name: 'cluster_cidr', cidr: '10.199.187.0/24' },
  ]);
  const master = (params[PARAMS] as JsonObject).master_node as JsonObject;
  delete master.pod_cidr;
  delete master.cluster_cidr;
  expect(checked([], params).ranges?.map(({ cidr }) => cidr)).toEqual(['192.168.0.0/16', '10.96.0.0/12']);
});

it('the connection points that need an address of IPv4 are told, each once', () => {
  expect(checked([]).ipv4Cps).toEqual(['masterNode_CP1', 'workerNode_CP2']);
});
