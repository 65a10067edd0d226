import { minutes, seconds } from '@windlass/foundation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../coordinator/messages.js';
import { make, Stage } from '../testing/stage.js';
import { Processes, type Work } from '../testing/processes.js';
import { RandomTape } from '../testing/random-world.js';
import { defaultPolicy } from './policy.js';
import { maxQuarantinedTogether, mayRunTogether } from './quarantine.js';

const neighbours = (count: number): string[] => Array.from({ length: count }, (_, n) => `neighbour-${n}`);

const takes = (time: number): Work => ({ kind: 'takes', time });

/** One step an operation; the one called `poison` ends whatever process has it. */
async function stageOf(count: number, maxLosses = defaultPolicy.maxLosses): Promise<Stage> {
  const stage = Stage.of(make('s'), { maxLosses });
  for (const id of ['poison', ...neighbours(count)]) await stage.begin(id);
  return stage;
}

const standing = (stage: Stage): string[] =>
  [...stage.journal.operations.values()].filter(({ status }) => status === 'suspended').map(({ id }) => id);

describe('a step that ends its process', () => {
  it('takes no neighbour along: whatever ran beside it, in whatever order, it alone is set aside', async () => {
    const world = fc.record({
      seed: fc.integer(),
      count: fc.integer({ min: 1, max: 20 }),
      processes: fc.integer({ min: 1, max: 3 }),
      maxLosses: fc.integer({ min: 2, max: 5 }),
      longest: fc.integer({ min: 1, max: 40 }),
      fuse: fc.integer({ min: 0, max: 15 }),
    });
    await fc.assert(
      fc.asyncProperty(world, async ({ seed, count, processes, maxLosses, longest, fuse }) => {
        const stage = await stageOf(count, maxLosses);
        const tape = new RandomTape(seed);
        const workOf = ({ operationId }: Claim): Work =>
          operationId === 'poison'
            ? { kind: 'poison', fuse: tape.below(seconds(fuse) + 1) }
            : takes(seconds(1 + tape.below(longest)));
        const world = new Processes(stage, tape, workOf, processes);
        await world.settle(minutes(60));
        expect(standing(stage)).toEqual(['poison']);
        expect(stage.operation('poison').failure?.code).toBe('step.poison');
        expect(world.deaths).toBe(maxLosses);
      }),
      { numRuns: 150 },
    );
  });

  it('is set aside by losses of its own, and a neighbour that was lost with it counts anew after its result', async () => {
    const stage = await stageOf(1, 3);
    const claim = (operationId: string, epoch: number, worker: string) =>
      stage.coordinator.claim({ operationId, stepId: 's', epoch, service: 'maker', worker, actions: ['make@1'] });
    await claim('poison', 0, 'maker@host:1');
    await claim('neighbour-0', 0, 'maker@host:1');
    await stage.pass(stage.policy.lease + 1);
    await claim('poison', 1, 'maker@host:2');
    await claim('neighbour-0', 1, 'maker@host:2');
    await stage.pass(stage.policy.lease + 1);
    // Both are at their last chance: not in one process, and not beside anybody who was lost before.
    expect(await claim('neighbour-0', 2, 'maker@host:3')).toMatchObject({ granted: true });
    expect(await claim('poison', 2, 'maker@host:3')).toEqual({ granted: false, reason: 'limited' });
    expect(stage.step('s', 'poison').blockedOn).toBe('suspects:host:3');
    stage.wakeUps.length = 0;
    await stage.say('s', { kind: 'failed', error: busy, retry: { attempts: 2, backoff: 0 } }, { operationId: 'neighbour-0' });
    expect(stage.step('s', 'neighbour-0')).toMatchObject({ state: 'ready', losses: 0 });
    expect(stage.wakeUps).toContainEqual(expect.objectContaining({ operationId: 'poison' }));
    expect(await claim('poison', 2, 'maker@host:3')).toMatchObject({ granted: true });
    // Who was never lost is kept out by nothing.
    expect(await claim('neighbour-0', 3, 'maker@host:3')).toMatchObject({ granted: true });
    await stage.pass(stage.policy.lease + 1);
    expect(standing(stage)).toEqual(['poison']);
    expect(stage.step('s', 'neighbour-0')).toMatchObject({ state: 'ready', losses: 1 });
  });

  it('falls with all services of its process: they are told by what comes after the @', async () => {
    const stage = await stageOf(2, 2);
    const claim = (operationId: string, epoch: number, worker: string) =>
      stage.coordinator.claim({ operationId, stepId: 's', epoch, service: 'maker', worker, actions: ['make@1'] });
    for (const id of ['poison', 'neighbour-0', 'neighbour-1']) await claim(id, 0, 'maker@host:1');
    await stage.pass(stage.policy.lease + 1);
    expect(await claim('poison', 1, 'maker@host:2')).toMatchObject({ granted: true });
    expect(await claim('neighbour-0', 1, 'other@host:2')).toMatchObject({ granted: false, reason: 'limited' });
    expect(await claim('neighbour-1', 1, 'maker@host:3')).toMatchObject({ granted: true });
    // Its process dies: whoever waited for it gets a wake-up.
    stage.journal.pass(stage.policy.lease / 2);
    await stage.coordinator.renew({ operationId: 'neighbour-1', stepId: 's', epoch: 2 });
    stage.wakeUps.length = 0;
    await stage.pass(stage.policy.lease / 2 + 1);
    expect(stage.wakeUps).toContainEqual(expect.objectContaining({ operationId: 'neighbour-0' }));
  });
});

