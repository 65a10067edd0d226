import { RequestError, type Duration } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import type { PgSnapshotSchedule } from '@windlass/persistence';
import type { Coordinator } from '@windlass/saga';

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

/** Ends scheduled snapshots whose instance has an operation in flight: nobody waits for them. */
export class SnapshotsGiveWay {
  constructor(
    private readonly schedule: PgSnapshotSchedule,
    private readonly coordinator: Pick<Coordinator, 'cancel'>,
    private readonly log: MessagingLog,
  ) {}

  async sweep(): Promise<number> {
    const inTheWay = await this.schedule.inTheWay(50);
    for (const operationId of inTheWay) {
      try {
        await this.coordinator.cancel(operationId, 'FORCEFUL');
        this.log.info('a snapshot of a control plane gives way to an operation', { operationId });
      } catch (error) {
        // The snapshot has ended, or another coordinator has ended it.
        if (!(error instanceof RequestError && (error.status === 409 || error.status === 404))) throw error;
      }
    }
    return inTheWay.length;
  }
}
