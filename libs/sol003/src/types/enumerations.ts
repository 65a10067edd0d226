/** Where an operation occurrence stands (SOL003 5.6.2.2). */
export const LCM_OPERATION_STATES = [
  'STARTING',
  'PROCESSING',
  'COMPLETED',
  'FAILED_TEMP',
  'FAILED',
  'ROLLING_BACK',
  'ROLLED_BACK',
] as const;
/** One of {@link LCM_OPERATION_STATES}. */
export type LcmOperationStateType = (typeof LCM_OPERATION_STATES)[number];

/** GRACEFUL lets running work end, FORCEFUL ends it (SOL003 5.5.4.6). */
export const CANCEL_MODES = ['GRACEFUL', 'FORCEFUL'] as const;
/** One of {@link CANCEL_MODES}. */
export type CancelModeType = (typeof CANCEL_MODES)[number];

/** How a VNF is taken down (SOL003 5.5.2.8). */
export const TERMINATION_TYPES = ['GRACEFUL', 'FORCEFUL'] as const;
/** One of {@link TERMINATION_TYPES}. */
export type TerminationType = (typeof TERMINATION_TYPES)[number];

/** Whether a VNF runs (SOL003 5.5.4.4). */
export const OPERATIONAL_STATES = ['STARTED', 'STOPPED'] as const;
/** One of {@link OPERATIONAL_STATES}. */
export type OperationalState = (typeof OPERATIONAL_STATES)[number];

/** How a VNF is stopped (SOL003 5.5.4.5). */
export const STOP_TYPES = ['GRACEFUL', 'FORCEFUL'] as const;
/** One of {@link STOP_TYPES}. */
export type StopType = (typeof STOP_TYPES)[number];

/** More members or fewer (SOL003 5.5.2.5). */
export const SCALE_TYPES = ['SCALE_OUT', 'SCALE_IN'] as const;
/** One of {@link SCALE_TYPES}. */
export type ScaleType = (typeof SCALE_TYPES)[number];

/** Whether a VNF has resources (SOL003 5.5.2.2). */
export const INSTANTIATION_STATES = ['NOT_INSTANTIATED', 'INSTANTIATED'] as const;
/** One of {@link INSTANTIATION_STATES}. */
export type InstantiationState = (typeof INSTANTIATION_STATES)[number];

/** The one protocol layer of 2.6.1 (SOL003 4.4.1.10b). */
export const LAYER_PROTOCOLS = ['IP_OVER_ETHERNET'] as const;
/** One of {@link LAYER_PROTOCOLS}. */
export type LayerProtocol = (typeof LAYER_PROTOCOLS)[number];

/** Families of addresses. */
export const IP_VERSIONS = ['IPV4', 'IPV6'] as const;
/** One of {@link IP_VERSIONS}. */
export type IpVersion = (typeof IP_VERSIONS)[number];

/** What happened to a VNFC or a storage. TEMPORARY: made and removed again within the operation. */
export type ResourceChangeType = 'ADDED' | 'REMOVED' | 'MODIFIED' | 'TEMPORARY';
/** For a virtual link also its ports. */
export type LinkChangeType = ResourceChangeType | 'LINK_PORT_ADDED' | 'LINK_PORT_REMOVED';

/** What a lifecycle subscriber can be told (SOL003 5.5.3.12). */
export const LCM_NOTIFICATION_TYPES = [
  'VnfLcmOperationOccurrenceNotification',
  'VnfIdentifierCreationNotification',
  'VnfIdentifierDeletionNotification',
] as const;
/** One of {@link LCM_NOTIFICATION_TYPES}. */
export type LcmNotificationType = (typeof LCM_NOTIFICATION_TYPES)[number];

/** What a package subscriber can be told (SOL003 9.5.3.4). */
export const PKGM_NOTIFICATION_TYPES = ['VnfPackageOnboardingNotification', 'VnfPackageChangeNotification'] as const;
/** One of {@link PKGM_NOTIFICATION_TYPES}. */
export type PkgmNotificationType = (typeof PKGM_NOTIFICATION_TYPES)[number];

/** How far the content of a package is (SOL005 9.5.4.3). */
export const PACKAGE_ONBOARDING_STATES = ['CREATED', 'UPLOADING', 'PROCESSING', 'ONBOARDED'] as const;
/** One of {@link PACKAGE_ONBOARDING_STATES}. */
export type PackageOnboardingStateType = (typeof PACKAGE_ONBOARDING_STATES)[number];
/** Whether a package may be instantiated (SOL005 9.5.4.4). */
export const PACKAGE_OPERATIONAL_STATES = ['ENABLED', 'DISABLED'] as const;
/** One of {@link PACKAGE_OPERATIONAL_STATES}. */
export type PackageOperationalStateType = (typeof PACKAGE_OPERATIONAL_STATES)[number];
/** Whether instances of a package exist (SOL005 9.5.4.5). */
export const PACKAGE_USAGE_STATES = ['IN_USE', 'NOT_IN_USE'] as const;
/** One of {@link PACKAGE_USAGE_STATES}. */
export type PackageUsageStateType = (typeof PACKAGE_USAGE_STATES)[number];

/** Ways in which Windlass can prove who it is to a subscriber. TLS_CERT, and v2's OAUTH2_CLIENT_CERT, are in the standard and not offered. */
export const AUTH_TYPES = ['BASIC', 'OAUTH2_CLIENT_CREDENTIALS'] as const;
/** One of {@link AUTH_TYPES}. */
export type AuthType = (typeof AUTH_TYPES)[number];
