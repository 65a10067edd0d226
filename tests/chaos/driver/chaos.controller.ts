import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AnswersDoorbells, DeliveryContext, mgmtContracts, Serves, type DoorbellData } from '@windlass/messaging';
import type { DriverDescription, HookContext, ValidateReply } from '@windlass/mgmt-driver';
import { StepWorker, type Plan } from '@windlass/saga';
import { CHAOS_DRIVER, CHAOS_SERVICE, ChaosDriver } from './chaos.driver.js';

const contracts = mgmtContracts(CHAOS_DRIVER);

/** The doorbells of the service, and what its driver is asked. Dependencies are named: the bundler keeps no types for Nest to read. */
@Controller()
export class ChaosController {
  constructor(
    @Inject(StepWorker) private readonly worker: StepWorker,
    @Inject(ChaosDriver) private readonly driver: ChaosDriver,
  ) {}

  @AnswersDoorbells(CHAOS_SERVICE, { workers: 16 })
  async ring(@Payload() bell: DoorbellData, @Ctx() delivery: DeliveryContext): Promise<void> {
    const run = await this.worker.answer({ ...bell, service: CHAOS_SERVICE });
    delivery.ack();
    await run?.ended;
  }

  @Serves(contracts.describe)
  describe(): DriverDescription {
    return this.driver.describe();
  }

  @Serves(contracts.validate)
  validate(): ValidateReply {
    return this.driver.validate();
  }

  @Serves(contracts.plan)
  plan(context: HookContext): Plan {
    return this.driver.plan(context);
  }
}
