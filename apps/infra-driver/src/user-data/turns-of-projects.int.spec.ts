import { describe, expect, it } from 'vitest';
import { python, run } from './testing/script-world.js';

describe('scripts of packages', () => {
  it('are run by projects in turn: one that brings many keeps no other waiting', async () => {
    const ended: string[] = [];
    const ask = async (name: string): Promise<void> => {
      await run({ text: python('import time\ntime.sleep(1)\nreturn {}'), project: name.charAt(0) });
      ended.push(name);
    };
    const many = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8'].map(ask);
    // All others wait by then, in whatever order they came to the queue.
    await Promise.race(many);
    await Promise.all([...many, ask('b1')]);
    expect(ended).toHaveLength(9);
    // Two run at a time: who came last is served when one of these has ended.
    expect(ended.indexOf('b1'), ended.join(' ')).toBeLessThan(6);
  });
});
