import { strToU8, zipSync, type Zippable } from 'fflate';
import { describe, expect, it } from 'vitest';
import { textsInZip } from './zip-texts.js';

const all = (): boolean => true;

describe('texts in a zip', () => {
  it.each([0, 6] as const)('are read, packed at level %i', (level) => {
    const zip = zipSync({ 'a.yaml': strToU8('a: ä'), 'b.png': strToU8('x') }, { level });
    expect([...textsInZip(zip, (name) => name.endsWith('.yaml'))]).toEqual([['a.yaml', 'a: ä']]);
  });

  it('are left out where they are longer than a megabyte, beyond a hundred, or packed in another way', () => {
    expect([...textsInZip(zipSync({ a: new Uint8Array(2_000_000), b: strToU8('b') }), all).keys()]).toEqual(['b']);
    const many: Zippable = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`${n}.yaml`, strToU8('a')]));
    expect(textsInZip(zipSync(many), all).size).toBe(100);
    const other = zipSync({ a: strToU8('a') });
    // The method, in the central directory: 46 bytes and the name before the end's 22.
    other[other.length - 22 - 1 - 46 + 10] = 14;
    expect(textsInZip(other, all).size).toBe(0);
  });

  it('are none of what is no zip, or is cut off', () => {
    expect(() => textsInZip(new Uint8Array(10), all)).toThrow('invalid zip data');
    expect(() => textsInZip(zipSync({ a: strToU8('a') }).slice(0, -1), all)).toThrow('invalid zip data');
  });
});
