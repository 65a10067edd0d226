import type { JsonObject } from '@windlass/foundation';
import type { LcmOperationStateType } from '@windlass/sol003';
import type { LcmOperation, OpOccRecord } from '../records/records.js';
import { COORDINATOR_SERVICE } from '../records/services.js';

/** A VNF instance's identifier was made or is gone. */
export interface VnfEvent {
  readonly about: 'vnf';
  readonly change: 'created' | 'deleted';
  readonly vnfInstanceId: string;
}

/** A VNF package has come to be usable, or ceased to be: what subscribers of packages are told (SOL003 10.5.2.5, 10.5.2.6). */
export interface PackageEvent {
  readonly about: 'package';
  readonly change: PackageChange;
  readonly vnfPkgId: string;
  readonly vnfdId: string;
}

/**
 * `onboarded`: ONBOARDED and ENABLED; `enabled`, `disabled`: the operational state has changed; `deleted`: the package is gone. Nothing is told of a
 * package that was never ONBOARDED.
 */
export type PackageChange = 'onboarded' | 'enabled' | 'disabled' | 'deleted';

/** An operation has entered a state. */
export interface OperationEvent {
  readonly about: 'operation';
  readonly operationId: string;
  readonly vnfInstanceId: string;
  readonly operation: LcmOperation;
  readonly operationState: LcmOperationStateType;
}

/** Everything that is told of the lifecycle, steps apart. Nothing depends on an event: the record is in PostgreSQL, and says at least as much. */
export type LifecycleEvent = VnfEvent | PackageEvent | OperationEvent;

/** An occurrence that has entered the state it stands in. */
export const operationEvent = ({ id, vnfInstanceId, operation, operationState }: OpOccRecord): OperationEvent => ({
  about: 'operation',
  operationId: id,
  vnfInstanceId,
  operation,
  operationState,
});

/** A row of the outbox: an event as `eventMessage` renders it, or a wake-up. */
export interface LcmEvent {
  subject: string;
  message: JsonObject;
}

/** An event as it goes over the outbox to NATS: where it stands in the subject, what it is about in the message. */
export function eventMessage(event: LifecycleEvent): LcmEvent {
  switch (event.about) {
    case 'vnf': {
      const { vnfInstanceId } = event;
      return { subject: `windlass.event.vnf.${event.change}`, message: { vnfInstanceId } };
    }
    case 'package': {
      const { about, ...message } = event;
      return { subject: `windlass.event.${about}.${event.change}`, message };
    }
    case 'operation': {
      const { about, ...message } = event;
      return { subject: `windlass.event.${about}.${event.operationState}`, message };
    }
  }
}

/** The wake-up's step of an operation that has no steps yet. */
export const BEGIN_STEP = '@begin';

/** Wakes a coordinator for an operation that was written just now and has no steps yet: a wake-up, in the outbox as events are. */
export const beginMessage = (operationId: string): LcmEvent => ({
  subject: `windlass.step.${COORDINATOR_SERVICE}`,
  message: { operationId, stepId: BEGIN_STEP, epoch: 0 },
});
