import { describe, expect, it } from 'vitest';
import { matchesQuery, matchesSelector, parseFieldQuery, parseLabelQuery } from './selectors.js';

const labels = { app: 'web', tier: 'front', empty: '' };
const matches = (query: string): boolean => matchesQuery(parseLabelQuery(query), labels);

describe('label selectors', () => {
  it.each(['app=web', 'app==web', 'app!=db', 'app in (web, db),tier notin (back)', 'app,!missing', 'missing!=x', 'empty=', ''])(
    'finds the object by %s',
    (query) => {
      expect(matches(query)).toBe(true);
    },
  );

  it.each(['app=db', 'missing', '!app', 'app notin (web)', 'app=web,tier=back', 'missing in (a)'])(
    'does not find the object by %s',
    (query) => {
      expect(matches(query)).toBe(false);
    },
  );

  it.each(['app=we b', 'app in web', '=x', 'a/b/c=d'])('refuses %s with 400', (query) => {
    expect(() => parseLabelQuery(query)).toThrow(/unable to parse requirement/);
  });

  it('reads selector objects: absent selects nothing, empty everything', () => {
    expect(matchesSelector(undefined, labels)).toBe(false);
    expect(matchesSelector({}, labels)).toBe(true);
    expect(
      matchesSelector({ matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, labels),
    ).toBe(true);
    expect(matchesSelector({ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, labels)).toBe(false);
  });
});

describe('field selectors', () => {
  it('reads paths with = and !=', () => {
    expect(parseFieldQuery('spec.nodeName=w1,status.phase!=Running')).toEqual([
      { path: 'spec.nodeName', equal: true, value: 'w1' },
      { path: 'status.phase', equal: false, value: 'Running' },
    ]);
  });

  it('refuses what has no operator', () => {
    expect(() => parseFieldQuery('spec.nodeName')).toThrow(/can't understand 'spec.nodeName'/);
  });
});
