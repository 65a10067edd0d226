import { RequestError } from '@windlass/foundation';
import { isTriedAgain } from '@windlass/lifecycle';
import type { MessagingLog } from '@windlass/messaging';
import type { InternalToBeMoved, PgInternalLooks } from '@windlass/persistence';
import type { Coordinator } from '@windlass/saga';

/** Of each kind of move, in one round. */
const MOST = 50;

/**
 * Moves internal operations that no message moves. Clean-ups and refreshes that failed are tried again when their pause is over, for as long as it takes; an
 * audit or a snapshot that failed is ended. A scheduled snapshot whose instance has an operation in flight is ended, too: nobody waits for it.
 */
export class InternalMoves {
  constructor(
    private readonly looks: PgInternalLooks,
    private readonly coordinator: Pick<Coordinator, 'cancel' | 'retry' | 'abandon'>,
    private readonly log: MessagingLog,
  ) {}

  /** @throws AggregateError when some could not be moved, after all others were */
  async sweep(): Promise<number> {
    const found = await this.looks.toBeMoved(MOST);
    const failures: unknown[] = [];
    for (const one of found) {
      try {
        await (one.givesWay ? this.#giveWay(one) : this.#goOn(one));
      } catch (error) {
        // It has ended, or another coordinator has moved it.
        if (!(error instanceof RequestError && (error.status === 409 || (one.givesWay && error.status === 404))))
          failures.push(error);
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} of ${found.length} internal operations could not be moved`);
    return found.length;
  }

  async #goOn({ id, kind, attempts, reason }: InternalToBeMoved): Promise<void> {
    this.log.warn(`a ${kind} failed`, { operationId: id, attempts, reason });
    await (isTriedAgain(kind) ? this.coordinator.retry(id) : this.coordinator.abandon(id));
  }

  async #giveWay({ id }: InternalToBeMoved): Promise<void> {
    await this.coordinator.cancel(id, 'FORCEFUL');
    this.log.info('a snapshot of a control plane gives way to an operation', { operationId: id });
  }
}
