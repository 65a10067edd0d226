import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  answerWakeUp,
  AnswersWakeUps,
  claimContract,
  CoordinatorServer,
  DeliveryContext,
  enrolContract,
  EnrolmentServer,
  grantedByContract,
  renewAllContract,
  renewContract,
  resultContract,
  Serves,
  type ClaimAnswer,
  type ClaimHolder,
  type ClaimMessage,
  type WakeUpData,
  type EnrolAnswer,
  type EnrolMessage,
  type GrantedBy,
  type RenewalsAnswer,
  type RenewalsMessage,
  type ResultAnswer,
  type ResultMessage,
} from '@windlass/messaging';
import { BEGIN_STEP, COORDINATOR_SERVICE } from '@windlass/lifecycle';
import { Coordinator, StepWorker, type RenewReply, type RenewRequest } from '@windlass/saga';
import { Granting } from './nfvo/granting.js';

/** `windlass.saga.<claim|renew|result|enrol>` of all workers, and the coordinator's own wake-ups. */
@Controller()
export class SagaController {
  constructor(
    private readonly server: CoordinatorServer,
    private readonly enrolment: EnrolmentServer,
    private readonly coordinator: Coordinator,
    private readonly worker: StepWorker,
    private readonly granting: Granting,
  ) {}

  @Serves(claimContract)
  claim(message: ClaimMessage): Promise<ClaimAnswer> {
    return this.server.claim(message);
  }

  @Serves(renewContract)
  renew(message: RenewRequest & ClaimHolder): Promise<RenewReply> {
    return this.server.renew(message);
  }

  @Serves(renewAllContract)
  renewAll(message: RenewalsMessage): Promise<RenewalsAnswer> {
    return this.server.renewAll(message);
  }

  @Serves(enrolContract)
  enrol(message: EnrolMessage): Promise<EnrolAnswer> {
    return this.enrolment.enrol(message);
  }

  @Serves(resultContract)
  result(message: ResultMessage): Promise<ResultAnswer> {
    return this.server.result(message);
  }

  @Serves(grantedByContract)
  grantedBy(): GrantedBy {
    return this.granting.by();
  }

  /** A new operation is planned; a step of ours (a hook, a wait) is claimed as any worker does. */
  @AnswersWakeUps(COORDINATOR_SERVICE, { workers: 16 })
  async notify(@Payload() { operationId, stepId, epoch }: WakeUpData, @Ctx() delivery: DeliveryContext): Promise<void> {
    if (stepId === BEGIN_STEP) {
      await this.coordinator.begin(operationId);
      return;
    }
    await answerWakeUp(this.worker, { operationId, stepId, epoch, service: COORDINATOR_SERVICE }, delivery);
  }
}
