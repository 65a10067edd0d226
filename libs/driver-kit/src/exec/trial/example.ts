import { isJsonObject, masked, RequestError, type Json, type JsonObject } from '@windlass/foundation';
import {
  operationAt,
  secretParameters,
  type DriverDescription,
  type Hook,
  type HookContext,
  type ValidateRequest,
  type Vnfc,
} from '@windlass/mgmt-driver';

/** What a driver is tried with: a request's parameters with their secrets, and the VMs that there are. */
export interface Example {
  additionalParams: JsonObject;
  vnfcs: readonly { id: string; vduId: string; cp: string; address: string }[];
  /** `additionalParams` of operations on the instance, by the operation's name. */
  operations: Readonly<Record<string, JsonObject>>;
}

const INSTANCE = '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';

/**
 * Reads an `example.json`.
 * @throws RequestError 400 `driver.bad-example`
 */
export function readExample(text: string, path: string): Example {
  const bad = (what: string): RequestError =>
    new RequestError(
      400,
      'driver.bad-example',
      `${path} ${what}: {"additionalParams": {...}, "vnfcs": [{"id", "vduId", "cp", "address"}]} was expected`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new RequestError(400, 'driver.bad-example', `${path} is no JSON`, { cause });
  }
  if (!isJsonObject(value)) throw bad('is no object');
  const { additionalParams = {}, vnfcs = [], operations = {} } = value;
  if (!isJsonObject(additionalParams)) throw bad('has "additionalParams" that are no object');
  if (!isJsonObject(operations) || !Object.values(operations).every(isJsonObject))
    throw bad('has "operations" that are no object of objects');
  if (!Array.isArray(vnfcs)) throw bad('has "vnfcs" that are no list');
  return { additionalParams, operations: operations as Record<string, JsonObject>, vnfcs: vnfcs.map((each) => vmOf(each, bad)) };
}

function vmOf(value: Json, bad: (what: string) => RequestError): Example['vnfcs'][number] {
  if (!isJsonObject(value)) throw bad('has an element of "vnfcs" that is no object');
  const member = (name: string): string => {
    const found = value[name];
    if (typeof found !== 'string') throw bad(`has an element of "vnfcs" without a text "${name}"`);
    return found;
  };
  return { id: member('id'), vduId: member('vduId'), cp: member('cp'), address: member('address') };
}

const vnfcOf = ({ id, vduId, cp, address }: Example['vnfcs'][number]): Vnfc => ({
  ...{ id, vduId, aspectId: null, memberName: null, resourceId: `server-${id}`, name: `vm-${id}` },
  ...{ createdAt: '2026-01-01T00:00:00Z', host: null, zone: null },
  cps: [{ cpdId: cp, resourceId: `port-${id}`, mac: null, addresses: [address], floatingIp: null }],
});

/** Parameters of the operation that a hook stands around, with their secrets. */
export const paramsAt = (hook: Hook, { additionalParams, operations }: Example): JsonObject =>
  hook.startsWith('instantiate') ? additionalParams : (operations[operationAt(hook)] ?? {});

/** What a driver is told at a hook. */
export function contextOf(hook: Hook, example: Example, description: DriverDescription): HookContext {
  const places = secretParameters(description);
  const vnfcs = example.vnfcs.map(vnfcOf);
  const scaled = hook.startsWith('scale') ? vnfcs.slice(-1) : [];
  const [healed] = vnfcs;
  return {
    ...{
      hook,
      operationId: '6c7b5a4e-0f0e-4f0e-8f0e-0f0e0f0e0f0e',
      tenant: 'demo',
      vnfInstanceId: INSTANCE,
      vnfInstanceName: 'an instance',
    },
    ...{
      flavourId: 'default',
      vnfPkgId: '03a8eb3e-a981-434e-a548-82d9b90161d7',
      request: { flavourId: 'default' },
      sharedCps: [],
      files: [],
    },
    instantiateParams: masked(example.additionalParams, places),
    requestParams: masked(paramsAt(hook, example), places),
    vnfcs,
    affectedVnfcs: scaled.map((vnfc) => ({ changeType: hook.endsWith('start') ? 'REMOVED' : 'ADDED', vnfc })),
    ...(hook.startsWith('heal') && healed !== undefined
      ? {
          heal: {
            vnfcIds: [healed.id],
            whole: false,
            recreates: false,
            cause: null,
            earlierResourceIds: { [healed.id]: 'server-before' },
          },
        }
      : {}),
  };
}

/** As lcm-api asks before it takes the instantiation. */
export function requestOf(example: Example, description: DriverDescription): ValidateRequest {
  const params = masked(example.additionalParams, secretParameters(description));
  const vdus = [...new Set(example.vnfcs.map(({ vduId }) => vduId))];
  const cps = [...new Map(example.vnfcs.map(({ cp, vduId }) => [cp, vduId]))].map(([id, vdu]) => ({ id, vdu }));
  const mostVnfcs = Object.fromEntries(vdus.map((vdu) => [vdu, example.vnfcs.filter(({ vduId }) => vduId === vdu).length]));
  return {
    ...{ operation: 'INSTANTIATE', vnfInstanceId: INSTANCE, requestParams: params, instantiateParams: params, files: [] },
    flavour: { id: 'default', vdus, cps, aspects: [], mostVnfcs },
    countsAfter: mostVnfcs,
    request: { flavourId: 'default' },
  };
}
