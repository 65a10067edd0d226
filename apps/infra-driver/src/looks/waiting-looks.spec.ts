import { describe, expect, it } from 'vitest';
import { WaitingLooks } from './waiting-looks.js';

const VIM = 'https://keystone:5000/v3';

/** Looks that end when they are let. */
function looking(looks: WaitingLooks) {
  const open: (() => void)[] = [];
  let most = 0;
  const look = () =>
    new Promise<void>((resolve) => {
      open.push(resolve);
      most = Math.max(most, open.length);
    });
  const take = (tenant: string, url = VIM, signal = new AbortController().signal) => looks.take({ tenant, signal }, url, look);
  const endOne = async (): Promise<void> => {
    open.shift()?.();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { take, endOne, open, most: () => most };
}

describe('looks of runs that only wait', () => {
  it('are a few at once at a VIM, however many wait, and all get their turn', async () => {
    const looks = new WaitingLooks(2);
    const { take, endOne, open, most } = looking(looks);
    const all = Array.from({ length: 20 }, () => take('a'));
    for (let n = 0; n < 20; n++) await endOne();
    await Promise.all(all);
    expect(most()).toBe(2);
    expect(open).toEqual([]);
    expect(looks.vims).toBe(0);
  });

  it('of one tenant and at one VIM hold up no other’s: a VIM that does not answer is its own users’ matter', () => {
    const { take, open } = looking(new WaitingLooks(1));
    void take('a');
    void take('a');
    void take('b');
    void take('a', 'https://elsewhere:5000/v3');
    expect(open).toHaveLength(3);
  });

  it('end with their run while they wait for a turn, and the turn goes to the next', async () => {
    const { take, endOne, open } = looking(new WaitingLooks(1));
    const first = take('a');
    const stop = new AbortController();
    const second = take('a', VIM, stop.signal);
    const third = take('a');
    stop.abort(new Error('cancelled'));
    await expect(second).rejects.toThrow('cancelled');
    await endOne();
    await first;
    expect(open).toHaveLength(1);
    await endOne();
    await third;
  });

  it('that fail leave their turn', async () => {
    const looks = new WaitingLooks(1);
    const run = { tenant: 'a', signal: new AbortController().signal };
    await expect(looks.take(run, VIM, () => Promise.reject(new Error('503')))).rejects.toThrow('503');
    await expect(looks.take(run, VIM, () => Promise.resolve('seen'))).resolves.toBe('seen');
    expect(looks.vims).toBe(0);
  });
});
