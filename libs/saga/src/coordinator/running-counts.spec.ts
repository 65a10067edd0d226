import { describe, expect, it } from 'vitest';
import { SagaGraph } from '../engine/graph.js';
import type { StepRecord } from '../engine/records.js';
import { newStep } from '../engine/step-records.js';
import { compilePlan } from '../plan/compile.js';
import { parallel } from '../plan/plan.js';
import { make } from '../testing/stage.js';
import type { WantedPlaces } from '../ports.js';
import { RunningCounts } from './running-counts.js';

/** Three steps under `vim:a`, the first of which runs, and what is asked of a journal in which `others` run beside. */
function counting(others: number) {
  const plan = compilePlan({ root: parallel(['a', 'b', 'c'].map((id) => make(id, { limits: ['vim:a', 'free:a'] }))) });
  const steps: StepRecord[] = plan.steps.map((compiled, seq) => newStep('op', seq, compiled));
  steps[0]!.state = 'running';
  const asked: WantedPlaces[][] = [];
  const countRunning = (wanted: readonly WantedPlaces[]) => {
    asked.push([...wanted]);
    return Promise.resolve(new Map(wanted.map(({ key }) => [key, others + 1])));
  };
  const limitOf = (key: string) => (key.startsWith('vim:') ? 5 : undefined);
  return { steps, asked, counts: new RunningCounts({ countRunning }, new SagaGraph(steps), limitOf) };
}

describe('what runs under limits while a transaction moves steps', () => {
  it('is asked once for all claims to come, a place for each, and of limits only', async () => {
    const { counts, asked } = counting(2);
    await counts.expect(['vim:a', 'free:a', 'vim:a']);
    for (const _claim of [1, 2]) expect(await counts.of(['vim:a', 'free:a'])).toEqual(new Map([['vim:a', 3]]));
    expect(asked).toEqual([[{ key: 'vim:a', limit: 5, places: 2 }]]);
  });

  it('has what the transaction itself began and ended', async () => {
    const { counts, steps } = counting(2);
    await counts.expect(['vim:a', 'vim:a', 'vim:a']);
    steps[1]!.state = 'running';
    expect(await counts.of(['vim:a'])).toEqual(new Map([['vim:a', 4]]));
    steps[0]!.state = steps[1]!.state = 'done';
    expect(await counts.of(['vim:a'])).toEqual(new Map([['vim:a', 2]]));
  });

  it('is asked anew for a claim that nobody expected: no place was kept for it', async () => {
    const { counts, asked, steps } = counting(2);
    await counts.of(['vim:a']);
    steps[0]!.state = 'done';
    steps[1]!.state = 'running';
    expect(await counts.of(['vim:a'])).toEqual(new Map([['vim:a', 3]]));
    expect(asked.map(([wanted]) => wanted?.places)).toEqual([1, 1]);
  });
});
