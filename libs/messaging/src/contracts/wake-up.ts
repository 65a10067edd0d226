import { defineEvent } from './contract.js';

/** A step wants to be claimed: this and nothing more. Whoever hears it claims by request/reply. */
export interface WakeUpData {
  operationId: string;
  stepId: string;
  epoch: number;
}

/** On `windlass.step.<service>`. */
export const wakeUpEvent = defineEvent<WakeUpData>({
  name: 'step.doorbell',
  data: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Doorbell of a step',
    type: 'object',
    additionalProperties: false,
    required: ['operationId', 'stepId', 'epoch'],
    properties: {
      operationId: { type: 'string', minLength: 1, maxLength: 128 },
      stepId: { type: 'string', minLength: 1, maxLength: 1024 },
      epoch: { type: 'integer', minimum: 0 },
    },
  },
});
