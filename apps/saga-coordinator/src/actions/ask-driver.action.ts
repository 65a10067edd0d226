import { InvariantError, seconds, TransientError } from '@windlass/foundation';
import {
  askDriverAction,
  hookContextOf,
  secretParamsOf,
  snapshotOccurrence,
  type DriverClient,
  type LcmStore,
  type OperationTable,
} from '@windlass/lifecycle';
import { isHook, type DriverDescription, type Hook, type HookContext } from '@windlass/mgmt-driver';
import { expandInto, implementAction, type InputOf, type StepRun } from '@windlass/saga';

export interface HookActionContext<Input> {
  run: StepRun<Input>;
  store: LcmStore;
  drivers: DriverClient;
  operations: OperationTable;
}

/** Asks the driver of a hook for its plan. The first answer is the plan: the engine grafts it and never asks again. */
export const askDriver = implementAction(askDriverAction, {
  apply: async ({ run, store, drivers, operations }: HookActionContext<InputOf<typeof askDriverAction>>) => {
    const { hook, driver, internal = false } = run.input;
    if (typeof hook !== 'string' || !isHook(hook) || typeof driver !== 'string')
      throw new InvariantError(`step ${run.stepId} names no hook and driver`);
    const { description, context } = await store.transact((handle) =>
      question({ store, operations }, handle, { ...run, hook, driver, internal }),
    );
    run.progress(`asking ${driver} for the plan of ${hook}`);
    return expandInto(await drivers.plan(description, context, run.signal));
  },
  retry: { attempts: 10, backoff: seconds(1), growth: 2 },
});

/** The driver as it is kept, and what it is told: everything it needs to plan, and no secret. */
async function question(
  { store, operations }: Pick<HookActionContext<unknown>, 'store' | 'operations'>,
  handle: unknown,
  { operationId, hook, driver, internal }: { operationId: string; hook: Hook; driver: string; internal: boolean },
): Promise<{ description: DriverDescription; context: HookContext }> {
  const opOcc = internal ? snapshotOccurrence(await store.internal(handle, operationId)) : await store.opOcc(handle, operationId);
  const instance = await store.instance(handle, opOcc.vnfInstanceId);
  const description = await store.driver(handle, driver);
  if (description === undefined) {
    throw new TransientError('driver.unknown', `the driver ${driver} has not been seen yet: start the service that has it`);
  }
  const record = await store.package(handle, instance.vnfPkgId);
  const secrets = await secretParamsOf(store, handle, opOcc, instance, operations);
  return { description, context: hookContextOf({ hook, opOcc, instance, package: record, secrets, operations }) };
}
