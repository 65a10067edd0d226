import type { JsonObject } from '@windlass/foundation';
import { MOST_MACHINES } from '../rendering/step-machines.js';
import type { ShownStep } from '../rendering/step-views.js';
import { TIME, whole } from '../routes/json-schemas.js';

const TEXT: JsonObject = { type: 'string' };
const TEXT_OR_NULL: JsonObject = { type: ['string', 'null'] };
const COUNT: JsonObject = { type: 'integer', minimum: 0 };
const TIME_OR_NULL: JsonObject = { type: ['string', 'null'], format: 'date-time' };

const waits = (reason: string, properties: JsonObject): JsonObject => whole({ for: { const: reason }, ...properties });

const WAIT_REASON: JsonObject = {
  oneOf: [
    waits('step', { id: TEXT }),
    waits('limit', { key: TEXT }),
    waits('group', { id: TEXT, limit: COUNT }),
    waits('time', { until: TIME }),
    waits('worker', { service: TEXT }),
  ],
};

const REMEDY: JsonObject = {
  type: 'object',
  required: ['says', 'leadsOn'],
  properties: { says: TEXT, leadsOn: { type: 'string', enum: ['retry', 'rollback'] }, when: TEXT },
};

const ERROR: JsonObject = {
  type: 'object',
  required: ['kind', 'code', 'detail', 'status'],
  properties: { kind: TEXT, code: TEXT, detail: TEXT, status: { type: 'integer' }, remedy: REMEDY },
};

const MACHINE: JsonObject = whole({ vnfcId: TEXT, name: TEXT, address: TEXT_OR_NULL });
const MACHINES: JsonObject = { type: 'array', items: MACHINE, maxItems: MOST_MACHINES };

/** A step of an operation as it is shown; docs/contracts/rest-extensions.md says what the members mean. */
export const STEP: JsonObject = whole({
  id: TEXT,
  parentId: TEXT_OR_NULL,
  depth: COUNT,
  action: TEXT,
  version: COUNT,
  service: TEXT,
  target: TEXT_OR_NULL,
  phase: { type: 'string', enum: ['do', 'undo'] },
  state: { type: 'string', enum: ['waiting', 'ready', 'running', 'expanded', 'done', 'failed'] },
  attempt: COUNT,
  attemptsAllowed: { type: ['integer', 'null'] },
  owner: TEXT_OR_NULL,
  progress: TEXT_OR_NULL,
  blockedOn: TEXT_OR_NULL,
  dependsOn: { type: 'array', items: TEXT },
  waitsFor: { type: 'array', items: WAIT_REASON },
  error: { anyOf: [ERROR, { type: 'null' }] },
  startedAt: TIME_OR_NULL,
  endedAt: TIME_OR_NULL,
  machines: MACHINES,
  machineCount: COUNT,
  failedOn: MACHINES,
} satisfies Record<keyof ShownStep, JsonObject>);

/** An operation as live views tell it. */
export const OPERATION: JsonObject = {
  type: 'object',
  required: ['id', 'vnfInstanceId', 'operation', 'operationState', 'isCancelPending', 'stateEnteredTime', 'startTime', 'steps'],
  properties: {
    id: TEXT,
    vnfInstanceId: TEXT,
    operation: TEXT,
    operationState: TEXT,
    isCancelPending: { type: 'boolean' },
    stateEnteredTime: TIME,
    startTime: TIME,
    cancelMode: TEXT,
    error: { type: 'object', properties: { code: TEXT, title: TEXT, detail: TEXT, status: { type: 'integer' }, remedy: REMEDY } },
    warnings: { type: 'array', items: TEXT },
    steps: whole({ total: COUNT, done: COUNT, undone: COUNT, running: COUNT, ready: COUNT, waiting: COUNT, failed: COUNT }),
    failure: whole({ stepId: TEXT, action: TEXT, target: TEXT_OR_NULL, machines: MACHINES, machineCount: COUNT }),
  },
};
