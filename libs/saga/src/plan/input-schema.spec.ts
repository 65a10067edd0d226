import type { Json } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { mismatchOf, type InputSchema } from './input-schema.js';

const SHARE: InputSchema = {
  type: 'object',
  required: ['size'],
  additionalProperties: false,
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 100 },
    name: { type: ['string', 'null'], minLength: 1, maxLength: 3 },
    kind: { enum: ['nfs', { of: [1] }] },
    fixed: { const: 'x' },
    hosts: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string' } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

describe('what an action takes', () => {
  it.each<[Json]>([[{ size: 1 }], [{ size: 100, name: null, kind: { of: [1] }, fixed: 'x', hosts: ['a'], labels: { a: 'b' } }]])(
    'is %j',
    (value) => {
      expect(mismatchOf(value, SHARE)).toBeUndefined();
    },
  );

  it.each<[Json, string, string]>([
    ['text', '', 'is a string, object was expected'],
    [null, '', 'is null, object was expected'],
    [{}, '', 'lacks "size"'],
    [{ size: '1' }, '/size', 'is a string, integer was expected'],
    [{ size: 1.5 }, '/size', 'is a number, integer was expected'],
    [{ size: 0 }, '/size', 'is 0, at least 1 was expected'],
    [{ size: 101 }, '/size', 'is 101, at most 100 was expected'],
    [{ size: 1, name: '' }, '/name', 'has a length of 0, at least 1 was expected'],
    [{ size: 1, name: 'long' }, '/name', 'has a length of 4, at most 3 was expected'],
    [{ size: 1, name: 5 }, '/name', 'is a number, string or null was expected'],
    [{ size: 1, kind: 'iscsi' }, '/kind', 'one of ["nfs",{"of":[1]}] was expected'],
    [{ size: 1, fixed: 'y' }, '/fixed', '"x" was expected'],
    [{ size: 1, hosts: [] }, '/hosts', 'has a length of 0, at least 1 was expected'],
    [{ size: 1, hosts: ['a', 2] }, '/hosts/1', 'is a number, string was expected'],
    [{ size: 1, labels: { 'a/b': 1 } }, '/labels/a~1b', 'is a number, string was expected'],
    [{ size: 1, more: 1 }, '/more', 'is a member that is not taken'],
    [JSON.parse('{"size": 1, "__proto__": 1}') as Json, '/__proto__', 'is a member that is not taken'],
    [{ size: 1, toString: 1 }, '/toString', 'is a member that is not taken'],
  ])('is not %j', (value, path, reason) => {
    expect(mismatchOf(value, SHARE)).toEqual({ path, reason });
  });

  it('may be anything where it is not known yet', () => {
    const isUnknown = (value: Json): boolean => value === 'later';
    expect(mismatchOf({ size: 'later', hosts: ['later'] }, SHARE, isUnknown)).toBeUndefined();
    expect(mismatchOf({ size: 'later', hosts: [5] }, SHARE, isUnknown)).toMatchObject({ path: '/hosts/0' });
  });
});
