import type { OpOccRecord, VnfInstanceRecord } from '../records/records.js';

/** What subscribers' filters ask of an instance (SOL003 4.4.1.5). */
export type NotifiedInstance = Pick<
  VnfInstanceRecord,
  'id' | 'vnfInstanceName' | 'vnfdId' | 'vnfProvider' | 'vnfProductName' | 'vnfSoftwareVersion' | 'vnfdVersion'
>;

/** An instance's identifier was made or is gone. */
export interface InstanceChange {
  readonly about: 'vnf';
  readonly change: 'created' | 'deleted';
  readonly tenant: string;
  readonly instance: NotifiedInstance;
}

/** An operation has entered a state. */
export interface OperationChange {
  readonly about: 'operation';
  readonly tenant: string;
  /** As it was in that state. */
  readonly opOcc: OpOccRecord;
}

/** A change that is notified to subscribers (SOL003 5.3.8): unlike an event it is part of the record, and kept until each has got it. */
export type LcmChange = InstanceChange | OperationChange;

/** An instance that was made or is gone. */
export const instanceChange = (change: InstanceChange['change'], instance: VnfInstanceRecord): InstanceChange => {
  const { id, tenant, vnfInstanceName, vnfdId, vnfProvider, vnfProductName, vnfSoftwareVersion, vnfdVersion } = instance;
  const shown = { id, vnfInstanceName, vnfdId, vnfProvider, vnfProductName, vnfSoftwareVersion, vnfdVersion };
  return { about: 'vnf', change, tenant, instance: shown };
};

/** States in which work has ended, for good or for now: only then it is known what was affected. */
const ENDED = new Set(['COMPLETED', 'FAILED_TEMP', 'FAILED', 'ROLLED_BACK']);

/** An occurrence in the state it stands in. What the record says of results belongs to a state in which work has ended. */
export const operationChange = (opOcc: OpOccRecord): OperationChange => ({
  about: 'operation',
  tenant: opOcc.tenant,
  opOcc: ENDED.has(opOcc.operationState) ? opOcc : { ...opOcc, error: null, resourceChanges: null },
});
