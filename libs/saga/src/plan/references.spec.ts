import type { Json } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { common, outputOf, sourced } from './refs.js';
import { resolveReferences, sourcesOf } from './references.js';

const sources = new Map<string, Json>([
  ['step:a', { list: [{ 'a/b': 1 }, 2], nothing: null }],
  ['common', { colour: 'green' }],
  ['vim', 'text'],
]);

describe('references', () => {
  it('are found wherever they stand, each source once, in order', () => {
    expect(sourcesOf({ x: [outputOf('a', '/list'), { y: common('/colour') }], z: outputOf('a'), plain: 1 })).toEqual([
      'step:a',
      'common',
    ]);
  });

  it('become the values they point at, null and whole documents too', () => {
    const input = {
      whole: sourced('vim'),
      part: outputOf('a', '/list/0/a~1b'),
      nothing: outputOf('a', '/nothing'),
      deep: [{ c: common('/colour') }],
      plain: { $form: 'vim' },
    };
    expect(resolveReferences(input, sources)).toEqual({
      whole: 'text',
      part: 1,
      nothing: null,
      deep: [{ c: 'green' }],
      plain: { $form: 'vim' },
    });
  });

  it('are not looked for in what they brought', () => {
    const brought = new Map<string, Json>([['step:a', { $from: 'step:b' }]]);
    expect(resolveReferences({ x: outputOf('a') }, brought)).toEqual({ x: { $from: 'step:b' } });
  });

  it.each([
    [outputOf('a', '/list/2'), 'the plan points at "step:a" /list/2, where nothing is'],
    [outputOf('a', '/list/-'), 'the plan points at "step:a" /list/-, where nothing is'],
    [sourced('vnfc:gone'), 'the plan points at "vnfc:gone", where nothing is'],
    [common('/__proto__'), 'the plan points at "common" /__proto__, where nothing is'],
  ])('that point at nothing are the plan’s error: %j', (reference, message) => {
    expect(() => resolveReferences({ x: reference }, sources)).toThrow(message);
  });
});
