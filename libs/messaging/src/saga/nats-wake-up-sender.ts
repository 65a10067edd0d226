import type { WakeUp, WakeUpSender } from '@windlass/saga';
import { wakeUpEvent } from '../contracts/wake-up.js';
import type { StreamPublisher } from '../jetstream/stream-publisher.js';
import type { MessagingLog } from '../link/nats-link.js';
import { subjects } from '../contracts/subjects.js';

/** Sends wake-ups on `windlass.step.<service>`. A wake-up that can't be sent now is logged; the sweep sends it again. */
export class NatsWakeUpSender implements WakeUpSender {
  constructor(
    private readonly publisher: StreamPublisher,
    private readonly log: MessagingLog,
  ) {}

  async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    await Promise.all(wakeUps.map((wakeUp) => this.#notify(wakeUp)));
  }

  async #notify({ service, operationId, stepId, epoch }: WakeUp): Promise<void> {
    try {
      await this.publisher.publish(wakeUpEvent, subjects.step(service), { operationId, stepId, epoch });
    } catch (error) {
      this.log.warn('a wake-up could not be sent; the sweep sends it again', {
        service,
        operationId,
        stepId,
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }
}
