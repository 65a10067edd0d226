import { compilePlan, type Plan } from '@windlass/saga';
import type { Flavour } from '@windlass/vnf-package';
import { describe, expect, it } from 'vitest';
import { auditPlan } from '../internal/audit.saga.js';
import { cleanUpPlan } from '../internal/clean-up.saga.js';
import type { InternalKind, InternalRecord, SubjectOf } from '../records/internal-operation.js';
import { snapshotPlan } from '../internal/snapshot.saga.js';
import { refreshPlan } from '../internal/refresh.saga.js';
import type { InstantiatedState, LcmOperation, OpOccRecord, VnfInstanceRecord } from '../records/records.js';
import { OPERATIONS } from './operations.js';
import { instanceRecord, opOccRecord, packageRecord, TENANT } from '../testing/records.js';
import type { SagaContext } from '../operation/operation-saga.js';

const VNF = '7d7b2fd4-6df1-4a3c-9a63-0d0b8a1a6b55';
const vim = { vimId: 'vim-1', connectionId: 'connection-1' };
const vnfc = {
  ...{ id: 'vnfc-1', vduId: 'VDU1', aspectId: null, memberName: null, resourceId: 'server-1', name: 'one' },
  ...{ createdAt: null, host: null, zone: null, cps: [] },
};
const instantiated: InstantiatedState = {
  info: { flavourId: 'simple', vnfState: 'STARTED', scaleStatus: [{ aspectId: 'workers', scaleLevel: 1 }] },
  stack: { name: `vnf-${VNF}`, id: 'stack-1' },
  vnfcs: [vnfc],
  sharedCps: [],
  vim,
  images: ['image-1', 'image-2'],
};

/** A flavour with a driver at every hook and an image in the package. */
const flavour = {
  id: 'simple',
  vdus: [
    {
      id: 'VDU1',
      image: {
        ...{ name: 'cirros', checksum: { algorithm: 'sha-256', hash: 'ab' }, containerFormat: 'bare', diskFormat: 'qcow2' },
        ...{ minDisk: 1, minRam: 0, size: 42, file: { kind: 'member', present: true, path: 'Files/cirros.img' } },
      },
    },
  ],
  storages: [],
  scalingAspects: [{ id: 'workers', maxScaleLevel: 3, deltas: [{ vduId: 'VDU1', instances: 1 }] }],
  baseHot: { groups: [{ name: 'workers', vduIds: ['VDU1'] }] },
  lcmBindings: {
    ...{ instantiate_start: { implementation: 'driver' }, instantiate_end: { implementation: 'driver' } },
    ...{ scale_start: { implementation: 'driver' }, heal_end: { implementation: 'driver' } },
  },
};

function planOf(operation: LcmOperation, request: OpOccRecord['request'], instance: Partial<VnfInstanceRecord> = {}): Plan {
  const opOcc = opOccRecord({ id: 'op-1', vnfInstanceId: VNF, operation, request, draft: { vim } });
  const record = instanceRecord({ id: VNF, vnfPkgId: 'pkg-1', ...instance });
  const pkg = { ...packageRecord('pkg-1'), model: { flavours: [flavour] } as unknown as SagaContext['package']['model'] };
  return OPERATIONS.of(operation).plan({ opOcc, instance: record, package: pkg, flavourId: 'simple' });
}

const there: Partial<VnfInstanceRecord> = {
  instantiationState: 'INSTANTIATED',
  instantiated,
  desired: { flavourId: 'simple', scaleStatus: [{ aspectId: 'workers', scaleLevel: 2 }] },
};

const internal = <K extends InternalKind>(kind: K, subject: SubjectOf[K], vnfInstanceId: string | null = VNF) => ({
  record: {
    ...{ id: 'internal-1', kind, tenant: TENANT, vnfInstanceId, vimId: 'vim-1', subject, state: 'PENDING', attempts: 0 },
    ...{ retryAt: null, error: null, outcome: null, createdAt: new Date(0), changedAt: new Date(0) },
  } as InternalRecord<K>,
});

const leftovers = { stack: { name: `vnf-${VNF}` }, vim, images: ['image-9'] };
const audited = { id: 'vim-1', name: 'first', vim: { choice: vim } };

describe('what the plans of a release are compiled to', () => {
  it.each<[string, Plan]>([
    ['INSTANTIATE', planOf('INSTANTIATE', {}, { leftovers })],
    ['SCALE out', planOf('SCALE', { type: 'SCALE_OUT', aspectId: 'workers' }, there)],
    ['SCALE in', planOf('SCALE', { type: 'SCALE_IN', aspectId: 'workers' }, there)],
    ['SCALE_TO_LEVEL up', planOf('SCALE_TO_LEVEL', { scaleInfo: [{ aspectId: 'workers', scaleLevel: 3 }] }, there)],
    ['SCALE_TO_LEVEL down', planOf('SCALE_TO_LEVEL', { scaleInfo: [{ aspectId: 'workers', scaleLevel: 0 }] }, there)],
    ['HEAL of one', planOf('HEAL', { vnfcInstanceId: ['vnfc-1'] }, there)],
    ['HEAL of the whole', planOf('HEAL', {}, there)],
    ['TERMINATE', planOf('TERMINATE', { terminationType: 'GRACEFUL', gracefulTerminationTimeout: 5 }, there)],
    ['MODIFY_INFO', planOf('MODIFY_INFO', {}, there)],
    ['AUDIT', auditPlan(internal('AUDIT', { vims: [audited], fix: false }, null))],
    ['SNAPSHOT', snapshotPlan(internal('SNAPSHOT', { driver: 'mgmt-drivers-clusters' }))],
    ['CLEAN_UP', cleanUpPlan(internal('CLEAN_UP', { ...leftovers, vim: { choice: vim }, vims: ['vim-2'], mustCarry: 'tag' }))],
    [
      'REFRESH',
      refreshPlan(
        internal('REFRESH', {
          ...{ vim: { choice: vim }, operationId: 'op-1', operation: 'HEAL', stack: instantiated.stack, images: ['image-1'] },
          ...{ vnfcs: [vnfc], sharedCps: [], flavour: { id: 'simple' } as Flavour, request: { flavourId: 'simple' } },
        }),
      ),
    ],
  ])('stays as it is in journals: %s', (_name, plan) => {
    const { steps, common } = compilePlan(plan);
    expect({ steps, common }).toMatchSnapshot();
  });
});
