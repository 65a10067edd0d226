import { Controller, type Type } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { INFRA_SERVICE } from '@windlass/lifecycle';
import {
  answerWakeUp,
  AnswersWakeUps,
  DeliveryContext,
  runnableContract,
  Serves,
  type RunnableReply,
  type RunnableRequest,
  type WakeUpData,
} from '@windlass/messaging';
import { StepWorker } from '@windlass/saga';
import { Runnable } from './user-data/runnable.js';

/**
 * The wake-ups of this service, and what it is asked.
 * @param atOnce steps that this replica works on at once; those that only wait for a VIM are not among them
 */
export function infraController(atOnce: number): Type {
  @Controller()
  class InfraController {
    constructor(
      private readonly worker: StepWorker,
      private readonly scripts: Runnable,
    ) {}

    @Serves(runnableContract)
    runnable(request: RunnableRequest): Promise<RunnableReply> {
      return this.scripts.of(request);
    }

    /** The message is acknowledged once the claim is answered; the lease stands for the rest. */
    @AnswersWakeUps(INFRA_SERVICE, { workers: atOnce })
    async notify(@Payload() wakeUp: WakeUpData, @Ctx() delivery: DeliveryContext): Promise<void> {
      await answerWakeUp(this.worker, { ...wakeUp, service: INFRA_SERVICE }, delivery);
    }
  }
  return InfraController;
}
