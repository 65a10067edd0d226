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
