import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AnswersDoorbells, DeliveryContext, type DoorbellData } from '@windlass/messaging';
import { StepWorker } from '@windlass/saga';
import { K8S_SERVICE } from './driver/node-steps.js';

/** The doorbells of this service. */
@Controller()
export class K8sController {
  constructor(private readonly worker: StepWorker) {}

  /** The message is acknowledged once the claim is answered; the lease stands for the rest. */
  @AnswersDoorbells(K8S_SERVICE, { workers: 64 })
  async ring(@Payload() bell: DoorbellData, @Ctx() delivery: DeliveryContext): Promise<void> {
    const run = await this.worker.answer({ ...bell, service: K8S_SERVICE });
    delivery.ack();
    await run?.ended;
  }
}
