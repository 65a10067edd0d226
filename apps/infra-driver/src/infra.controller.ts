import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { INFRA_SERVICE } from '@windlass/lifecycle';
import { AnswersDoorbells, DeliveryContext, type DoorbellData } from '@windlass/messaging';
import { StepWorker } from '@windlass/saga';

/** The doorbells of this service. */
@Controller()
export class InfraController {
  constructor(private readonly worker: StepWorker) {}

  /** The message is acknowledged once the claim is answered; the lease stands for the rest. */
  @AnswersDoorbells(INFRA_SERVICE, { workers: 64 })
  async ring(@Payload() bell: DoorbellData, @Ctx() delivery: DeliveryContext): Promise<void> {
    const run = await this.worker.answer({ ...bell, service: INFRA_SERVICE });
    delivery.ack();
    await run?.ended;
  }
}
