import { expect, it } from 'vitest';
import { memoryIn, memoryOf } from './private-memory.js';

it('private is what no other process has, swapped out or not; what is shared counts as resident', () => {
  const text = `55d0-7ffd ---p 00000000 00:00 0    [rollup]
Rss:               10240 kB
Pss:                6000 kB
Shared_Clean:       4096 kB
Private_Clean:      1024 kB
Private_Dirty:      5120 kB
Swap:               2048 kB
SwapPss:               0 kB
`;
  expect(memoryIn(text)).toEqual({ private: 8, resident: 10 });
});

it('reads what the kernel says of a process', () => {
  const { private: own, resident } = memoryOf(process.pid);
  expect(own).toBeGreaterThan(1);
  expect(resident).toBeGreaterThan(own / 2);
});
