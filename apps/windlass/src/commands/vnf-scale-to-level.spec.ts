import { ScaleVnfToLevelRequestBody, validateBody } from '@windlass/sol003';
import { describe, expect, it } from 'vitest';
import { aspectLevel, scaleToLevelBody } from './vnf-scale-to-level.js';

describe('the request of vnf scale-to-level', () => {
  it.each([
    [[], { level: 'wide' }, { instantiationLevelId: 'wide' }],
    [
      ['pair=0', 'worker=2'],
      { oldest: true },
      {
        scaleInfo: [
          { aspectId: 'pair', scaleLevel: 0 },
          { aspectId: 'worker', scaleLevel: 2 },
        ],
        additionalParams: { is_reverse: 'False' },
      },
    ],
  ])('of %j with %j is %j, which the API takes', (aspects, options, body) => {
    const made = scaleToLevelBody(
      aspects.reduce((before: ReturnType<typeof aspectLevel>, each) => aspectLevel(each, before), []),
      options,
    );
    expect(made).toEqual(body);
    expect(validateBody(ScaleVnfToLevelRequestBody, made)).toEqual(body);
  });

  it('takes nothing but an aspect and its level for one', () => {
    for (const given of ['pair', 'pair=', '=1', 'pair=-1', 'pair=one']) expect(() => aspectLevel(given, [])).toThrow(given);
  });
});
