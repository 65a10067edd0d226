import { processorTime } from '@windlass/foundation/testing';
import { describe, expect, it } from 'vitest';
import { schemaFaults } from './schema-faults.js';

const faults = (schema: Parameters<typeof schemaFaults>[0], params: Parameters<typeof schemaFaults>[1]) =>
  schemaFaults({ type: 'object', ...schema }, params, () => undefined);

describe('a pattern in the schema of a driver', () => {
  it.each([
    ['of a text', { properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(100_000)}!` }, '/additionalParams/a'],
    [
      'of names',
      { patternProperties: { '^(a|aa)+$': false } },
      { [`${'a'.repeat(100_000)}!`]: 1, aa: 1 },
      '/additionalParams/aa',
    ],
  ])('%s takes no long time on what a client gives', (_, schema, params, path) => {
    const begun = processorTime();
    expect(faults(schema, params).map((fault) => fault.path)).toEqual([path]);
    expect(processorTime() - begun).toBeLessThan(3_000);
  });

  it('is told with the fault as it was written', () => {
    expect(faults({ properties: { a: { pattern: '^b$' } } }, { a: 'c' })).toEqual([
      { path: '/additionalParams/a', reason: 'must match pattern "^b$"' },
    ]);
  });

  it.each(['^(?=a)a', '(a)\\1', 'a{1,5000}'])('%s makes the schema one that can not be used, and says so', (pattern) => {
    const wrong = { properties: { a: { pattern } } };
    expect(() => faults(wrong, { a: 'a' })).toThrow(expect.objectContaining({ code: 'driver.bad-schema' }));
  });
});

describe('items that a driver’s schema wants unique', () => {
  const list = { properties: { a: { type: 'array', uniqueItems: true } } } as const;

  it('are compared in no long time', () => {
    const items = Array.from({ length: 40_000 }, (_, n) => ({ n, deep: { list: [n, 'x'] } }));
    const begun = processorTime();
    expect(faults(list, { a: items })).toEqual([]);
    expect(processorTime() - begun).toBeLessThan(3_000);
  });

  it.each<[string, Parameters<typeof schemaFaults>[1][string], boolean]>([
    [
      'equal whatever the order of members',
      [{ a: 1, b: [2, { c: null, d: '' }] }, 'x', { b: [2, { d: '', c: null }], a: 1 }],
      true,
    ],
    ['numbers of one value', [1, 1], true],
    ['a number and its text', [1, '1'], false],
    ['lists in another order', [[1, 2], [2, 1]], false], // prettier-ignore
    ['a name with a colon', [{ 'a":1,"b': 2 }, { a: 1, b: 2 }], false],
    ['nothing and null', [[], [null], {}, { a: null }], false],
  ])('%s', (_, items, twice) => {
    const reason = items instanceof Array && items.length === 3 ? /items 0 and 2 are equal/ : /items 0 and 1 are equal/;
    const found = faults(list, { a: items });
    expect(found).toEqual(twice ? [{ path: '/additionalParams/a', reason: expect.stringMatching(reason) as string }] : []);
    expect(faults({ properties: { a: { uniqueItems: false } } }, { a: items })).toEqual([]);
  });
});
