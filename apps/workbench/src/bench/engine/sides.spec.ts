import { describe, expect, it } from 'vitest';
import { nodeOptionsOf } from '../../commands/node-options.js';
import { sidesOf } from './engine-bench.js';

const here = { home: '/here' };
const plain = { home: '/here', replicas: undefined, nodeOptions: undefined };

describe('what `bench engine` measures in turns', () => {
  it('is this checkout alone, as it is started', () => {
    expect(sidesOf(here, {})).toEqual([{ name: 'this', ...plain }]);
  });

  it.each([{ replicas: 3 }, { nodeOptions: '--max-semi-space-size=4' }])('is this checkout with %j, and without', (asked) => {
    expect(sidesOf(here, asked)).toEqual([
      { name: 'this', ...plain, ...asked },
      { name: 'before', ...plain },
    ]);
  });

  it('is another checkout, of which the same is asked', () => {
    const asked = { nodeOptions: '--max-semi-space-size=4' };
    const [, before] = sidesOf(here, { ...asked, before: '/there' });
    expect(before).toEqual({ name: 'before', ...plain, ...asked, home: '/there' });
  });
});

describe('options of Node.js for services', () => {
  it('are those that Node.js takes from NODE_OPTIONS, and others are refused in its words', () => {
    expect(nodeOptionsOf('--max-semi-space-size=4')).toBe('--max-semi-space-size=4');
    expect(() => nodeOptionsOf('--optimize-for-size')).toThrow('--optimize-for-size is not allowed in NODE_OPTIONS');
  });
});
