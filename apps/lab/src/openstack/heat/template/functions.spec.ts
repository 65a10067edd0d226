import type { Json, JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { UNKNOWN, type Scope } from './function-parts.js';
import { eachReference, evaluate } from './functions.js';
import { Parameters } from './parameters.js';
import { parseTemplateText } from './yaml.js';

const scope = (parameters: JsonObject = {}, version = '2018-08-31', more: Partial<Scope> = {}): Scope => ({
  version,
  parameter: (name) => parameters[name],
  reference: (name) => `id-of-${name}`,
  attribute: (name, path) => `${name}.${path.join('.')}`,
  file: (name) => (name === 'a.txt' ? 'content' : undefined),
  condition: (name) => name === 'yes',
  ...more,
});

describe('the functions of HOT', () => {
  const nfv: Json = { VDU: { VDU1: { flavor: 'm1.tiny', list: [{ a: 1 }] } } };
  const cases: [string, Json, Json][] = [
    ['get_param follows a way through a json parameter', { get_param: ['nfv', 'VDU', 'VDU1', 'flavor'] }, 'm1.tiny'],
    ['get_param walks into lists', { get_param: ['nfv', 'VDU', 'VDU1', 'list', 0, 'a'] }, 1],
    ['get_param gives the empty text where the way ends', { get_param: ['nfv', 'VDU', 'VDU9', 'flavor'] }, ''],
    ['get_resource and get_attr ask the stack', [{ get_resource: 'r' }, { get_attr: ['r', 'a', 0] }], ['id-of-r', 'r.a.0']],
    ['get_file gives a file of the request', { get_file: 'a.txt' }, 'content'],
    [
      'str_replace replaces longer names first and nothing twice',
      { str_replace: { template: '$ab $a', params: { $a: '$ab', $ab: 'x' } } },
      'x $ab',
    ],
    ['str_replace writes maps as JSON', { str_replace: { template: 'M', params: { M: { k: [1] } } } }, '{"k": [1]}'],
    ['list_join joins several lists', { list_join: ['-', ['a', 'b'], ['c']] }, 'a-b-c'],
    ['str_split splits, and picks', [{ str_split: [',', 'a,b'] }, { str_split: [',', 'a,b', 1] }], [['a', 'b'], 'b']],
    ['repeat makes all combinations', { repeat: { for_each: { A: ['1', '2'], B: ['x'] }, template: 'A-B' } }, ['1-x', '2-x']],
    ['if chooses by a named condition', { if: ['yes', 1, 2] }, 1],
    ['if by a condition written out', { if: [{ equals: [{ get_param: 'n' }, 3] }, 'three', 'other'] }, 'three'],
    ['and, or, not take conditions', [{ and: ['yes', { not: 'no' }] }, { or: ['no', 'no'] }], [true, false]],
    ['an if without its else takes the member away', { a: 1, b: { if: ['no', 2] } }, { a: 1 }],
    ['map_merge lets the last win', { map_merge: [{ a: 1 }, { a: 2, b: 3 }] }, { a: 2, b: 3 }],
    [
      'list_concat_unique leaves doubles out',
      {
        list_concat_unique: [
          [1, 2],
          [2, 3],
        ],
      },
      [1, 2, 3],
    ],
    ['a map with two members is no function', { get_param: 'n', other: 1 }, { get_param: 'n', other: 1 }],
  ];
  it.each(cases)('%s', (_title, given, expected) => {
    expect(evaluate(given, scope({ nfv, n: 3 }))).toEqual(expected);
  });

  it('are those of the template version: an older template has no if and no list_join', () => {
    const given: Json = { list_join: [',', ['a']] };
    expect(evaluate(given, scope({}, '2013-05-23'))).toEqual(given);
    expect(evaluate(given, scope({}, '2014-10-16'))).toBe('a');
  });

  it('give unknown for what depends on what is not known yet', () => {
    const unknown = scope({}, '2018-08-31', { reference: () => UNKNOWN, attribute: () => UNKNOWN });
    expect(evaluate({ list_join: [',', [{ get_attr: ['r', 'x'] }]] }, unknown)).toBe(UNKNOWN);
    expect(evaluate({ str_replace: { template: 'A', params: { A: { get_resource: 'r' } } } }, unknown)).toBe(UNKNOWN);
  });

  it('that use other resources are found wherever they stand', () => {
    const found: string[] = [];
    eachReference({ a: [{ get_resource: 'x' }], b: { c: { list_join: [',', [{ get_attr: ['y', 'z'] }]] } } }, (name, path) =>
      found.push(`${name} at ${path}`),
    );
    expect(found).toEqual(['x at a[0]', 'y at b.c.list_join[1][0]']);
  });
});

describe('parameters', () => {
  const read = (declared: JsonObject, given: JsonObject = {}): Parameters => Parameters.read(declared, given, {});

  it('are converted to their types', () => {
    const found = read(
      {
        s: { type: 'string' },
        n: { type: 'number' },
        b: { type: 'boolean' },
        l: { type: 'comma_delimited_list' },
        j: { type: 'json' },
      },
      { s: 5, n: '2.5', b: 'yes', l: 'a, b', j: '{"k": [1]}' },
    );
    expect(['s', 'n', 'b', 'l', 'j'].map((name) => found.get(name))).toEqual(['5', 2.5, true, ['a', 'b'], { k: [1] }]);
  });

  it('are shown as Heat shows them, hidden ones as stars', () => {
    const found = read(
      { j: { type: 'json' }, b: { type: 'boolean', default: true }, h: { type: 'string', hidden: true } },
      { j: { a: [{ b: 1 }] }, h: 'secret' },
    );
    expect(found.shown()).toEqual({ j: '{"a": [{"b": 1}]}', b: 'True', h: '******' });
  });

  it.each([
    [{ range: { min: 1, max: 3 } }, 'number', 4, "Parameter 'p' is invalid: 4 is out of range (min: 1, max: 3)"],
    [{ length: { max: 2 } }, 'string', 'abc', "Parameter 'p' is invalid: length (3) is out of range (min: None, max: 2)"],
    [{ allowed_pattern: '[a-z]+$' }, 'string', 'A1', 'Parameter \'p\' is invalid: "A1" does not match pattern "[a-z]+$"'],
    [{ allowed_values: ['x'], description: 'must be x' }, 'string', 'y', "Parameter 'p' is invalid: must be x"],
  ])('that break the constraint %j are refused', (constraint, type, value, message) => {
    expect(() => read({ p: { type, constraints: [constraint] } }, { p: value })).toThrow(message);
  });
});

describe('templates are read as PyYAML reads them', () => {
  it('yes and on are booleans, y and dates are text, merges merge', () => {
    expect(parseTemplateText('a: yes\nb: off\nc: y\nd: 2013-05-23\ne: 010\nf: &x {k: 1}\ng: {<<: *x, l: 2}\n')).toEqual({
      a: true,
      b: false,
      c: 'y',
      d: '2013-05-23',
      e: 8,
      f: { k: 1 },
      g: { k: 1, l: 2 },
    });
  });

  it('a document that grows by aliases is refused', () => {
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level += 1)
      bomb.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`);
    expect(() => parseTemplateText(bomb.join('\n'))).toThrow(/alias/i);
  });
});
