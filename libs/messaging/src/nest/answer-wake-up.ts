import { LacksAction, type StepWorker, type WakeUp } from '@windlass/saga';
import type { DeliveryContext } from './message-context.js';

/**
 * How often a wake-up is delivered to workers that lack its action: with the pauses between, half a minute. By then the coordinators' sweep sends
 * another one, so that at most two of a step go round.
 */
const DELIVERIES = 7;

/**
 * Hands a wake-up to a worker, acknowledges it once the claim is answered, and waits until the run has ended or only waits; the lease stands for the rest. A wake-up whose
 * action this worker lacks is given back, so that another worker of its service gets it.
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
