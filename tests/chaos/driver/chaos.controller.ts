import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AnswersDoorbells, DeliveryContext, type DoorbellData } from '@windlass/messaging';
import { StepWorker } from '@windlass/saga';
import { CHAOS_SERVICE } from './chaos.driver.js';

/** The doorbells of the service. Dependencies are named: the bundler keeps no types for Nest to read. */
@Controller()
export class ChaosController {
  constructor(@Inject(StepWorker) private readonly worker: StepWorker) {}

  @AnswersDoorbells(CHAOS_SERVICE, { workers: 16 })
  async ring(@Payload() bell: DoorbellData, @Ctx() delivery: DeliveryContext): Promise<void> {
    const run = await this.worker.answer({ ...bell, service: CHAOS_SERVICE });
    delivery.ack();
    await run?.ended;
  }
}
