import type { JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { takesLess } from './support/schema-compatibility.js';

const before: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: {
    id: { type: 'string' },
    kind: { enum: ['one', 'two'] },
    inner: { type: ['object', 'null'], required: [], properties: {} },
  },
};

const changed = (change: (schema: typeof before & { properties: JsonObject }) => void): JsonObject => {
  const copy = structuredClone(before) as typeof before & { properties: JsonObject };
  change(copy);
  return copy;
};

describe('a message of two releases', () => {
  it('may take more than it did', () => {
    expect(takesLess(before, before)).toEqual([]);
    expect(
      takesLess(
        before,
        changed((schema) => (schema.properties.more = { type: 'string' })),
      ),
    ).toEqual([]);
    expect(
      takesLess(
        before,
        changed((schema) => (schema.required = [])),
      ),
    ).toEqual([]);
    expect(
      takesLess(
        before,
        changed((schema) => (schema.properties.kind = { enum: ['one', 'two', 'three'] })),
      ),
    ).toEqual([]);
  });

  it.each([
    ['a member that is demanded', (schema: JsonObject) => (schema.required = ['id', 'kind']), ['/kind is demanded']],
    [
      'a member that is gone',
      (schema: JsonObject) => delete (schema.properties as JsonObject).kind,
      ['/kind is not known any more'],
    ],
    [
      'a value that is gone',
      (schema: JsonObject) => ((schema.properties as JsonObject).kind = { enum: ['one'] }),
      ['/kind: "two" is not taken any more'],
    ],
    [
      'a type that is gone',
      (schema: JsonObject) => ((schema.properties as JsonObject).inner = { type: 'object' }),
      ['/inner: the type "null" is not taken any more'],
    ],
    [
      'a member that is demanded further in',
      (schema: JsonObject) => ((schema.properties as JsonObject).inner = { type: ['object', 'null'], required: ['deep'] }),
      ['/inner/deep is demanded'],
    ],
  ])('is told of for %s', (_, change, told) => {
    expect(takesLess(before, changed(change))).toEqual(told);
  });
});
