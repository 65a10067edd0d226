import { processorTime } from '@windlass/foundation/testing';
import { describe, expect, test } from 'vitest';
import { parsedNode } from './parsed-node.js';
import { plainYaml } from './plain-yaml.js';
import { DEFAULT_YAML_LIMITS } from '../refusals/limits.js';

const node = (text: string) => parsedNode(text, 'Definitions/x.yaml', DEFAULT_YAML_LIMITS);

/** What PyYAML 6.0.3 (`yaml.safe_load`) makes of each, but for whole numbers that JavaScript can't hold. */
const SCALARS: readonly (readonly [written: string, means: string | number | boolean | null])[] = [
  ...['yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((each) => [each, true] as const),
  ...['no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((each) => [each, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((each) => [each, null] as const),
  ...['y', 'n', 'Y', 'N', 'nULL', 'tRUE', 'oN', 'none', 'None', '08', '1e3', '1.5e3', '0x', '1.2.3', '0:30', '01:30', '1:60', '.', '-.5', '_1', '1 000', '2013-05-23'].map((each) => [each, each] as const), // prettier-ignore
  ['0', 0],
  ['-0', 0],
  ['0_', 0],
  ['017', 15],
  ['-017', -15],
  ['0o17', '0o17'],
  ['0644', 420],
  ['00', 0],
  ['0b101', 5],
  ['0x1F', 31],
  ['+12', 12],
  ['1_000', 1000],
  ['1:30', 90],
  ['-1:30', -90],
  ['190:20:30', 685230],
  ['1:30.5', 90.5],
  ['0:30.5', 30.5],
  ['1.0', 1],
  ['1.10', 1.1],
  ['.5', 0.5],
  ['1_0.5', 10.5],
  ['1.5e+3', 1500],
  ['12345678901234567890', '12345678901234567890'],
];

describe('a plain scalar of YAML 1.1', () => {
  test.each(SCALARS)('is what PyYAML makes of it: %s', (written, means) => {
    expect(plainYaml(`a: ${written}\n`, 'x')).toEqual({ a: means });
  });

  test.each(['no', 'on', '~', '017', '1:30', 'null', '1.0'])('in quotes stays a text: %s', (written) => {
    expect(plainYaml(`a: '${written}'\nb: "${written}"\nc: |-\n  ${written}\n`, 'x')).toEqual({
      a: written,
      b: written,
      c: written,
    });
  });

  test('is for Kubernetes a truth value where it is y, and a text where it is a time', () => {
    expect(plainYaml('a: y\nb: 1:30\nc: 2020-01-02\n', 'x', 'kubernetes')).toEqual({ a: true, b: '1:30', c: '2020-01-02' });
  });

  test('keeps merged maps', () => {
    expect(plainYaml('a: &a { x: no, y: 1 }\nb: { <<: *a, y: on }\n', 'x')).toMatchObject({ b: { x: false, y: true } });
  });
});

describe('a truth value', () => {
  test.each([
    ['no', false],
    ['Off', false],
    ['YES', true],
    ["'true'", true],
    ['"FALSE"', false],
    ['tRUE', true],
    ['~', undefined],
    ['', undefined],
  ])('is read: %s', (written, means) => {
    expect(node(`a: ${written}`).at('a').boolean()).toBe(means);
  });

  test.each(['y', 'n', '0', '1', 'enabled', "'no'", '"on"', "'~'", '[ no ]', '{ get_input: absent }'])(
    'is refused with its line and what was expected: %s',
    (written) => {
      expect(() => node(`x: 1\na:\n  b: ${written}\n`).at('a', 'b').boolean()).toThrow(
        /x\.yaml: a\.b .*(true or false|single value|input).*\(line 3\)/,
      );
    },
  );
});

describe('a whole number', () => {
  test.each([
    ['017', 15],
    ['0o17', 15],
    ["'017'", 17],
    ['08', 8],
    ['0x10', 16],
    ['1_000', 1000],
    ['1:30', 90],
    ['2.0', 2],
    ['"3"', 3],
    ['-1', -1],
    ['null', undefined],
  ])('is read: %s', (written, means) => {
    expect(node(`a: ${written}`).at('a').integer()).toBe(means);
  });

  test.each(['2.5', 'two', 'yes', "'0x10'", "'0o17'", "'1_000'", '1 2', '12345678901234567890', "''"])(
    'is refused: %s',
    (written) => {
      const read = node(`a: ${written}`).at('a');
      if (written === "''") expect(read.integer()).toBeUndefined();
      else expect(() => read.integer()).toThrow(/a should be a whole number, is .*\(line 1\)/);
    },
  );
});

describe('where a value stands', () => {
  test('is known behind aliases, merges and keys given twice', () => {
    const text = 'd: &d\n  on: y\n  two: "~"\na:\n  <<: *d\nb: *d\nc: 1\nc: y\n';
    expect(() => node(text).at('a', 'on').boolean()).toThrow('(line 2)');
    expect(() => node(text).at('b', 'on').boolean()).toThrow('(line 2)');
    expect(node(text).at('b', 'two').present).toBe(true);
    expect(node(text).at('a', 'two').present).toBe(true);
    expect(() => node(text).at('c').boolean()).toThrow('(line 8)');
    expect(node('a: ~').at('a').present).toBe(false);
  });

  test('costs little for many values behind an alias', () => {
    const many = Array.from({ length: 20_000 }, (_, n) => `  k${n}: ~\n`).join('');
    const parsed = node(`d: &d\n${many}b: *d\n`).at('b');
    const start = processorTime();
    expect(parsed.entries().filter(([, value]) => value.present)).toEqual([]);
    expect(processorTime() - start).toBeLessThan(5_000);
  });
});
