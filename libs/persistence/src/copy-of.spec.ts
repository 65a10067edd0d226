import { describe, expect, it } from 'vitest';
import { copyOf } from './copy-of.js';

describe('a copy of a record', () => {
  const record = () => ({
    id: 'a',
    at: new Date(1_764_000_000_000),
    none: undefined,
    nothing: null,
    params: JSON.parse('{"__proto__": {"admin": true}, "constructor": "x", "list": [1, {"deep": ["y"]}]}') as Record<
      string,
      unknown
    >,
  });

  it('is what structuredClone makes of it', () => {
    const copy = copyOf(record());
    expect(copy).toStrictEqual(structuredClone(record()));
    expect(Object.keys(copy)).toEqual(Object.keys(record()));
  });

  it('keeps a member that is named __proto__, which gives the copy no other prototype', () => {
    const { params } = copyOf(record());
    expect(JSON.stringify(params)).toBe(JSON.stringify(record().params));
    expect(Object.getPrototypeOf(params)).toBe(Object.prototype);
    expect(params.admin).toBeUndefined();
  });

  it('shares nothing with it that could be changed', () => {
    const [one, kept] = [record(), record()];
    const copy = copyOf(one);
    copy.at.setTime(0);
    (copy.params.list as unknown[]).push('more');
    ((copy.params.list as { deep: unknown[] }[])[1]?.deep ?? []).push('z');
    expect(one).toStrictEqual(kept);
  });
});
