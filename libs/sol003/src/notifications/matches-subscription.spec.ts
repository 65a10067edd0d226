import { describe, expect, it } from 'vitest';
import type { LifecycleChangeNotificationsFilter, ProviderFilter } from '../requests/subscriptions.js';
import { sampleInstance } from '../testing/samples.js';
import { matchesPackageSubscription, matchesSubscription, type NotifiedChange } from './matches-subscription.js';

const instance = sampleInstance({ vnfInstanceName: 'mine' });
const created: NotifiedChange = { notificationType: 'VnfIdentifierCreationNotification' };
const healed: NotifiedChange = {
  notificationType: 'VnfLcmOperationOccurrenceNotification',
  operation: 'HEAL',
  operationState: 'COMPLETED',
};
const provider = (changes: Partial<ProviderFilter> = {}): LifecycleChangeNotificationsFilter => ({
  vnfInstanceSubscriptionFilter: { vnfProductsFromProviders: [{ vnfProvider: 'Other' }, { vnfProvider: 'Company', ...changes }] },
});
const product = (versions: { vnfSoftwareVersion: string; vnfdVersions?: string[] }[]) =>
  provider({ vnfProducts: [{ vnfProductName: 'Sample VNF', versions }] });
const ofInstance = (filter: LifecycleChangeNotificationsFilter['vnfInstanceSubscriptionFilter']) => ({
  vnfInstanceSubscriptionFilter: filter!,
});

describe('matchesSubscription', () => {
  it.each<[string, LifecycleChangeNotificationsFilter | undefined, boolean, boolean]>([
    ['no filter', undefined, true, true],
    ['an empty filter', {}, true, true],
    ['empty lists', { notificationTypes: [], operationTypes: [], operationStates: [] }, true, true],
    ['its notification type', { notificationTypes: ['VnfLcmOperationOccurrenceNotification'] }, true, false],
    ['another notification type', { notificationTypes: ['VnfIdentifierDeletionNotification'] }, false, false],
    ['its operation among others', { operationTypes: ['SCALE', 'HEAL'] }, true, true],
    ['another operation', { operationTypes: ['SCALE'] }, false, true],
    ['its state', { operationStates: ['FAILED', 'COMPLETED'] }, true, true],
    ['another state', { operationStates: ['FAILED'] }, false, true],
    ['its operation and another state', { operationTypes: ['HEAL'], operationStates: ['FAILED'] }, false, true],
    ['its VNFD', ofInstance({ vnfdIds: ['x', instance.vnfdId] }), true, true],
    ['another VNFD', ofInstance({ vnfdIds: ['x'] }), false, false],
    ['its id', ofInstance({ vnfInstanceIds: [instance.id] }), true, true],
    ['another id', ofInstance({ vnfInstanceIds: ['x'] }), false, false],
    ['its name', ofInstance({ vnfInstanceNames: ['mine'] }), true, true],
    ['another name', ofInstance({ vnfInstanceNames: ['yours'] }), false, false],
    ['its id and another name', ofInstance({ vnfInstanceIds: [instance.id], vnfInstanceNames: ['yours'] }), false, false],
    ['its provider', provider(), true, true],
    ['its product', provider({ vnfProducts: [{ vnfProductName: 'Sample VNF' }] }), true, true],
    ['another product', provider({ vnfProducts: [{ vnfProductName: 'Other' }] }), false, false],
    ['its software version', product([{ vnfSoftwareVersion: '1.0' }]), true, true],
    ['another software version', product([{ vnfSoftwareVersion: '2.0' }]), false, false],
    ['its VNFD version', product([{ vnfSoftwareVersion: '1.0', vnfdVersions: ['0.9', '1.0'] }]), true, true],
    ['another VNFD version', product([{ vnfSoftwareVersion: '1.0', vnfdVersions: ['0.9'] }]), false, false],
    ['another provider', ofInstance({ vnfProductsFromProviders: [{ vnfProvider: 'Other' }] }), false, false],
  ])('with %s', (_what, filter, wantsHealed, wantsCreated) => {
    expect(matchesSubscription(filter, healed, instance)).toBe(wantsHealed);
    expect(matchesSubscription(filter, created, instance)).toBe(wantsCreated);
  });

  it('with a name finds no instance that has none', () => {
    expect(matchesSubscription(ofInstance({ vnfInstanceNames: ['mine'] }), created, sampleInstance())).toBe(false);
  });
});

describe('matchesPackageSubscription', () => {
  const pkg = { ...instance, operationalState: 'ENABLED', usageState: 'NOT_IN_USE' } as const;
  const changed = { notificationType: 'VnfPackageChangeNotification' } as const;

  it.each([
    [undefined, true],
    [{}, true],
    [{ notificationTypes: ['VnfPackageChangeNotification' as const] }, true],
    [{ notificationTypes: ['VnfPackageOnboardingNotification' as const] }, false],
    [{ vnfdId: [instance.vnfdId] }, true],
    [{ vnfPkgId: ['x'] }, false],
    [{ operationalState: ['ENABLED' as const], usageState: ['IN_USE' as const] }, false],
    [{ operationalState: ['ENABLED' as const] }, true],
    [{ vnfProductsFromProviders: [{ vnfProvider: 'Company' }] }, true],
    [{ vnfProductsFromProviders: [{ vnfProvider: 'Other' }] }, false],
  ])('with %j: %s', (filter, expected) => {
    expect(matchesPackageSubscription(filter, changed, pkg)).toBe(expected);
  });
});
