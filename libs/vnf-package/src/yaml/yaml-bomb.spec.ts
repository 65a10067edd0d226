import { describe, expect, test } from 'vitest';
import { parseYaml } from './parse-yaml.js';
import { DEFAULT_YAML_LIMITS, type YamlLimits } from '../refusals/limits.js';
import type { PackageError } from '../refusals/package-error.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, smallestPackage } from '../testing/package-factory.js';
import { processorTime } from '@windlass/foundation/testing';

const parse = (text: string, limits: Partial<YamlLimits> = {}) =>
  parseYaml(text, 'Definitions/x.yaml', { ...DEFAULT_YAML_LIMITS, ...limits }).value;

const refusal = (text: string, limits?: Partial<YamlLimits>): PackageError => {
  try {
    parse(text, limits);
  } catch (error) {
    return error as PackageError;
  }
  throw new Error('was accepted');
};

function laughs(levels: number): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level <= levels; level += 1) {
    lines.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    );
  }
  return lines.join('\n');
}

describe('YAML bombs', () => {
  test.each([
    ['a billion laughs', laughs(9), 'yaml.expansion'],
    ['an alias inside of its own anchor', 'a: &a [*a]', 'yaml.expansion'],
    ['aliases without end', `- &a x\n${'- *a\n'.repeat(2_000)}`, 'yaml.expansion'],
    ['a long text with many aliases', `- &a ${'x'.repeat(100_000)}\n${'- *a\n'.repeat(200)}`, 'yaml.expansion'],
    ['a map of long keys with many aliases', `- &a {${'x'.repeat(100_000)}: y}\n${'- *a\n'.repeat(200)}`, 'yaml.expansion'],
    ['200,000 open brackets', '['.repeat(200_000), 'yaml.too-deep'],
    ['100,000 nested sequences on a line', '- '.repeat(100_000), 'yaml.too-deep'],
    ['nested explicit keys', `${'? '.repeat(10_000)}a`, 'yaml.too-deep'],
    ['ever deeper maps', Array.from({ length: 500 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'), 'yaml.too-deep'],
    ['more than a megabyte', `a: ${'x'.repeat(1_100_000)}`, 'yaml.too-large'],
    ['too many tokens', 'a: b\n'.repeat(100_000), 'yaml.too-large'],
    ['several documents', 'a: 1\n---\nb: 2\n', 'yaml.several-documents'],
    ['no YAML', 'a: b: c', 'yaml.malformed'],
  ])('refuses %s within a second, naming the file', (_, text, code) => {
    const start = processorTime();
    expect(refusal(text)).toMatchObject({ code, member: 'Definitions/x.yaml' });
    expect(processorTime() - start).toBeLessThan(1_000);
  });

  test('says on which line', () => {
    expect(refusal('a: 1\nb:\n  c: d: e\n').message).toMatch(/^Definitions\/x.yaml: line 3, column 6:/);
  });

  test('takes what is as deep and as large as the limit', () => {
    const nested = `${'['.repeat(63)}${']'.repeat(63)}`;
    expect(parse(nested)).toHaveLength(1);
    expect(refusal(`[[${nested}]]`).code).toBe('yaml.too-deep');
    expect(refusal('[a, b, c, d]', { values: 3 }).code).toBe('yaml.expansion');
  });

  test('is stopped in a package, and the file is named', async () => {
    const read = async (name: string) => readVnfPackage(await csarOf(smallestPackage({ [name]: laughs(9) })));
    await expect(read('Definitions/top.yaml')).rejects.toMatchObject({ code: 'yaml.expansion', member: 'Definitions/top.yaml' });
    await expect(read('BaseHOT/default/top.yaml')).rejects.toMatchObject({
      code: 'yaml.expansion',
      member: 'BaseHOT/default/top.yaml',
    });
  });
});

describe('YAML of packages', () => {
  test('keeps scalars as they are written', () => {
    expect(parse('a: 1.0\nb: 0644\nc: on\nd: 2013-05-23\ne: !!int 7\nf: !vendor x\n')).toEqual({
      a: '1.0',
      b: '0644',
      c: 'on',
      d: '2013-05-23',
      e: '7',
      f: 'x',
    });
  });

  test('merges, and lets the last of two equal keys win, as the parsers that packages are written for', () => {
    expect(parse('base: &b {x: 1, y: 2}\nm:\n  <<: *b\n  y: 3\nk: 1\nk: 2\n')).toEqual({
      base: { x: '1', y: '2' },
      m: { x: '1', y: '3' },
      k: '2',
    });
  });

  test('takes a flow list that goes on in column 0, as ETSI wrote one', () => {
    expect(parse('a:\n  - values: [ one,\ntwo,\n  three ]\n  - b\n')).toEqual({ a: [{ values: ['one', 'two', 'three'] }, 'b'] });
  });

  test('a key named __proto__ is a key like any other', () => {
    const value = parse('__proto__: {polluted: yes}\n');
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});
