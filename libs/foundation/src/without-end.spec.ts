import { describe, expect, it } from 'vitest';
import { processorTime } from './testing/index.js';
import { withoutEnd } from './without-end.js';

describe('a text without what it ends with', () => {
  it.each([
    ['http://a/b//', 'http://a/b'],
    ['//a', '//a'],
    ['///', ''],
    ['', ''],
  ])('%j is %j', (text, rest) => {
    expect(withoutEnd(text, '/')).toBe(rest);
  });

  it('takes no long time where it does not end with it after all', () => {
    const begun = processorTime();
    expect(withoutEnd(`${'/'.repeat(1_000_000)}a`, '/')).toHaveLength(1_000_001);
    expect(processorTime() - begun).toBeLessThan(1_000);
  });
});
