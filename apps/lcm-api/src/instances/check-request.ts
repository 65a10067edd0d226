import { RequestError, type JsonObject } from '@windlass/foundation';
import {
  checkScaling,
  desiredBy,
  driverOf,
  driversOf,
  heatRequest,
  modified,
  wrongHostKeys,
  type LcmOperation,
  type PackageRecord,
  type VnfInstanceRecord,
} from '@windlass/lifecycle';
import { HOOKS, type Hook, type HookedOperation, type ValidateRequest } from '@windlass/mgmt-driver';
import type { InstantiateVnfRequest, ScaleVnfRequest, TerminateVnfRequest, VnfInfoModificationRequest } from '@windlass/sol003';
import { normalisedParams, type DriverRegistry } from '../drivers/driver-registry.js';

/** A request that was found right, as it is to be carried out. */
export interface CheckedRequest {
  request: JsonObject;
  warnings: string[];
  /** The drivers that hooks of the flavour are bound to. */
  drivers: string[];
}

export interface ToCheck<Request> {
  request: Request;
  instance: VnfInstanceRecord;
  package: PackageRecord;
  drivers: DriverRegistry;
}

/** Everything that can be known to be wrong with an instantiation before its 202. */
export async function checkInstantiation({
  request,
  instance,
  package: record,
  drivers,
}: ToCheck<InstantiateVnfRequest>): Promise<CheckedRequest> {
  const flavours = record.model.flavours.map(({ id }) => id);
  if (!flavours.includes(request.flavourId))
    throw wrong('/flavourId', `the VNFD has no flavour "${request.flavourId}"; it has ${flavours.join(', ')}`);
  const levels = record.model.flavours.find(({ id }) => id === request.flavourId)?.instantiationLevels.map(({ id }) => id) ?? [];
  if (request.instantiationLevelId !== undefined && !levels.includes(request.instantiationLevelId)) {
    throw wrong(
      '/instantiationLevelId',
      `flavour ${request.flavourId} has no level "${request.instantiationLevelId}"; it has ${levels.join(', ') || 'none'}`,
    );
  }
  const body = request as unknown as JsonObject;
  const checked = await withDrivers('INSTANTIATE', 'instantiate', body, {
    instance,
    record,
    drivers,
    flavourId: request.flavourId,
  });
  // What Heat will be asked for is computed here once, only to learn what the request lacks for it.
  heatRequest({ instance, package: record, opOcc: { id: instance.id }, desired: desiredBy(checked.request) }, {});
  return checked;
}

export async function checkTermination({
  request,
  instance,
  package: record,
  drivers,
}: ToCheck<TerminateVnfRequest>): Promise<CheckedRequest> {
  const flavourId = instance.instantiated?.info.flavourId ?? '';
  return withDrivers('TERMINATE', 'terminate', request as unknown as JsonObject, { instance, record, drivers, flavourId });
}

/** Everything that can be known to be wrong with a scaling before its 202. */
export async function checkScale({
  request,
  instance,
  package: record,
  drivers,
}: ToCheck<ScaleVnfRequest>): Promise<CheckedRequest> {
  const flavourId = instance.instantiated?.info.flavourId ?? '';
  const body = request as unknown as JsonObject;
  checkScaling({ instance, package: record, flavourId, opOcc: { id: instance.id, request: body } });
  return withDrivers('SCALE', 'scale', body, { instance, record, drivers, flavourId });
}

/** The same of a modification. `target` is the package that the request names, if it names one; from here on it is named by its id. */
export async function checkModification(
  { request, instance, package: record, drivers }: ToCheck<VnfInfoModificationRequest>,
  target: PackageRecord | undefined,
): Promise<CheckedRequest> {
  modified(instance, request, target);
  const flavourId = instance.instantiated?.info.flavourId ?? '';
  const body = { ...(request as unknown as JsonObject), ...(target === undefined ? {} : { vnfPkgId: target.id }) };
  return withDrivers('MODIFY_INFO', 'modify_information', body, { instance, record, drivers, flavourId });
}

/** A request that is wrong in one field. */
const wrong = (path: string, reason: string): RequestError =>
  new RequestError(400, 'request.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });

interface DriverQuestion {
  instance: VnfInstanceRecord;
  record: PackageRecord;
  drivers: DriverRegistry;
  flavourId: string;
}

/** Only these bring machines that nobody has seen. */
const MAKES_VMS: readonly LcmOperation[] = ['INSTANTIATE', 'SCALE', 'HEAL'];

/** @throws RequestError 400 with the path of each key that is wrong */
function refuseWrongHostKeys(body: JsonObject, record: PackageRecord, flavourId: string): void {
  const vdus = record.model.flavours.find(({ id }) => id === flavourId)?.vdus.map(({ id }) => id) ?? [];
  const invalidParams = wrongHostKeys(paramsOf(body), vdus);
  const [first] = invalidParams;
  if (first === undefined) return;
  throw new RequestError(400, 'request.invalid', `${first.path}: ${first.reason}`, { invalidParams });
}

/** Asks each driver that a hook of this operation is bound to. */
export async function withDrivers(
  operation: LcmOperation,
  hooked: HookedOperation,
  body: JsonObject,
  question: DriverQuestion,
): Promise<CheckedRequest> {
  const { instance, record, drivers, flavourId } = question;
  if (MAKES_VMS.includes(operation)) refuseWrongHostKeys(body, record, flavourId);
  const asked = new Map<string, Hook[]>();
  for (const hook of HOOKS) {
    const name = driverOf({ package: record, flavourId }, hook);
    const ofThis = hook.startsWith(`${hooked}_`);
    // A driver that any hook of the flavour is bound to has a say in what it is instantiated with.
    if (name === undefined || !(ofThis || operation === 'INSTANTIATE')) continue;
    asked.set(name, [...(asked.get(name) ?? []), ...(ofThis ? [hook] : [])]);
  }
  const bound = driversOf(record, flavourId);
  const secrets = await drivers.secrets.of(bound);
  let request = body;
  const warnings: string[] = [];
  for (const [name, hooks] of asked) {
    const reply = await drivers.validate(name, instance.tenant, questionOf(operation, request, question), { hooks, secrets });
    warnings.push(...reply.warnings);
    if (Object.keys(reply.normalised).length > 0)
      request = { ...request, additionalParams: normalisedParams(paramsOf(request), reply.normalised, secrets) };
  }
  return {
    request,
    drivers: bound,
    warnings: [...new Set(warnings)]
      .map((text) => text)
      .concat(instance.leftovers === null ? [] : ['what a failed operation left is removed first']),
  };
}

const paramsOf = (request: JsonObject): JsonObject => (request.additionalParams ?? {}) as JsonObject;

function questionOf(
  operation: LcmOperation,
  request: JsonObject,
  { instance, record, flavourId }: DriverQuestion,
): ValidateRequest {
  const flavour = record.model.flavours.find(({ id }) => id === flavourId);
  return {
    operation,
    vnfInstanceId: instance.id,
    requestParams: paramsOf(request),
    instantiateParams: operation === 'INSTANTIATE' ? paramsOf(request) : (instance.desired?.additionalParams ?? {}),
    flavour: {
      id: flavourId,
      vdus: flavour?.vdus.map(({ id }) => id) ?? [],
      cps: flavour?.cps.map(({ id, vduId }) => ({ id, vdu: vduId ?? null })) ?? [],
      aspects: flavour?.scalingAspects.map(({ id }) => id) ?? [],
    },
    files: record.files,
  };
}
