import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AnswersWakeUps, DeliveryContext, type WakeUpData } from '@windlass/messaging';
import { StepWorker } from '@windlass/saga';
import { CHAOS_SERVICE } from './chaos.driver.js';

/** Answers the wake-ups of the service. Dependencies are injected by name: the bundler keeps no types that Nest could read. */
@Controller()
export class ChaosController {
  constructor(@Inject(StepWorker) private readonly worker: StepWorker) {}

  @AnswersWakeUps(CHAOS_SERVICE, { workers: 16 })
  async notify(@Payload() wakeUp: WakeUpData, @Ctx() delivery: DeliveryContext): Promise<void> {
    const run = await this.worker.answer({ ...wakeUp, service: CHAOS_SERVICE });
    delivery.ack();
    await run?.ended;
  }
}
