import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AnswersDoorbells, DeliveryContext, mgmtContracts, RequestContext, Serves, type DoorbellData } from '@windlass/messaging';
import type { DriverDescription, HookContext, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { StepWorker, type Plan } from '@windlass/saga';
import { KUBERNETES_DRIVER, KubernetesDriver } from './driver/kubernetes.driver.js';
import { K8S_SERVICE } from './driver/node-steps.js';

const contracts = mgmtContracts(KUBERNETES_DRIVER);

/** The doorbells of this service, and what its driver is asked. */
@Controller()
export class K8sController {
  constructor(
    private readonly worker: StepWorker,
    private readonly driver: KubernetesDriver,
  ) {}

  /** The message is acknowledged once the claim is answered; the lease stands for the rest. */
  @AnswersDoorbells(K8S_SERVICE, { workers: 64 })
  async ring(@Payload() bell: DoorbellData, @Ctx() delivery: DeliveryContext): Promise<void> {
    const run = await this.worker.answer({ ...bell, service: K8S_SERVICE });
    delivery.ack();
    await run?.ended;
  }

  @Serves(contracts.describe)
  describe(): DriverDescription {
    return this.driver.describe();
  }

  @Serves(contracts.validate)
  validate(@Payload() request: ValidateRequest, @Ctx() context: RequestContext): Promise<ValidateReply> {
    return this.driver.validate(request, context.info.tenant);
  }

  @Serves(contracts.plan)
  plan(context: HookContext): Plan {
    return this.driver.plan(context);
  }
}
