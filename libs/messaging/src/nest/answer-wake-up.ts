import { LacksAction, type StepWorker, type WakeUp } from '@windlass/saga';
import type { DeliveryContext } from './message-context.js';

/**
 * How often a wake-up is delivered to workers that lack its action: with the pauses between, half a minute. By then the coordinators' sweep sends
 * the next wake-up: at most two wake-ups of a step are under way.
 */
const DELIVERIES = 7;

/**
 * Hands a wake-up to a worker, acknowledges the wake-up once the claim is answered, and returns when the run has ended or the step only waits; from
 * then on the lease alone holds the step. A wake-up whose action this worker lacks is given back, and another worker of its service gets it.
 * @throws what {@link StepWorker.answer} throws: then the message is delivered again later
 */
export async function answerWakeUp(
  worker: Pick<StepWorker, 'answer'>,
  wakeUp: WakeUp,
  delivery: Pick<DeliveryContext, 'ack' | 'deliveries'>,
): Promise<void> {
  const run = await worker.answer(wakeUp).catch((error: unknown) => {
    if (error instanceof LacksAction && delivery.deliveries >= DELIVERIES) return undefined;
    throw error;
  });
  delivery.ack();
  await run?.left;
}
