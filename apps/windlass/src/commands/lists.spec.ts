import { describe, expect, test } from 'vitest';
import { byStart } from './op.js';
import { vimNamed } from './vim.js';

describe('what lists are asked for', () => {
  test('operations come in the order in which they began, the newest last', () => {
    const at = (id: string, startTime: string) => ({ id, startTime });
    const listed = [at('c', '2026-01-01T10:00:00Z'), at('a', '2026-01-01T08:00:00.5Z'), at('b', '2026-01-01T10:30:00+01:00')];
    expect(byStart(listed).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  test('a VIM is found by its id, or by a name that it has alone', () => {
    const vims = [
      { id: '1', name: 'edge' },
      { id: '2', name: 'core' },
      { id: '3', name: 'core' },
      { id: 'edge', name: 'other' },
    ];
    expect(vimNamed(vims, 'edge')).toBe(vims[3]);
    expect(vimNamed(vims, 'other')).toBe(vims[3]);
    expect(() => vimNamed(vims, 'core')).toThrow(/several/);
    expect(() => vimNamed(vims, 'nowhere')).toThrow(/no VIM has.*vim list/);
  });
});
