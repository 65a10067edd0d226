import { describe, expect, it } from 'vitest';
import { linearPattern } from './linear-pattern.js';
import { processorTime } from './testing/index.js';

describe("somebody else's pattern", () => {
  it.each([
    ['^[a-z_][a-z0-9_-]{0,31}$', ['ubuntu', '_a-1'], ['Ubuntu', '', 'a b']],
    ['b', ['abc'], ['ac']],
    ['^\\p{Lu}\\S*$', ['Ärger'], ['ärger']],
    ['^[^\\u0000-\\u001f\\u007f]+$', ['a b'], ['a\nb', '']],
    ['^(?:[0-9]{1,3}\\.){3}[0-9]{1,3}$', ['10.0.0.1'], ['10.0.0.1\n', '10.0.0']],
  ])('%s means what JSON Schema says', (pattern, fitting, others) => {
    for (const text of fitting) expect([text, linearPattern(pattern).test(text)]).toEqual([text, true]);
    for (const text of others) expect([text, linearPattern(pattern).test(text)]).toEqual([text, false]);
  });

  it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', 'a*b', '(.*a){12}b'])('%s takes no long time on any text', (pattern) => {
    const begun = processorTime();
    expect(linearPattern(pattern).test(`${'a'.repeat(100_000)}!`)).toBe(false);
    expect(processorTime() - begun).toBeLessThan(3_000);
  });

  it.each(['^(?=a)b', '(a)\\1', 'a{1,5000}', '('])('%s can not be used, and the error says why', (pattern) => {
    expect(() => linearPattern(pattern)).toThrow(/error parsing regexp: /);
  });

  it('is no larger than a text can be held against, written or written out', () => {
    expect(() => linearPattern('a'.repeat(1_001))).toThrow('the pattern has more than 1000 characters');
    expect(() => linearPattern('(a?){1000}'.repeat(3))).toThrow('too large with its repetitions written out');
    expect(linearPattern('^[^\\u0000-\\u001f]{1,1000}$').test('a'.repeat(1_000))).toBe(true);
  });
});
