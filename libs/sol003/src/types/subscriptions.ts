import type { Link } from './common.js';
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

/** A subscription to package changes (SOL003 9.5.2.7). */
export interface PkgmSubscription {
  id: string;
  filter?: PkgmNotificationsFilter;
  callbackUri: string;
  _links: { self: Link };
}
