import { shape, type TypeOf } from '@windlass/foundation';
import { defineEvent, message } from './contract.js';

const wakeUp = shape.closed({
  operationId: shape.text({ minLength: 1, maxLength: 128 }),
  stepId: shape.text({ minLength: 1, maxLength: 1024 }),
  epoch: shape.integer({ minimum: 0 }),
});

/** A step wants to be claimed: this and nothing more. Whoever hears it claims by request/reply. */
export type WakeUpData = TypeOf<typeof wakeUp>;

/** On `windlass.step.<service>`. */
export const wakeUpEvent = defineEvent({ name: 'step.doorbell', data: message(shape.titled('Doorbell of a step', wakeUp)) });
