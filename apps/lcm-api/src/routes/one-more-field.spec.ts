import { shape, type TypeOf } from '@windlass/foundation';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { StepAnswer } from '../observability/shown-schemas.js';
import type { ShownStep } from '../rendering/step-views.js';
import { answerOf } from './json-schemas.js';

const text = shape.text({ minLength: 1, maxLength: 255 });

const node = shape.closed({
  name: text,
  role: shape.oneOf(['master', 'worker']),
  title: shape.optional(shape.textOrNull({ maxLength: 9 })),
  since: shape.text({ format: 'date-time' }),
  labels: shape.mapOf(text),
});

/** Declared in one place, and in no other. */
const withOneMore = shape.closed({ nodes: shape.list({ maxItems: 500, items: node }), invented: shape.integer({ minimum: 0 }) });

describe('an answer that is a message of another service', () => {
  it('shows a field that the message was given, without a line of its own', () => {
    expect(JSON.stringify(answerOf(shape.titled('Nodes', withOneMore)))).toBe(
      JSON.stringify({
        type: 'object',
        required: ['nodes', 'invented'],
        properties: {
          nodes: {
            type: 'array',
            items: {
              type: 'object',
              required: ['name', 'role', 'since', 'labels'],
              properties: {
                name: { type: 'string' },
                role: { type: 'string', enum: ['master', 'worker'] },
                title: { type: ['string', 'null'] },
                since: { type: 'string', format: 'date-time' },
                labels: { type: 'object', additionalProperties: { type: 'string', minLength: 1, maxLength: 255 } },
              },
            },
          },
          invented: { type: 'integer', minimum: 0 },
        },
      }),
    );
  });

  it('has the type of the message', () => {
    expectTypeOf<TypeOf<typeof withOneMore>['invented']>().toEqualTypeOf<number>();
  });
});

/** A value as JSON has it: times as texts. */
type AsJson<T> = T extends Date ? string : T extends object ? { [K in keyof T]: AsJson<T[K]> } : T;

describe('a step as it is answered', () => {
  it('is as its declaration says, member for member: the compiler holds the answer to it', () => {
    expectTypeOf<keyof ShownStep>().toEqualTypeOf<keyof StepAnswer>();
    expectTypeOf<AsJson<ShownStep>>().toExtend<StepAnswer>();
  });
});
