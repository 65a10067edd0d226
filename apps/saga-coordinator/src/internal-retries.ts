import { RequestError } from '@windlass/foundation';
import { isTriedAgain } from '@windlass/lifecycle';
import type { MessagingLog } from '@windlass/messaging';
import type { PgLcmStore } from '@windlass/persistence';
import type { Coordinator } from '@windlass/saga';

/** Clean-ups and refreshes that failed, tried again when their pause is over, for as long as it takes. An audit or a snapshot that failed is ended. */
export class InternalRetries {
  constructor(
    private readonly store: PgLcmStore,
    private readonly coordinator: Coordinator,
    private readonly log: MessagingLog,
  ) {}

  /** @throws AggregateError when some could not be moved, after all others were */
  async sweep(): Promise<number> {
    const due = await this.store.transact((handle) => this.store.dueAgain(handle, 50));
    const failures: unknown[] = [];
    for (const { id, kind, attempts, reason } of due) {
      this.log.warn(`a ${kind} failed`, { operationId: id, attempts, reason });
      try {
        await (isTriedAgain(kind) ? this.coordinator.retry(id) : this.coordinator.abandon(id));
      } catch (error) {
        // Another coordinator has moved this clean-up already.
        if (!(error instanceof RequestError && error.status === 409)) failures.push(error);
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} of ${due.length} clean-ups could not be moved`);
    return due.length;
  }
}
