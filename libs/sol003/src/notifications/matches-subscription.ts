import type {
  LifecycleChangeNotificationsFilter,
  PkgmNotificationsFilter,
  ProviderFilter,
  VnfInstanceSubscriptionFilter,
} from '../requests/subscriptions.js';
import type { LcmNotification, PkgmNotification, VnfLcmOperationOccurrenceNotification } from '../types/notifications.js';
import type { VnfInstance } from '../types/vnf-instance.js';
import type { VnfPkgInfo } from '../types/vnf-package.js';

/** What filters look at of an instance. */
export type SubscribedInstance = Pick<
  VnfInstance,
  'id' | 'vnfInstanceName' | 'vnfdId' | 'vnfProvider' | 'vnfProductName' | 'vnfSoftwareVersion' | 'vnfdVersion'
>;

/** What filters look at of a package; a state that changes is the new one. */
export type SubscribedPackage = Pick<
  VnfPkgInfo,
  'id' | 'vnfdId' | 'vnfProvider' | 'vnfProductName' | 'vnfSoftwareVersion' | 'vnfdVersion' | 'operationalState' | 'usageState'
>;

/** What filters look at of a notification: a whole one will do, and so will what is known before there is one. */
export type NotifiedChange = Pick<LcmNotification, 'notificationType'> &
  Partial<Pick<VnfLcmOperationOccurrenceNotification, 'operation' | 'operationState'>>;

/** A member that is absent or empty asks for nothing; else any of its values will do. */
const any = <T>(wanted: readonly T[] | undefined, value: T | undefined): boolean =>
  wanted === undefined || wanted.length === 0 || (value !== undefined && wanted.includes(value));

interface Product {
  vnfProvider?: string;
  vnfProductName?: string;
  vnfSoftwareVersion?: string;
  vnfdVersion?: string;
}

/** As {@link any}, for the nested lists of providers, products and versions (SOL003 4.4.1.5). */
function anyProduct(wanted: readonly ProviderFilter[] | undefined, product: Product): boolean {
  const anyOf = <T>(list: readonly T[] | undefined, test: (one: T) => boolean): boolean =>
    list === undefined || list.length === 0 || list.some(test);
  return anyOf(
    wanted,
    ({ vnfProvider, vnfProducts }) =>
      vnfProvider === product.vnfProvider &&
      anyOf(
        vnfProducts,
        ({ vnfProductName, versions }) =>
          vnfProductName === product.vnfProductName &&
          anyOf(
            versions,
            ({ vnfSoftwareVersion, vnfdVersions }) =>
              vnfSoftwareVersion === product.vnfSoftwareVersion && any(vnfdVersions, product.vnfdVersion),
          ),
      ),
  );
}

const isOfInstance = (filter: VnfInstanceSubscriptionFilter | undefined, instance: SubscribedInstance): boolean =>
  filter === undefined ||
  (any(filter.vnfdIds, instance.vnfdId) &&
    anyProduct(filter.vnfProductsFromProviders, instance) &&
    any(filter.vnfInstanceIds, instance.id) &&
    any(filter.vnfInstanceNames, instance.vnfInstanceName));

/**
 * True where a subscriber with this filter wants the notification: all members of the filter must match, of a list any value
 * (SOL003 5.5.3.12). Operation types and states say nothing about notifications of identifiers. Both API versions honour all
 * members; the reference system's v1 ignores most of them.
 */
export function matchesSubscription(
  filter: LifecycleChangeNotificationsFilter | undefined,
  notification: NotifiedChange,
  instance: SubscribedInstance,
): boolean {
  if (filter === undefined) return true;
  if (!any(filter.notificationTypes, notification.notificationType)) return false;
  if (!isOfInstance(filter.vnfInstanceSubscriptionFilter, instance)) return false;
  if (notification.notificationType !== 'VnfLcmOperationOccurrenceNotification') return true;
  return any(filter.operationTypes, notification.operation) && any(filter.operationStates, notification.operationState);
}

/** The same for notifications of packages (SOL003 9.5.3.4). */
export function matchesPackageSubscription(
  filter: PkgmNotificationsFilter | undefined,
  notification: Pick<PkgmNotification, 'notificationType'>,
  pkg: SubscribedPackage,
): boolean {
  if (filter === undefined) return true;
  return (
    any(filter.notificationTypes, notification.notificationType) &&
    anyProduct(filter.vnfProductsFromProviders, pkg) &&
    any(filter.vnfdId, pkg.vnfdId) &&
    any(filter.vnfPkgId, pkg.id) &&
    any(filter.operationalState, pkg.operationalState) &&
    any(filter.usageState, pkg.usageState)
  );
}
