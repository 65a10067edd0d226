import type { HookContext, ValidateRequest, Vnfc } from '@windlass/mgmt-driver';

/** The VNF instance of the requests and hooks made here. */
export const INSTANCE = '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';

/**
 * A VM with one CP.
 * @param address of the CP, IPv4
 */
export const vnfc = (id: string, cpdId: string, address: string, more: Partial<Vnfc> = {}): Vnfc => ({
  id,
  vduId: 'node',
  aspectId: null,
  memberName: null,
  resourceId: `server-${id}`,
  name: `vm-${id}`,
  createdAt: '2026-01-01T00:00:00Z',
  host: null,
  zone: null,
  cps: [{ cpdId, resourceId: 'port', mac: null, addresses: [address], floatingIp: null }],
  ...more,
});

/** What a driver is told at a hook; `instantiate_end` of an instance without VMs unless said otherwise. */
export const hookContextOf = (more: Partial<HookContext> = {}): HookContext => ({
  hook: 'instantiate_end',
  operationId: '6c7b5a4e-0f0e-4f0e-8f0e-0f0e0f0e0f0e',
  tenant: 'demo',
  vnfInstanceId: INSTANCE,
  vnfInstanceName: 'an instance',
  flavourId: 'simple',
  vnfPkgId: '03a8eb3e-a981-434e-a548-82d9b90161d7',
  instantiateParams: {},
  requestParams: {},
  request: { flavourId: 'simple' },
  vnfcs: [],
  affectedVnfcs: [],
  sharedCps: [],
  files: [],
  ...more,
});

/** As lcm-api asks before its 202; an instantiation without parameters unless said otherwise. */
export const validateRequestOf = (more: Partial<ValidateRequest> = {}): ValidateRequest => ({
  operation: 'INSTANTIATE',
  vnfInstanceId: INSTANCE,
  requestParams: {},
  instantiateParams: more.requestParams ?? {},
  flavour: { id: 'simple', vdus: [], cps: [], aspects: [], mostVnfcs: {} },
  files: [],
  ...more,
});
