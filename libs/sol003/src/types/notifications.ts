import type { ProblemDetails } from '@windlass/foundation';
import type { NotificationLink } from './common.js';
import type { LcmOperationTypeV2 } from '../operations/operations.js';
import type { LcmOperationStateType, PackageOperationalStateType } from './enumerations.js';
import type { ExtVirtualLinkInfo } from './instantiated-vnf-info.js';
import type { ResourceChanges, VnfInfoModifications } from './op-occ.js';

/** Common to all lifecycle notifications: each delivery to each subscription has an `id` of its own. */
interface LcmNotificationBase {
  id: string;
  subscriptionId: string;
  /** When the notification was made, RFC 3339. Never earlier than that of the one before on the same operation. */
  timeStamp: string;
  vnfInstanceId: string;
}

/** SOL003 5.5.2.18. */
export interface VnfIdentifierCreationNotification extends LcmNotificationBase {
  notificationType: 'VnfIdentifierCreationNotification';
  _links: LccnLinks;
}

/** SOL003 5.5.2.19. */
export interface VnfIdentifierDeletionNotification extends LcmNotificationBase {
  notificationType: 'VnfIdentifierDeletionNotification';
  _links: LccnLinks;
}

/** SOL003 5.5.2.17. */
export interface VnfLcmOperationOccurrenceNotification extends LcmNotificationBase, ResourceChanges {
  notificationType: 'VnfLcmOperationOccurrenceNotification';
  notificationStatus: 'START' | 'RESULT';
  operationState: LcmOperationStateType;
  operation: LcmOperationTypeV2;
  isAutomaticInvocation: boolean;
  /** v2 only. */
  verbosity?: 'FULL' | 'SHORT';
  vnfLcmOpOccId: string;
  changedInfo?: Omit<VnfInfoModifications, 'vimConnectionInfo' | 'vnfPkgId'>;
  changedExtConnectivity?: ExtVirtualLinkInfo[];
  error?: ProblemDetails;
  _links: LccnLinks & { vnfLcmOpOcc: NotificationLink };
}

/** SOL003 5.5.3.6a. */
export interface LccnLinks {
  vnfInstance: NotificationLink;
  subscription: NotificationLink;
}

/** Any notification of the lifecycle API. */
export type LcmNotification =
  VnfIdentifierCreationNotification | VnfIdentifierDeletionNotification | VnfLcmOperationOccurrenceNotification;

interface PkgmNotificationBase {
  id: string;
  subscriptionId: string;
  timeStamp: string;
  vnfPkgId: string;
  vnfdId: string;
  _links: { vnfPackage: NotificationLink; subscription: NotificationLink };
}

/** A package is ONBOARDED (SOL003 9.5.2.8). */
export interface VnfPackageOnboardingNotification extends PkgmNotificationBase {
  notificationType: 'VnfPackageOnboardingNotification';
}

/** A package was enabled, disabled or deleted (SOL003 9.5.2.9). */
export interface VnfPackageChangeNotification extends PkgmNotificationBase {
  notificationType: 'VnfPackageChangeNotification';
  changeType: 'OP_STATE_CHANGE' | 'PKG_DELETE';
  /** With OP_STATE_CHANGE only. */
  operationalState?: PackageOperationalStateType;
}

/** Any notification of the package API. */
export type PkgmNotification = VnfPackageOnboardingNotification | VnfPackageChangeNotification;
