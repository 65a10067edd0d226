import { shape, type Members, type Shape, type TypeOf } from '@windlass/foundation';
import { MOST_MACHINES } from '../rendering/step-machines.js';
import type { ShownStep } from '../rendering/step-views.js';
import { schemaOf } from '../routes/json-schemas.js';

const text = shape.text();
const textOrNull = shape.textOrNull();
const count = shape.integer({ minimum: 0 });
const time = shape.text({ format: 'date-time' });
const timeOrNull = shape.of<string | null>({ type: ['string', 'null'], format: 'date-time' });

const oneOfTexts = <const T extends string>(...values: readonly T[]): Shape<T> => shape.of<T>({ type: 'string', enum: values });

const waits = <R extends string, M extends Members>(reason: R, members: M) =>
  shape.object({ for: shape.constant<R>(reason), ...members });

const oneOfShapes = <S extends readonly Shape<unknown>[]>(...shapes: S): Shape<TypeOf<S[number]>> => shape.of({ oneOf: shapes });

const waitReason = oneOfShapes(
  waits('step', { id: text }),
  waits('limit', { key: text }),
  waits('group', { id: text, limit: count }),
  waits('time', { until: time }),
  waits('worker', { service: text }),
);

const remedy = shape.object({ says: text, leadsOn: oneOfTexts('retry', 'rollback'), when: shape.optional(text) });

const error = shape.object({ kind: text, code: text, detail: text, status: shape.integer(), remedy: shape.optional(remedy) });

const machine = shape.object({ vnfcId: text, name: text, address: textOrNull });
const machines = shape.list({ items: machine, maxItems: MOST_MACHINES });

const step = shape.object({
  id: text,
  parentId: textOrNull,
  depth: count,
  action: text,
  version: count,
  service: text,
  target: textOrNull,
  phase: oneOfTexts('do', 'undo'),
  state: oneOfTexts('waiting', 'ready', 'running', 'expanded', 'done', 'failed'),
  attempt: count,
  attemptsAllowed: shape.of<number | null>({ type: ['integer', 'null'] }),
  owner: textOrNull,
  progress: textOrNull,
  blockedOn: textOrNull,
  dependsOn: shape.list({ items: text }),
  waitsFor: shape.list({ items: waitReason }),
  error: shape.of<TypeOf<typeof error> | null>({ anyOf: [error, { type: 'null' }] }),
  startedAt: timeOrNull,
  endedAt: timeOrNull,
  machines,
  machineCount: count,
  failedOn: machines,
} satisfies Record<keyof ShownStep, Shape<unknown>>);

/**
 * A step of an operation as JSON has it; docs/contracts/rest-extensions.md says what the members mean. The OpenAPI document, the dashboard's type
 * and that of the command line come of this declaration.
 */
export type StepAnswer = TypeOf<typeof step>;

/** JSON Schema of a {@link StepAnswer}. */
export const STEP = schemaOf(step);

/** JSON Schema of an operation as live views tell it. */
export const OPERATION = schemaOf(
  shape.object({
    id: text,
    vnfInstanceId: text,
    operation: text,
    operationState: text,
    isCancelPending: shape.flag,
    stateEnteredTime: time,
    startTime: time,
    cancelMode: shape.optional(text),
    error: shape.optional(
      shape.object({
        code: shape.optional(text),
        title: shape.optional(text),
        detail: shape.optional(text),
        status: shape.optional(shape.integer()),
        remedy: shape.optional(remedy),
      }),
    ),
    warnings: shape.optional(shape.list({ items: text })),
    steps: shape.object({
      total: count,
      done: count,
      undone: count,
      running: count,
      ready: count,
      waiting: count,
      failed: count,
    }),
    failure: shape.optional(shape.object({ stepId: text, action: text, target: textOrNull, machines, machineCount: count })),
  }),
);
