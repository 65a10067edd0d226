import { SecretPlaces } from '@windlass/foundation';
import { secretParameters } from '@windlass/mgmt-driver';
import { hiddenTextsOf } from '@windlass/sol003';
import type { OpOccRecord, VnfInstanceRecord } from '../records/records.js';
import type { LcmStore } from '../ports.js';
import { driversOf } from './operation-saga.js';
import type { OperationTable } from './operation-table.js';

/**
 * The places of secrets in an operation's parameters, as its drivers' stored descriptions say; everywhere where a driver has no description.
 * @param operations tells which flavour an operation of an older release works with
 */
export async function secretParamsOf(
  store: Pick<LcmStore, 'driver' | 'package'>,
  handle: unknown,
  opOcc: OpOccRecord,
  instance: VnfInstanceRecord,
  operations: OperationTable,
): Promise<SecretPlaces> {
  const names = opOcc.draft.drivers ?? (await boundDrivers(store, handle, instance, operations.flavourIdOf(opOcc, instance)));
  const places: SecretPlaces[] = [];
  for (const name of names) {
    const description = await store.driver(handle, name);
    places.push(description === undefined ? SecretPlaces.everything : secretParameters(description));
  }
  return SecretPlaces.union(places);
}

/** The drivers of an operation that an older release accepted. */
async function boundDrivers(
  store: Pick<LcmStore, 'package'>,
  handle: unknown,
  instance: VnfInstanceRecord,
  flavourId: string,
): Promise<string[]> {
  return driversOf(await store.package(handle, instance.vnfPkgId), flavourId === '' ? undefined : flavourId);
}

/** The secrets that an error of the operation may quote: those of its request, of the instance's desired state, and of its connections. */
export function quotableSecrets(opOcc: OpOccRecord, instance: VnfInstanceRecord, params: SecretPlaces): string[] {
  const { desired, vnfInstanceName, vimConnectionInfo } = instance;
  return hiddenTextsOf([opOcc.request, desired, { vimConnectionInfo }, { vnfInstanceName }], params);
}
