import { describe, expect, it } from 'vitest';
import { python, run } from './testing/script-world.js';

describe('scripts of packages', () => {
  it('are run by projects in turn: one that brings many keeps no other waiting', async () => {
    const ended: string[] = [];
    const ask = async (name: string): Promise<void> => {
      await run({ text: python('import time\ntime.sleep(1)\nreturn {}'), project: name.charAt(0) });
      ended.push(name);
    };
    await Promise.all(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1'].map(ask));
    expect(ended).toHaveLength(7);
    expect(ended.indexOf('b1')).toBeLessThan(ended.indexOf('a5'));
  });
});
