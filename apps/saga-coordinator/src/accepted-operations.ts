import { BEGIN_STEP, COORDINATOR_SERVICE } from '@windlass/lifecycle';
import type { MessagingLog } from '@windlass/messaging';
import type { OutboxMessage } from '@windlass/persistence';
import type { Coordinator } from '@windlass/saga';

/** How many operations one coordinator begins at the same time: as many as its wake-ups have workers. */
export const MOST_BEGUN = 16;

/**
 * Begins accepted operations as soon as the outbox reports them, without a wake-up to ourselves. Where enough are being begun here the wake-up is
 * sent, and any coordinator that has time begins the operation. An operation that is not begun for any reason stays accepted in the record, where the
 * sweep finds it.
 */
export class AcceptedOperations {
  readonly #underWay = new Set<Promise<void>>();
  #isStopping = false;

  constructor(
    private readonly coordinator: Pick<Coordinator, 'begin'>,
    private readonly log: MessagingLog,
  ) {}

  /** @returns whether the row reports an accepted operation that is being begun here: then its wake-up is not sent */
  takes({ subject, message }: Pick<OutboxMessage, 'subject' | 'message'>): boolean {
    if (subject !== `windlass.step.${COORDINATOR_SERVICE}`) return false;
    const { stepId, operationId } = message as { stepId?: unknown; operationId?: unknown };
    if (stepId !== BEGIN_STEP || typeof operationId !== 'string') return false;
    if (this.#isStopping || this.#underWay.size >= MOST_BEGUN) return false;
    const begun: Promise<void> = this.#begin(operationId).finally(() => this.#underWay.delete(begun));
    this.#underWay.add(begun);
    return true;
  }

  /** Accepts no more operations, and waits for those that are being begun. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#underWay);
  }

  async #begin(operationId: string): Promise<void> {
    try {
      await this.coordinator.begin(operationId);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.warn('an accepted operation could not be begun; the sweep tries again', { operationId, error: reason });
    }
  }
}
