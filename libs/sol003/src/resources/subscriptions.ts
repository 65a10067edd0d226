import type { Link } from '../types/common.js';
import type { PackageOperationalStateType, PackageUsageStateType } from '../types/enumerations.js';
import type { LifecycleChangeNotificationsFilter, PkgmNotificationsFilter } from '../requests/subscriptions.js';

/** A subscription to lifecycle changes; `authentication` is never echoed (SOL003 5.5.2.16). */
export interface LccnSubscription {
  id: string;
  filter?: LifecycleChangeNotificationsFilter;
  callbackUri: string;
  /** v2 only. */
  verbosity?: 'FULL' | 'SHORT';
  _links: { self: Link };
}

/** The filter of a package subscription as it is answered: one state by itself, several as a list. */
export type PkgmFilterAnswer = Omit<PkgmNotificationsFilter, 'operationalState' | 'usageState'> & {
  operationalState?: PackageOperationalStateType | PackageOperationalStateType[];
  usageState?: PackageUsageStateType | PackageUsageStateType[];
};

/** A subscription to package changes (SOL003 9.5.2.7). */
export interface PkgmSubscription {
  id: string;
  filter?: PkgmFilterAnswer;
  callbackUri: string;
  _links: { self: Link };
}
