import { Controller, type Type } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AnswersWakeUps, DeliveryContext, type WakeUpData } from '@windlass/messaging';
import type { StepWorker } from '@windlass/saga';

/** Messages that one replica handles at once. */
const AT_ONCE = 64;

/**
 * The Nest controller that hears that steps of a service can be claimed, and hands them to its worker.
 * A message is acknowledged once the claim is answered; the lease stands for the rest.
 */
export function wakeUpsOf(service: string, worker: StepWorker): Type {
  @Controller()
  class WakeUps {
    @AnswersWakeUps(service, { workers: AT_ONCE })
    async notify(@Payload() wakeUp: WakeUpData, @Ctx() delivery: DeliveryContext): Promise<void> {
      const run = await worker.answer({ ...wakeUp, service });
      delivery.ack();
      await run?.ended;
    }
  }
  return WakeUps;
}
