import { subscriptionUrl, vnfPackageUrl } from '../rendering/links.js';
import type { PackageOperationalStateType } from '../types/enumerations.js';
import type { VnfPackageChangeNotification, VnfPackageOnboardingNotification } from '../types/notifications.js';
import type { Delivery } from './lcm-notifications.js';

/** The package that a notification is about. */
export interface NotifiedPackage {
  readonly id: string;
  readonly vnfdId: string;
}

const commonOf = ({ id, subscriptionId, timeStamp, root }: Delivery, pkg: NotifiedPackage) => ({
  id,
  subscriptionId,
  timeStamp,
  vnfPkgId: pkg.id,
  vnfdId: pkg.vnfdId,
  _links: {
    vnfPackage: { href: vnfPackageUrl(root, pkg.id) },
    subscription: { href: subscriptionUrl(root, subscriptionId) },
  },
});

/** After a package has become ONBOARDED (SOL003 9.5.2.8). */
export const onboardingNotification = (delivery: Delivery, pkg: NotifiedPackage): VnfPackageOnboardingNotification => ({
  ...commonOf(delivery, pkg),
  notificationType: 'VnfPackageOnboardingNotification',
});

/** After a package was enabled or disabled, or deleted where no state is given (SOL003 9.5.2.9). */
export const packageChangeNotification = (
  delivery: Delivery,
  pkg: NotifiedPackage,
  operationalState?: PackageOperationalStateType,
): VnfPackageChangeNotification => ({
  ...commonOf(delivery, pkg),
  notificationType: 'VnfPackageChangeNotification',
  changeType: operationalState === undefined ? 'PKG_DELETE' : 'OP_STATE_CHANGE',
  ...(operationalState === undefined ? {} : { operationalState }),
});
