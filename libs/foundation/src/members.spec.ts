import { describe, expect, it } from 'vitest';
import { mapMembers } from './members.js';

describe('the members of an object', () => {
  it('are mapped in their order, and left out where nothing is made of them', () => {
    const made = mapMembers({ b: 1, a: 2, c: 3 }, (member, name) => (name === 'a' ? undefined : `${name}${String(member)}`));
    expect(Object.entries(made)).toEqual([
      ['b', 'b1'],
      ['c', 'c3'],
    ]);
  });

  it('stay members whatever their name: none becomes the prototype', () => {
    const given = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":1}') as object;
    const made = mapMembers(given, (member) => member);
    expect(JSON.stringify(made)).toBe('{"__proto__":{"isAdmin":true},"constructor":1}');
    expect(made.isAdmin).toBeUndefined();
  });
});
