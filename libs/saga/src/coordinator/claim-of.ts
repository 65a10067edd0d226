import type { JsonObject } from '@windlass/foundation';
import type { OperationRecord, StepRecord } from '../engine/records.js';
import { claimedAction } from '../engine/step-records.js';
import type { WakeUp } from '../ports.js';
import type { Claim } from './messages.js';

/** A running step as its worker is given it. */
export const claimOf = ({ tenant }: OperationRecord, step: StepRecord, input: JsonObject): Omit<Claim, 'leaseFor'> => ({
  operationId: step.operationId,
  stepId: step.id,
  epoch: step.epoch,
  ...claimedAction(step),
  phase: step.phase,
  attempt: step.attempt,
  attemptEpoch: step.attemptEpoch,
  resumed: step.resumed,
  recheck: step.recheck,
  target: step.target,
  tenant,
  input,
});

/** A ready step as its service is told of it. */
export const wakeUpOf = (step: StepRecord): WakeUp => ({
  operationId: step.operationId,
  stepId: step.id,
  epoch: step.epoch,
  service: step.service,
});
