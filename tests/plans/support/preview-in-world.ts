import { SecretPlaces, type JsonObject } from '@windlass/foundation';
import { OPERATIONS, previewOf, type LcmOperation, type OperationPreview, type PreviewPorts } from '@windlass/lifecycle';
import { opOccRecord, TENANT } from '@windlass/lifecycle/testing';
import { secretParameters, type HookContext } from '@windlass/mgmt-driver';
import { announced } from '../../crash-points/support/services.js';
import { INSTANCE, type World } from '../../crash-points/support/world.js';

export interface PreviewOptions {
  asksNfvo?: boolean;
  /** Makes the plan of a hook, in the place of the package's driver. */
  plan?: (context: HookContext) => ReturnType<PreviewPorts['plan']>;
  durations?: PreviewPorts['durations'];
}

/** The plan of an operation on the world's instance, as lcm-api computes it. */
export async function previewIn(
  world: World,
  operation: LcmOperation,
  request: JsonObject,
  { asksNfvo = false, plan, durations }: PreviewOptions = {},
): Promise<OperationPreview> {
  const { store, instance, sample } = world;
  const drivers = new Map(announced().map((driver) => [driver.describe().driver, driver]));
  const vim = instance.instantiated?.vim ?? (await store.transact((handle) => store.chooseVim(handle, TENANT, request)));
  const id = '99999999-9999-4999-8999-999999999999';
  return previewOf(
    {
      definition: OPERATIONS.of(operation),
      operations: OPERATIONS,
      opOcc: opOccRecord({ id, vnfInstanceId: INSTANCE, operation, request, draft: { vim } }),
      instance,
      package: sample.record,
      secrets: SecretPlaces.union([...drivers.values()].map((driver) => secretParameters(driver.describe()))),
      asksNfvo,
      sharesImages: sample.sharesImages ?? false,
    },
    {
      driver: (name) => Promise.resolve(store.drivers.get(name)),
      offers: () => store.offers(),
      plan: ({ driver }, context) => plan?.(context) ?? Promise.resolve(drivers.get(driver)!.plan(context)),
      durations: durations ?? (() => Promise.resolve({ of: () => undefined })),
    },
  );
}
