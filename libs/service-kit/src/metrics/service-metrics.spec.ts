import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { lateness, ServiceMetrics } from './service-metrics.js';

it('the lag of the event loop is what a look came late, and none where it came in its time', () => {
  expect([100_000_000, 99_000_000, 350_000_000].map(lateness)).toEqual([0, 0, 0.25]);
});

it('the lag of the event loop tells of work that let nothing else run', async () => {
  const metrics = new ServiceMetrics('echo', '1.0.0', () => Promise.resolve({ ready: true, checks: {} }));
  try {
    await pause(150);
    // Nothing of this process runs meanwhile. A look is due a tenth of a second after its beginning at the latest.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    await pause(150);
    const { text } = await metrics.text();
    const longest = /windlass_event_loop_lag_seconds\{quantile="1",service="echo"\} ([0-9.]+)/.exec(text)?.[1];
    expect(Number(longest)).toBeGreaterThan(0.25);
  } finally {
    metrics.stop();
  }
});
