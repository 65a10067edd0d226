import { describe, expect, it } from 'vitest';
import { longestChain } from './longest-chain.js';

describe('the longest chain of steps', () => {
  it('is what no engine can be quicker than: the way through each step that waits for the longest before it', () => {
    const steps = [
      { id: 'look', deps: [], takes: 1 },
      { id: 'worker', deps: ['look'], takes: 5 },
      { id: 'master', deps: ['look'], takes: 3 },
      { id: 'init', deps: ['master'], takes: 4 },
      { id: 'join', deps: ['worker', 'init'], takes: 2 },
    ];
    expect(longestChain(steps)).toBe(10);
    expect(longestChain([...steps].reverse())).toBe(10);
  });

  it('takes no time for what is not among the steps, and none where there are none', () => {
    expect(longestChain([{ id: 'one', deps: ['elsewhere'], takes: 2 }])).toBe(2);
    expect(longestChain([])).toBe(0);
  });
});
