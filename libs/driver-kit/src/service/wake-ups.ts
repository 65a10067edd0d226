import { Controller, type Type } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { answerWakeUp, AnswersWakeUps, DeliveryContext, type WakeUpData } from '@windlass/messaging';
import type { StepWorker } from '@windlass/saga';

/**
 * The Nest controller that receives a service's wake-ups and hands them to its worker. A message is acknowledged once the claim is answered; after
 * that the lease protects the step.
 * @param atOnce steps that this replica runs at once
 */
export function wakeUpsOf(service: string, worker: StepWorker, atOnce: number): Type {
  @Controller()
  class WakeUps {
    @AnswersWakeUps(service, { workers: atOnce })
    async notify(@Payload() wakeUp: WakeUpData, @Ctx() delivery: DeliveryContext): Promise<void> {
      await answerWakeUp(worker, { ...wakeUp, service }, delivery);
    }
  }
  return WakeUps;
}
