import type { Duration } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import type { PgSnapshotSchedule } from '@windlass/persistence';

/**
 * The most snapshots at the same time in the whole deployment. While one waits for a master that can't be reached, which takes minutes, others go on.
 * The limit also spreads clusters that came due together, for example after an upgrade: each snapshot takes seconds of its master's time and some MiB
 * of PostgreSQL's.
 */
const MOST_AT_ONCE = 3;

/** Begins snapshots of control planes whose newest snapshot has become old (ADR 84). */
export class SnapshotSchedule {
  constructor(
    private readonly schedule: PgSnapshotSchedule,
    private readonly every: Duration,
    private readonly log: MessagingLog,
  ) {}

  async sweep(): Promise<number> {
    const begun = await this.schedule.begin(this.every, MOST_AT_ONCE);
    for (const { operationId, vnfInstanceId } of begun)
      this.log.info('a snapshot of a control plane is taken by the schedule', { operationId, vnfInstanceId });
    return begun.length;
  }
}
