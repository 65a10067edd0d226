import { crashSuite } from '@windlass/driver-kit/testing';
import { expect } from 'vitest';
import { bench } from '../testing/bench.js';

crashSuite('an installation', {
  bench: (points) => bench({ workers: 1, ...points }),
  stands: ({ world, vims }) => {
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31']);
    expect(vims.vims.size).toBe(1);
    expect([...world.pods.pods.keys()], 'pods of the verification').toEqual([]);
    expect(world.tokens.size, 'tokens that a node could join with').toBe(0);
  },
});
