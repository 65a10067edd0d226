export { headerOf, type BackupHeader } from './backup/sealed-file.js';
export {
  checkBackup,
  requireMasterKeys,
  restoreBackup,
  type CheckedBackup,
  type OpenFile,
  type RestoredBackup,
} from './backup/restore-backup.js';
export { takeBackup, type BackupOptions, type BackupSummary } from './backup/take-backup.js';
export * from './claims/pg-claims.js';
export * from './claims/pg-host-keys.js';
export * from './database.js';
export * from './database-health.js';
export * from './engine/pg-journal.js';
export { needsRelease } from './later-schema.js';
export * from './sealing/vault.js';
export * from './entities/index.js';
export { certificatesEnds, type CertificatesEnd } from './lcm/certificates-end.js';
export type { RaisedIncarnation } from './incarnation/raise-incarnation.js';
export { beginPointInTime } from './incarnation/point-in-time.js';
export { PgRestoration, type Incarnation, type RestoredAudit } from './incarnation/pg-restoration.js';
export { auditedVims } from './lcm/audited-vims.js';
export * from './lcm/instance-rows.js';
export { findInstanceWithVims } from './lcm/entity-statements.js';
export { holdInstance, insertAccepted } from './lcm/accepted-operation.js';
export { holdPackage, insertInstance, type PackageInUse } from './lcm/new-instance.js';
export { PgInternalLooks, type InternalToBeMoved } from './lcm/pg-internal-looks.js';
export type { PendingInternals } from './lcm/pg-internal-store.js';
export * from './lcm/pg-lcm-store.js';
export type { StrayImage } from './lcm/shared-images.js';
export * from './lcm/shown-rows.js';
export * from './lcm/vim-access.js';
export * from './drivers/pg-drivers.js';
export * from './lcm/vim-extra.js';
export * from './lcm/vim-names.js';
export * from './lcm/vim-users.js';
export * from './enrolment/pg-enrolments.js';
export * from './notifications/pg-notification-outbox.js';
export * from './notifications/pg-subscriptions.js';
export {
  NOTIFICATIONS_CHANNEL,
  recordPackageChange,
  type ChangeFacts,
  type PackageChange,
} from './notifications/record-change.js';
export { OUTBOX_CHANNEL, VIEWS_SESSIONS } from './outbox/outbox-notifier.js';
export * from './outbox/pg-listener.js';
export * from './outbox/pg-outbox.js';
export { migrations } from './migrations/index.js';
export * from './packages/pg-package-content.js';
export * from './purge/pg-purge.js';
export * from './snapshots/ca-fingerprint.js';
export * from './snapshots/pg-cluster-snapshots.js';
export {
  PgSnapshotSchedule,
  SHORTEST_SCHEDULE,
  type NewestSnapshot,
  type SnapshotAttempt,
} from './snapshots/pg-snapshot-schedule.js';
export * from './observability/pg-observability.js';
export * from './observability/pg-step-durations.js';
export * from './observability/pg-telemetry.js';
export { OperationOnlooker } from './observability/operation-onlooker.js';
export { headOf, parseHead } from './trail/audit-link.js';
export * from './trail/chain-check.js';
export { ChainKeys } from './trail/chain-keys.js';
export { PgAuditChain, TRAIL_FLOOR, type Chained, type ChainBacklog } from './trail/pg-audit-chain.js';
export * from './trail/pg-audit-trail.js';
export * from './trail/separation.js';
export { inTransaction } from './transaction.js';
