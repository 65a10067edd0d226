import { RequestError, type JsonObject, type SecretPlaces } from '@windlass/foundation';
import {
  driverOf,
  driversOf,
  hooksCalled,
  taskConditionsOf,
  requestForDrivers,
  unreadParams,
  wrongHostKeys,
  type OperationDefinition,
  type PackageRecord,
  type RequestLookups,
  type RequestSubject,
  type VnfInstanceRecord,
} from '@windlass/lifecycle';
import {
  HOOKS,
  type DriverNeed,
  type Hook,
  type KeptRange,
  type NamedSnapshot,
  type RestorableSnapshot,
  type ValidateRequest,
} from '@windlass/mgmt-driver';
import { mostInstances } from '@windlass/vnf-package';
import { normalisedParams, type DriverRegistry } from '../drivers/driver-registry.js';
import type { WantedVimName } from '../vims/reserved-names.js';

/** A request that passed all checks, as it is to be carried out. */
export interface CheckedRequest {
  request: JsonObject;
  warnings: string[];
  /** The drivers that hooks of the flavour are bound to. */
  drivers: string[];
  /** What the drivers that were asked need. */
  needs: DriverNeed[];
  /** Names under which the operation will register a VIM. */
  vimNames: WantedVimName[];
  /** Ranges that no network of the request may overlap. */
  ranges: KeptRange[];
  /** Of drivers: CPs whose ports need an address of IPv4. */
  ipv4Cps: string[];
}

/** What drivers are asked, and what is kept of them. */
export interface DriverChecks {
  readonly secrets: { of(drivers: readonly string[] | undefined): Promise<SecretPlaces> };
  validate: DriverRegistry['validate'];
}

/** A body that follows its operation's class, and what it is checked against. */
export interface ToCheck {
  request: JsonObject;
  instance: VnfInstanceRecord;
  package: PackageRecord;
  flavourId: string;
  lookups: RequestLookups;
  drivers: DriverChecks;
  /** Snapshots from which the instance's cluster can be restored, the newest first, where the operation is a heal. */
  snapshots?: NamedSnapshot[];
}

/**
 * Checks a request before its 202, as far as anything can be known to be wrong: by the operation's own checks, and by each driver to which one of its
 * hooks is bound.
 * @throws RequestError 400 with the path of each field that is wrong, 409 for what the instance, a driver or a missing hook has against it
 */
export async function checkRequest(definition: OperationDefinition, toCheck: ToCheck): Promise<CheckedRequest> {
  const { instance } = toCheck;
  if (definition.isTaskOf?.(taskConditionsOf(instance)) === false) throw noTask(taskOf(definition), instance);
  const subject: RequestSubject<object> = toCheck;
  const body = (await definition.checkBeforeDrivers(subject)) as JsonObject;
  const checked = await withDrivers(definition, body, toCheck);
  const warnings = (await definition.checkAfterDrivers?.({ ...subject, request: checked.request })) ?? [];
  const unread = unreadParams({ ...toCheck, request: body, definition, drivers: checked.drivers });
  return { ...checked, warnings: [...checked.warnings, ...warnings, ...unread] };
}

const taskOf = ({ route, operation }: OperationDefinition): string => (route.method === 'POST' ? route.task : operation);

/** By SOL003 the task resource does not exist then, such as 5.4.6.3.1, response 404. */
export const noTask = (task: string, { id, vnfdId }: Pick<VnfInstanceRecord, 'id' | 'vnfdId'>): RequestError =>
  new RequestError(404, 'vnf-instance.no-task', `VNF instance ${id} has no task ${task}: its VNFD ${vnfdId} does not support it`);

/** @throws RequestError 400 with the path of each key that is wrong */
function refuseWrongHostKeys(body: JsonObject, record: PackageRecord, flavourId: string): void {
  const vdus = record.model.flavours.find(({ id }) => id === flavourId)?.vdus.map(({ id }) => id) ?? [];
  const invalidParams = wrongHostKeys(paramsOf(body), vdus);
  const [first] = invalidParams;
  if (first === undefined) return;
  throw new RequestError(400, 'request.invalid', `${first.path}: ${first.reason}`, { invalidParams });
}

