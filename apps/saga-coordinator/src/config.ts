import { days, hours, type Duration, type Secret } from '@windlass/foundation';
import { SHORTEST_SCHEDULE, TRAIL_FLOOR } from '@windlass/persistence';
import { asDuration, asSecret, required, Variable } from '@windlass/service-kit';
import { Min, ValidateIf } from 'class-validator';
import { NfvoConfig } from './nfvo/nfvo-config.js';

/** What the coordinator can be told. */
export class CoordinatorConfig extends NfvoConfig {
  @Variable({
    name: 'KEEP_JOURNALS',
    meaning:
      'how long the steps of an operation that is final are kept (their sealed inputs and outputs go with its end); and clean-ups, refreshes, audits and the schedule’s snapshots that have ended',
    expected: 'a length of time such as 14d, at least 1h',
    read: asDuration,
  })
  @Min(hours(1))
  readonly keepJournals: Duration = days(14);

  @Variable({
    name: 'KEEP_OPERATIONS',
    meaning: 'how long operation occurrences that are final are kept; not less than their journals',
    expected: 'a length of time such as 180d, at least 1h',
    read: asDuration,
  })
  @Min(hours(1))
  readonly keepOperations: Duration = days(180);

  @Variable({
    name: 'KEEP_AUDIT_TRAIL',
    meaning: 'how long entries of the audit trail are kept; that they were removed is itself an entry',
    expected: 'a length of time such as 400d, at least 30d',
    read: asDuration,
  })
  @Min(TRAIL_FLOOR)
  readonly keepAuditTrail: Duration = days(400);

  @Variable({
    name: 'CLUSTER_SNAPSHOT_EVERY',
    meaning:
      'how old the newest snapshot of a cluster’s control plane may grow before another is taken by itself, while no operation of its instance is in flight; 0h: none is, but before operations and on request',
    expected: 'a length of time such as 24h, at least 1h, or 0h',
    read: asDuration,
  })
  @ValidateIf((_config, every) => every !== 0)
  @Min(SHORTEST_SCHEDULE)
  readonly snapshotEvery: Duration = hours(24);

  @Variable({
    name: 'IMAGE_KEPT_FOR',
    meaning:
      'how long an image that instances have shared (IMAGE_SHARING) stays in a registered VIM after the last of them, for whoever comes next; 0h: it goes with the last',
    expected: 'a length of time such as 24h',
    read: asDuration,
  })
  @Min(0)
  readonly imageKeptFor: Duration = hours(0);

  @Variable({
    name: 'ENROLMENT_TOKENS',
    meaning:
      'enrolment tokens that were made beforehand, for services that are started together with this one; they hold until they are revoked',
    expected: 'a line each: service, token id, SHA-256 of its secret in hexadecimal',
    read: asSecret,
    secret: true,
    optional: true,
  })
  readonly enrolmentTokens: Secret | undefined = required();
}

export { nfvoOf } from './nfvo/nfvo-config.js';