describe('steps that were lost with their process', () => {
  /** How long it takes until all are done, when the only process is killed while all run; and without the rule. */
  async function recovery(kills: number, maxLosses: number): Promise<number> {
    const stage = Stage.of(make('s'), { maxLosses });
    for (const id of neighbours(50)) await stage.begin(id);
    const world = new Processes(stage, new RandomTape(1), () => takes(seconds(60)), 1);
    for (let killed = 0; killed < kills; killed++) {
      while (world.running < 50) await world.tick();
      world.kill();
    }
    return world.settle(minutes(120));
  }

  it('go on as fast as they ever did after one kill and after two: fifty of a minute each take a minute and the lease', async () => {
    for (const kills of [1, 2]) {
      const took = await recovery(kills, defaultPolicy.maxLosses);
      expect(took).toBe(await recovery(kills, Number.POSITIVE_INFINITY));
      expect(took).toBeLessThanOrEqual(seconds(60 + 15));
    }
  });

  it('are told apart by halves and eighths, not one by one, when their process dies again and again', async () => {
    const stage = await stageOf(49);
    const workOf = ({ operationId }: Claim): Work =>
      operationId === 'poison' ? { kind: 'poison', fuse: seconds(5) } : takes(seconds(60));
    const took = await new Processes(stage, new RandomTape(1), workOf, 1).settle(minutes(60));
    expect(standing(stage)).toEqual(['poison']);
    // Seven rounds of eight at most, and those eight one after the other: not fifty.
    expect(took).toBeLessThanOrEqual(minutes(7 + 8 + 2));
  });
});

describe('how many quarantined steps may run together', () => {
  it('is none at its last chance, and eight times as much with each loss less', () => {
    expect([4, 3, 2, 1].map((losses) => maxQuarantinedTogether(losses, 5))).toEqual([1, 8, 64, 512]);
    expect(maxQuarantinedTogether(3, Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is decided by the one of them that is nearest to being set aside', () => {
    expect(mayRunTogether(4, [], 5)).toBe(true);
    expect(mayRunTogether(4, [1], 5)).toBe(false);
    expect(mayRunTogether(1, [4], 5)).toBe(false);
    expect(mayRunTogether(3, [1, 1, 2, 3, 1, 1, 1], 5)).toBe(true);
    expect(mayRunTogether(1, [1, 1, 2, 3, 1, 1, 1, 1], 5)).toBe(false);
  });
});

const busy = { kind: 'transient', code: 'test.busy', detail: 'it is busy', status: 503 } as const;
