import { RequestError, type Duration } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import type { PgSnapshotSchedule } from '@windlass/persistence';
import type { Coordinator } from '@windlass/saga';

/**
 * Snapshots in flight in the whole deployment. With one master out of reach, which takes minutes, others go on; and clusters that came due together,
 * after an upgrade say, are spread by it: each takes seconds of its master and some MiB of PostgreSQL's time.
 */
const MOST_AT_ONCE = 3;

/** Snapshots of control planes that have become old, begun anew (ADR 84). */
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

/** Ends snapshots of the schedule whose instance has an operation in flight: nobody waits for them. */
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
        // It has ended, or another coordinator was quicker.
        if (!(error instanceof RequestError && (error.status === 409 || error.status === 404))) throw error;
      }
    }
    return inTheWay.length;
  }
}
