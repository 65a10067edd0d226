import { describe, expect, it } from 'vitest';
import { limitsByPrefix } from '../engine/policy.js';
import { sequence } from '../plan/plan.js';
import { make, Stage } from '../testing/stage.js';

const limited = { limitOf: limitsByPrefix({ vim: 2, service: 5 }) };
const next = { worker: 'w1', actions: ['make@1'] };
const done = { kind: 'done' } as const;

const create = make('create', { limits: ['vim:a'] });
const read = make('read', { limits: ['vim:a'] });

/** Operations of which each has a step that is claimed. */
async function claimed(stage: Stage, ...ids: string[]): Promise<Stage> {
  for (const id of ids) await stage.begin(id);
  for (const operationId of ids) await stage.claim('create', { operationId });
  stage.wakeUps.length = 0;
  return stage;
}

const waits = (stage: Stage, operationId: string, epoch = 1) =>
  stage.coordinator.renew({ operationId, stepId: 'create', epoch, waits: true });
const claim = (stage: Stage, operationId: string, stepId = 'create') => stage.claim(stepId, { operationId });
const ended = (stage: Stage, operationId: string) =>
  stage.coordinator.result({ operationId, stepId: 'create', epoch: 1, outcome: done, next });
const inUse = async (stage: Stage) =>
  Object.fromEntries((await stage.journal.limitUse()).map(({ key, running }) => [key, running]));

describe('a step that says that it only waits', () => {
  it('leaves its places, and whoever was kept out is called and let in, however many wait', async () => {
    const stage = await claimed(Stage.of(create, limited), 'one', 'two', 'three');
    expect(await waits(stage, 'one')).toEqual({ verdict: 'journaled', leaseFor: stage.policy.lease });
    expect(stage.wakeUps).toMatchObject([{ operationId: 'three' }]);
    expect(await claim(stage, 'three')).toMatchObject({ granted: true });
    for (let n = 0; n < 20; n++) {
      const id = `more ${n}`;
      await stage.begin(id);
      for (const waiting of n === 0 ? ['two', 'three'] : [`more ${n - 1}`]) await waits(stage, waiting);
      expect(await claim(stage, id)).toMatchObject({ granted: true });
    }
    expect(await inUse(stage)).toEqual({ 'service:maker': 1, 'vim:a': 1 });
  });

  it('leaves each place once, however often it says so, and none when it ends', async () => {
    const stage = await claimed(Stage.of(create, limited), 'one', 'two', 'three', 'four');
    await waits(stage, 'one');
    expect(await claim(stage, 'three')).toMatchObject({ granted: true });
    await waits(stage, 'one');
    expect(await claim(stage, 'four')).toEqual({ granted: false, reason: 'limited' });
    await ended(stage, 'one');
    expect(await claim(stage, 'four')).toEqual({ granted: false, reason: 'limited' });
    await ended(stage, 'two');
    expect(await claim(stage, 'four')).toMatchObject({ granted: true });
  });

  it('holds its lease as any other, and takes a place again when another worker has it', async () => {
    const stage = await claimed(Stage.of(create, limited), 'one', 'two', 'three');
    await waits(stage, 'one');
    await claim(stage, 'three');
    await stage.pass(stage.policy.lease * 0.9);
    for (const operationId of ['two', 'three']) await stage.coordinator.renew({ operationId, stepId: 'create', epoch: 1 });
    await stage.pass(stage.policy.lease * 0.2);
    expect(stage.told).toEqual(['lost create 1 of w1']);
    expect(await claim(stage, 'one')).toEqual({ granted: false, reason: 'limited' });
    await ended(stage, 'two');
    expect(await claim(stage, 'one')).toMatchObject({ granted: true, claim: { epoch: 2, resumed: true } });
    expect(await inUse(stage)).toEqual({ 'service:maker': 2, 'vim:a': 2 });
    // What the one that was lost still says changes nothing.
    expect(await waits(stage, 'one', 1)).toMatchObject({ verdict: 'stale' });
    expect(await inUse(stage)).toEqual({ 'service:maker': 2, 'vim:a': 2 });
  });

  it('holds its places in the hands of a coordinator of the release before, which claims it and leaves the column as it is', async () => {
    const stage = await claimed(Stage.of(create, limited), 'one', 'two');
    await waits(stage, 'one');
    await stage.pass(stage.policy.lease + 1);
    const taken = stage.journal.step('one', 'create')!;
    Object.assign(taken, { state: 'running', epoch: 2, owner: 'w2', leaseUntil: new Date(stage.journal.now.getTime() + 10_000) });
    expect(taken.waitingEpoch).toBe(1);
    expect(await inUse(stage)).toMatchObject({ 'vim:a': 1 });
  });

  it('hears of a forceful cancel', async () => {
    const stage = await claimed(Stage.of(create, limited), 'one');
    await waits(stage, 'one');
    await stage.coordinator.cancel('one', 'FORCEFUL');
    expect(await waits(stage, 'one')).toMatchObject({ verdict: 'journaled', cancel: 'FORCEFUL' });
    await stage.say('create', { kind: 'cancelled', confirmed: true, detail: 'stopped' }, { operationId: 'one' });
    expect(stage.state('create', 'one')).toBe('undo ready');
    expect(await inUse(stage)).toMatchObject({ 'vim:a': 0 });
  });
});

describe('the answer to the result of a step that only waited', () => {
  const both = sequence(create, read);

  it('brings the next step where there is a place for it', async () => {
    const stage = await claimed(Stage.of(both, limited), 'one', 'two');
    await waits(stage, 'one');
    expect(await ended(stage, 'one')).toMatchObject({ next: { stepId: 'read', epoch: 1 } });
    expect(await inUse(stage)).toMatchObject({ 'vim:a': 2 });
    expect(stage.wakeUps).toEqual([]);
  });

  it('brings none where others have taken the places: it is called when one is free, and not before', async () => {
    const stage = await claimed(Stage.of(both, limited), 'one', 'two', 'three');
    await waits(stage, 'one');
    await claim(stage, 'three');
    stage.wakeUps.length = 0;
    expect(await ended(stage, 'one')).toEqual({ verdict: 'journaled' });
    expect(stage.step('read', 'one')).toMatchObject({ state: 'ready', blockedOn: 'vim:a' });
    expect(stage.wakeUps).toEqual([]);
    await waits(stage, 'two');
    expect(stage.wakeUps).toMatchObject([{ operationId: 'one', stepId: 'read' }]);
    expect(await claim(stage, 'one', 'read')).toMatchObject({ granted: true });
  });

  it('exceeds no limit where it shares its transaction with a claim of the same operation', async () => {
    const stage = Stage.of(sequence(create, read), { limitOf: limitsByPrefix({ vim: 1 }) });
    await claimed(stage, 'one');
    await waits(stage, 'one');
    const [first, again] = await Promise.all([ended(stage, 'one'), ended(stage, 'one')]);
    expect(first).toMatchObject({ next: { stepId: 'read' } });
    expect(again).toEqual(first);
    expect(await inUse(stage)).toMatchObject({ 'vim:a': 1 });
  });
});
