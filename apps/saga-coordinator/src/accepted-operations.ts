import { BEGIN_STEP, COORDINATOR_SERVICE } from '@windlass/lifecycle';
import type { MessagingLog } from '@windlass/messaging';
import type { OutboxMessage } from '@windlass/persistence';
import type { Coordinator } from '@windlass/saga';

/** Operations that one coordinator begins side by side at most, as many as its wake-ups have workers. */
export const MOST_BEGUN = 16;

/**
 * Begins operations as the outbox tells that they were accepted, without a wake-up to ourselves. Where enough are under way here the wake-up is sent, and
 * whichever coordinator has time begins it. One that is not begun for whatever reason stays accepted in the record, where the sweep finds it.
 */
export class AcceptedOperations {
  readonly #underWay = new Set<Promise<void>>();
  #isStopping = false;

  constructor(
    private readonly coordinator: Pick<Coordinator, 'begin'>,
    private readonly log: MessagingLog,
  ) {}

  /** @returns whether the row tells of an accepted operation that is being begun here, so that its wake-up is not to be sent */
  takes({ subject, message }: Pick<OutboxMessage, 'subject' | 'message'>): boolean {
    if (subject !== `windlass.step.${COORDINATOR_SERVICE}`) return false;
    const { stepId, operationId } = message as { stepId?: unknown; operationId?: unknown };
    if (stepId !== BEGIN_STEP || typeof operationId !== 'string') return false;
    if (this.#isStopping || this.#underWay.size >= MOST_BEGUN) return false;
    const begun: Promise<void> = this.#begin(operationId).finally(() => this.#underWay.delete(begun));
    this.#underWay.add(begun);
    return true;
  }

  /** Takes no more, and ends with what is under way. */
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
