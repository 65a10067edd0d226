import { Controller, type Type } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AnswersDoorbells, DeliveryContext, type DoorbellData } from '@windlass/messaging';
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
    @AnswersDoorbells(service, { workers: AT_ONCE })
    async ring(@Payload() bell: DoorbellData, @Ctx() delivery: DeliveryContext): Promise<void> {
      const run = await worker.answer({ ...bell, service });
      delivery.ack();
      await run?.ended;
    }
  }
  return WakeUps;
}
