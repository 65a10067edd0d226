import type { VnfPackageModel } from '@windlass/vnf-package';
import type { OpOccRecord, VnfInstanceRecord } from '../records/records.js';
import type { PackageRecord } from '../ports.js';

/** The tenant of instances and operations, unless a test gives another. */
export const TENANT = 'default';

/** An accepted operation occurrence. */
export const opOccRecord = (
  record: Partial<OpOccRecord> & Pick<OpOccRecord, 'id' | 'vnfInstanceId'>,
  now = new Date('2026-01-01T00:00:00Z'),
): OpOccRecord => ({
  tenant: TENANT,
  operation: 'INSTANTIATE',
  operationState: 'STARTING',
  stateEnteredTime: now,
  startTime: now,
  isAutomaticInvocation: false,
  request: {},
  isCancelPending: false,
  cancelMode: null,
  error: null,
  resourceChanges: null,
  grantId: null,
  warnings: [],
  draft: {},
  ...record,
});

/** A created instance. */
export const instanceRecord = (
  record: Partial<VnfInstanceRecord> & Pick<VnfInstanceRecord, 'id' | 'vnfPkgId'>,
): VnfInstanceRecord => ({
  tenant: TENANT,
  vnfInstanceName: 'one',
  vnfInstanceDescription: null,
  vnfdId: 'vnfd',
  vnfProvider: 'Me',
  vnfProductName: 'Small',
  vnfSoftwareVersion: '1.0',
  vnfdVersion: '1.0',
  instantiationState: 'NOT_INSTANTIATED',
  metadata: null,
  properties: null,
  vimConnectionInfo: [],
  instantiated: null,
  desired: null,
  leftovers: null,
  version: 0,
  ...record,
});

/** A package of one flavour with nothing in it. */
export const packageRecord = (id: string): PackageRecord => ({
  id,
  model: { flavours: [] } as unknown as VnfPackageModel,
  files: [{ path: 'Scripts/a.sh', size: 1, sha256: 'ab'.repeat(32), firstLine: '#!/bin/sh' }],
});