/** Asks each driver that a hook of this operation is bound to. */
async function withDrivers(definition: OperationDefinition, body: JsonObject, toCheck: ToCheck): Promise<CheckedRequest> {
  const { instance, package: record, drivers, flavourId } = toCheck;
  if (definition.makesVms) refuseWrongHostKeys(body, record, flavourId);
  const bound = driversOf(record, flavourId);
  const secrets = await drivers.secrets.of(bound);
  let request = body;
  const warnings = new Set<string>();
  const needs = new Set<DriverNeed>();
  const vimNames: WantedVimName[] = [];
  const ranges: KeptRange[] = [];
  const ipv4Cps: string[] = [];
  const asked = askedDrivers(definition, record, flavourId);
  const nodePorts = asked.size === 0 ? undefined : await definition.nodePorts?.({ ...toCheck, request: body });
  for (const [name, hooks] of asked) {
    const question = { ...questionOf(definition, request, toCheck), hooks, ...given('nodePorts', nodePorts) };
    const reply = await drivers.validate(name, instance.tenant, question, {
      hooks,
      secrets,
      isBound: definition.asks === undefined,
    });
    for (const warning of reply.warnings) warnings.add(warning);
    for (const need of reply.needs ?? []) needs.add(need);
    vimNames.push(...(reply.vimNames ?? []));
    ranges.push(...(reply.ranges ?? []));
    ipv4Cps.push(...(reply.ipv4Cps ?? []));
    if (Object.keys(reply.normalised).length > 0)
      request = { ...request, additionalParams: normalisedParams(paramsOf(request), reply.normalised, secrets) };
  }
  return { request, drivers: bound, warnings: [...warnings], needs: [...needs], vimNames, ranges, ipv4Cps };
}

/** The drivers that are asked, each with the hooks of the operation that are bound to it. */
function askedDrivers(
  { hooks, makesVnf, concernsDrivers, asks }: OperationDefinition,
  record: PackageRecord,
  flavourId: string,
): Map<string, Hook[]> {
  if (asks !== undefined) return new Map(asks({ package: record, flavourId }));
  const asked = new Map<string, Hook[]>();
  const called = hooksCalled({ package: record, flavourId }, hooks);
  for (const hook of HOOKS) {
    const name = driverOf({ package: record, flavourId }, hook);
    const ofThis = hook === `${called}_start` || hook === `${called}_end`;
    // A driver to which any hook of the flavour is bound is asked, too, where the operation makes the VNF or changes what drivers depend on.
    if (name === undefined || !(ofThis || makesVnf === true || concernsDrivers === true)) continue;
    asked.set(name, [...(asked.get(name) ?? []), ...(ofThis ? [hook] : [])]);
  }
  return asked;
}

const paramsOf = (request: JsonObject): JsonObject => (request.additionalParams ?? {}) as JsonObject;

/** The member, where its value is known: packages that an earlier release onboarded lack some. */
const given = <K extends string, V>(name: K, value: V | undefined): Partial<Record<K, V>> =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<K, V>>;

function questionOf(definition: OperationDefinition, request: JsonObject, toCheck: ToCheck): ValidateRequest {
  const { operation, makesVnf } = definition;
  const { instance, package: record, flavourId, snapshots = [] } = toCheck;
  const forDrivers = requestForDrivers(definition, { instance, package: record, flavourId, opOcc: { id: instance.id, request } });
  const flavour = record.model.flavours.find(({ id }) => id === flavourId);
  return {
    operation,
    vnfInstanceId: instance.id,
    requestParams: paramsOf(request),
    instantiateParams: makesVnf === true ? paramsOf(request) : (instance.desired?.additionalParams ?? {}),
    flavour: {
      id: flavourId,
      vdus: flavour?.vdus.map(({ id }) => id) ?? [],
      cps: flavour?.cps.map(({ id, vduId }) => ({ id, vdu: vduId ?? null })) ?? [],
      storages: flavour?.vdus.flatMap(({ id: vdu, storageIds }) => storageIds.map((id) => ({ id, vdu }))) ?? [],
      aspects: flavour?.scalingAspects.map(({ id }) => id) ?? [],
      mostVnfcs: flavour === undefined ? {} : mostInstances(flavour),
      apart: flavour?.baseHot?.groups.filter(({ apart }) => apart === true).flatMap(({ vduIds }) => vduIds) ?? [],
      floating: flavour?.baseHot?.floatingPorts ?? [],
      images: flavour?.vdus.flatMap(({ id: vdu, image }) => (image === undefined ? [] : [{ vdu, name: image.name }])) ?? [],
      ...given('floatingIps', flavour?.baseHot?.floatingIps),
      ...given('sharedPorts', flavour?.baseHot?.sharedPorts),
    },
    files: record.files,
    ...forDrivers,
    ...(forDrivers.instance === undefined || snapshots[0] === undefined
      ? {}
      : { instance: { ...forDrivers.instance, snapshot: newestOf(snapshots[0]), snapshots } }),
  };
}

/** A snapshot in the form that drivers of an earlier release read, without members that they do not know. */
const newestOf = ({ takenAt, master, ca }: NamedSnapshot): RestorableSnapshot => ({ takenAt, master, ca });
