import { describe, expect, it } from 'vitest';
import { schemaErrors } from '../schemas/schema-errors.js';
import { INSTANCE_ID, instantiatedInfo, OP_OCC_ID, sampleOpOcc } from '../testing/samples.js';
import { resourceChanges } from '../resource-changes/resource-changes.js';
import { LCM_OPERATION_STATES } from '../types/enumerations.js';
import {
  creationNotification,
  deletionNotification,
  notificationStatus,
  opOccNotification,
  type Delivery,
} from './lcm-notifications.js';
import { onboardingNotification, packageChangeNotification } from './pkgm-notifications.js';

const ROOT = 'http://host:9890/vnflcm/v1';
const delivery: Delivery = { id: 'n1', timeStamp: '2025-01-02T03:04:05.678901Z', subscriptionId: 's1', root: ROOT };
const changes = resourceChanges(undefined, instantiatedInfo(['a']))!;
const occurrence = (operationState: (typeof LCM_OPERATION_STATES)[number]) =>
  sampleOpOcc({
    operationState,
    resourceChanges: changes,
    changedInfo: {
      vnfInstanceName: 'new',
      vnfPkgId: 'p',
      vimConnectionInfo: [{ id: 'v', vimType: 'openstack', accessInfo: { password: 'pw' } }],
      metadata: { admin_password: 'meta-pw' },
    },
    changedExtConnectivity: [{ id: 'net0', resourceHandle: { resourceId: 'n' } }],
    error: { status: 500, detail: 'could not reach http://user:url-pw@proxy/' },
  });

describe('identifier notifications', () => {
  it.each([
    ['VnfIdentifierCreationNotification', creationNotification],
    ['VnfIdentifierDeletionNotification', deletionNotification],
  ] as const)('%s is what the schema says', (name, build) => {
    const notification = build(delivery, INSTANCE_ID);
    expect(schemaErrors(name, notification)).toEqual([]);
    expect(notification).toEqual({
      id: 'n1',
      notificationType: name,
      subscriptionId: 's1',
      timeStamp: '2025-01-02T03:04:05.678901Z',
      vnfInstanceId: INSTANCE_ID,
      _links: {
        vnfInstance: { href: `${ROOT}/vnf_instances/${INSTANCE_ID}` },
        subscription: { href: `${ROOT}/subscriptions/s1` },
      },
    });
  });
});

describe('an operation occurrence notification', () => {
  it.each(LCM_OPERATION_STATES)('in %s obeys the schema in both editions and holds no secret', (state) => {
    for (const edition of [{ major: 1 } as const, { major: 2 } as const, { major: 2, verbosity: 'SHORT' } as const]) {
      const notification = opOccNotification(delivery, occurrence(state), edition);
      expect(schemaErrors('VnfLcmOperationOccurrenceNotification', notification)).toEqual([]);
      expect(JSON.stringify(notification)).not.toMatch(/meta-pw|url-pw|"pw"/);
    }
  });

  it.each([
    ['STARTING', false, false],
    ['PROCESSING', false, false],
    ['ROLLING_BACK', false, false],
    ['COMPLETED', true, false],
    ['FAILED_TEMP', true, true],
    ['FAILED', true, true],
    ['ROLLED_BACK', true, true],
  ] as const)('in %s says what was affected: %s, and the error: %s', (state, affected, error) => {
    const notification = opOccNotification(delivery, occurrence(state));
    for (const name of [
      'affectedVnfcs',
      'affectedVirtualLinks',
      'affectedVirtualStorages',
      'changedInfo',
      'changedExtConnectivity',
    ]) {
      expect(Object.hasOwn(notification, name)).toBe(affected);
    }
    expect(Object.hasOwn(notification, 'error')).toBe(error);
    expect(notification._links.vnfLcmOpOcc.href).toBe(`${ROOT}/vnf_lcm_op_occs/${OP_OCC_ID}`);
  });

  it('says nothing of connections and packages in changedInfo', () => {
    expect(opOccNotification(delivery, occurrence('COMPLETED')).changedInfo).toEqual({
      vnfInstanceName: 'new',
      metadata: { admin_password: '***' },
    });
  });

  it('is short for a v2 subscriber that wants it so', () => {
    const short = opOccNotification(delivery, occurrence('FAILED'), { major: 2, verbosity: 'SHORT' });
    expect(short).toMatchObject({ verbosity: 'SHORT', error: { status: 500 } });
    expect(short).not.toHaveProperty('affectedVnfcs');
    expect(opOccNotification(delivery, occurrence('FAILED'), { major: 2 })).toMatchObject({
      verbosity: 'FULL',
      affectedVnfcs: [{ id: 'a' }],
    });
    expect(opOccNotification(delivery, occurrence('FAILED'))).not.toHaveProperty('verbosity');
  });

  it.each([
    ['STARTING', 'START', 'START', 'START'],
    ['PROCESSING', 'START', 'RESULT', 'START'],
    ['ROLLING_BACK', 'START', 'RESULT', 'RESULT'],
    ['COMPLETED', 'RESULT', 'RESULT', 'RESULT'],
    ['FAILED_TEMP', 'RESULT', 'RESULT', 'RESULT'],
    ['FAILED', 'RESULT', 'RESULT', 'RESULT'],
    ['ROLLED_BACK', 'RESULT', 'RESULT', 'RESULT'],
  ] as const)('in %s is %s in v1, %s in v2, and %s for a v2 MODIFY_INFO', (state, v1, v2, modify) => {
    expect(notificationStatus(state, 'HEAL', { major: 1 })).toBe(v1);
    expect(notificationStatus(state, 'HEAL', { major: 2 })).toBe(v2);
    expect(notificationStatus(state, 'MODIFY_INFO', { major: 2 })).toBe(modify);
  });
});

describe('package notifications', () => {
  it('are what the schemas say', () => {
    const pkg = { id: 'p', vnfdId: 'd' };
    expect(schemaErrors('VnfPackageOnboardingNotification', onboardingNotification(delivery, pkg))).toEqual([]);
    const enabled = packageChangeNotification(delivery, pkg, 'ENABLED');
    expect(enabled).toMatchObject({ changeType: 'OP_STATE_CHANGE', operationalState: 'ENABLED' });
    expect(schemaErrors('VnfPackageChangeNotification', enabled)).toEqual([]);
    const deleted = packageChangeNotification(delivery, pkg);
    expect(deleted.changeType).toBe('PKG_DELETE');
    expect(deleted).not.toHaveProperty('operationalState');
    expect(schemaErrors('VnfPackageChangeNotification', deleted)).toEqual([]);
  });
});
