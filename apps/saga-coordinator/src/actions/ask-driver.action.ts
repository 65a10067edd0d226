import { InvariantError, masked, seconds, TransientError, type JsonObject, type SecretPlaces } from '@windlass/foundation';
import {
  askDriverAction,
  OPERATIONS,
  secretParamsOf,
  type DriverClient,
  type LcmStore,
  type OpOccRecord,
  type PackageRecord,
  type VnfInstanceRecord,
} from '@windlass/lifecycle';
import { isHook, type DriverDescription, type Hook, type HookContext, type PackageFile } from '@windlass/mgmt-driver';
import { expandInto, implementAction, type InputOf, type StepRun } from '@windlass/saga';

export interface HookActionContext<Input> {
  run: StepRun<Input>;
  store: LcmStore;
  drivers: DriverClient;
}

/** Asks the driver of a hook for its plan. What it answers first is the plan: the engine grafts it and never asks again. */
export const askDriver = implementAction(askDriverAction, {
  apply: async ({ run, store, drivers }: HookActionContext<InputOf<typeof askDriverAction>>) => {
    const { hook, driver } = run.input;
    if (typeof hook !== 'string' || !isHook(hook) || typeof driver !== 'string')
      throw new InvariantError(`step ${run.stepId} names no hook and driver`);
    const { description, context } = await store.transact((handle) => question(store, handle, run.operationId, hook, driver));
    run.progress(`asking ${driver} for the plan of ${hook}`);
    return expandInto(await drivers.plan(description, context, run.signal));
  },
  retry: { attempts: 10, backoff: seconds(1), growth: 2 },
});

/** The driver as it is kept, and what it is told: everything it needs to plan, and no secret. */
async function question(
  store: LcmStore,
  handle: unknown,
  operationId: string,
  hook: Hook,
  driver: string,
): Promise<{ description: DriverDescription; context: HookContext }> {
  const opOcc = await store.opOcc(handle, operationId);
  const instance = await store.instance(handle, opOcc.vnfInstanceId);
  const description = await store.driver(handle, driver);
  if (description === undefined) {
    throw new TransientError('driver.unknown', `the driver ${driver} has not been seen yet: start the service that has it`);
  }
  const files = await store.package(handle, instance.vnfPkgId);
  const secrets = await secretParamsOf(store, handle, opOcc, instance);
  return { description, context: contextFrom({ hook, opOcc, instance, files, secrets }) };
}

interface Sources {
  hook: Hook;
  opOcc: OpOccRecord;
  instance: VnfInstanceRecord;
  files: PackageRecord;
  secrets: SecretPlaces;
}

function contextFrom({ hook, opOcc, instance, files, secrets }: Sources): HookContext {
  const state = opOcc.draft.instantiated ?? instance.instantiated;
  const { additionalParams, vimConnectionInfo: _connections, ...request } = opOcc.request;
  const instantiateParams = OPERATIONS.desiredFor(opOcc, instance)?.additionalParams ?? {};
  return {
    hook,
    operationId: opOcc.id,
    tenant: opOcc.tenant,
    vnfInstanceId: instance.id,
    vnfInstanceName: instance.vnfInstanceName ?? `vnf-${instance.id}`,
    flavourId: OPERATIONS.flavourIdOf(opOcc, instance),
    vnfPkgId: instance.vnfPkgId,
    instantiateParams: masked(instantiateParams, secrets),
    requestParams: masked(objectOf(additionalParams), secrets),
    request: masked(request),
    vnfcs: state?.vnfcs ?? [],
    affectedVnfcs: opOcc.draft.affectedVnfcs ?? [],
    sharedCps: state?.sharedCps ?? [],
    ...(opOcc.draft.heal === undefined ? {} : { heal: opOcc.draft.heal }),
    files: namedFiles(instantiateParams, files.files),
  };
}

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

/** The package's files that the parameters name somewhere. */
function namedFiles(params: JsonObject, files: readonly PackageFile[]): PackageFile[] {
  const texts = new Set(textsIn(params).map((text) => text.replace(/^\.\//, '')));
  return files.filter(({ path }) => texts.has(path));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
