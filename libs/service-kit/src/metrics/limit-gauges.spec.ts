import { Registry } from 'prom-client';
import { limitsByPrefix } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { limitGauges } from './limit-gauges.js';

const limitOf = limitsByPrefix({ vim: 2 });
const lines = async (registry: Registry): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith('windlass_'));

describe('the metrics of the limits', () => {
  it('tell for each key what runs, what waits, and the limit where there is one, from one reading', async () => {
    const registry = new Registry();
    let readings = 0;
    limitGauges(registry, limitOf, () => {
      readings += 1;
      return Promise.resolve([
        { key: 'service:infra-driver', running: 3, waiting: 0 },
        { key: 'vim:a', running: 2, waiting: 4 },
      ]);
    });
    expect(await lines(registry)).toEqual([
      'windlass_limit_running_steps{key="service:infra-driver"} 3',
      'windlass_limit_running_steps{key="vim:a"} 2',
      'windlass_limit_waiting_steps{key="service:infra-driver"} 0',
      'windlass_limit_waiting_steps{key="vim:a"} 4',
      'windlass_limit_steps{key="vim:a"} 2',
    ]);
    expect(readings).toBe(1);
  });

  it('forget a key that nothing runs under any more, and say nothing while the journal can’t be read', async () => {
    const registry = new Registry();
    const answers = [
      Promise.resolve([{ key: 'vim:a', running: 1, waiting: 0 }]),
      Promise.resolve([{ key: 'vim:b', running: 1, waiting: 0 }]),
    ];
    limitGauges(registry, limitOf, () => answers.shift() ?? Promise.reject(new Error('away')));
    expect(await lines(registry)).toContain('windlass_limit_running_steps{key="vim:a"} 1');
    expect((await lines(registry)).join('\n')).not.toContain('vim:a');
    expect(await lines(registry)).toEqual([]);
  });
});
