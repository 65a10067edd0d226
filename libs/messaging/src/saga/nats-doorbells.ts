import type { Doorbell, Doorbells } from '@windlass/saga';
import { doorbell } from '../contracts/doorbell.js';
import type { StreamPublisher } from '../jetstream/stream-publisher.js';
import type { MessagingLog } from '../link/nats-link.js';
import { subjects } from '../subjects.js';

/** Rings on `windlass.step.<service>`. A bell that can't be rung now is noted; the sweep rings again. */
export class NatsDoorbells implements Doorbells {
  constructor(
    private readonly publisher: StreamPublisher,
    private readonly log: MessagingLog,
  ) {}

  async ring(bells: readonly Doorbell[]): Promise<void> {
    await Promise.all(bells.map((bell) => this.#ring(bell)));
  }

  async #ring({ service, operationId, stepId, epoch }: Doorbell): Promise<void> {
    try {
      await this.publisher.publish(doorbell, subjects.step(service), { operationId, stepId, epoch });
    } catch (error) {
      this.log.warn('a doorbell could not be rung; the sweep rings again', {
        service,
        operationId,
        stepId,
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }
}
