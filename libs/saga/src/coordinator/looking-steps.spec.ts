import { describe, expect, it } from 'vitest';
import { limitsByPrefix } from '../engine/policy.js';
import { sequence } from '../plan/plan.js';
import { make, once, Stage, terminal, transient } from '../testing/stage.js';

const limited = { limitOf: limitsByPrefix({ image: 1, vim: 2, service: 5 }) };
const share = make('share', { limits: ['image:a', 'vim:a'], traits: { undoable: false, look: { action: 'seek', version: 1 } } });
const NEWER = ['make@1', 'seek@1'];
const OLDER = ['make@1'];

/** Operations of which each has a step that looks before it works. */
async function begun(ids: string[], root = share as Parameters<typeof Stage.of>[0]): Promise<Stage> {
  const stage = Stage.of(root, limited);
  for (const id of ids) await stage.begin(id);
  return stage;
}

const claim = (stage: Stage, operationId: string, actions: string[], coordinator = stage.coordinator) => {
  const { epoch, service } = stage.step('share', operationId);
  return coordinator.claim({ operationId, stepId: 'share', epoch, service, worker: 'w1', actions });
};
const inUse = async (stage: Stage) =>
  Object.fromEntries((await stage.journal.limitUse()).map(({ key, running }) => [key, running]));
const LOOK = { granted: true, claim: { action: 'seek', version: 1, epoch: 1 } };
const WORK = { granted: true, claim: { action: 'make', version: 1, epoch: 2 } };
const LIMITED = { granted: false, reason: 'limited' };

describe('a step that looks before it works', () => {
  it('is given to a worker as its look, any number at once, beside one that works', async () => {
    const stage = await begun(['works', 'one', 'two', 'three']);
    await claim(stage, 'works', NEWER);
    await stage.say('share', { kind: 'released' }, { operationId: 'works' });
    expect(await claim(stage, 'works', NEWER)).toMatchObject(WORK);
    for (const id of ['one', 'two', 'three']) expect(await claim(stage, id, NEWER)).toMatchObject(LOOK);
    expect(await inUse(stage)).toMatchObject({ 'image:a': 1, 'vim:a': 1 });
    await stage.say('share', { kind: 'done', output: { id: 'x' } }, { operationId: 'one' });
    expect(stage.operation('one').status).toBe('completed');
    expect(await inUse(stage)).toMatchObject({ 'image:a': 1, 'vim:a': 1 });
  });

  it('that finds nothing is claimed again at once, works one at a time, and is called when the place is free', async () => {
    const stage = await begun(['one', 'two']);
    for (const id of ['one', 'two']) await claim(stage, id, NEWER);
    stage.wakeUps.length = 0;
    for (const operationId of ['one', 'two']) await stage.say('share', { kind: 'released' }, { operationId });
    expect(stage.wakeUps).toMatchObject([{ operationId: 'one' }, { operationId: 'two' }]);
    expect(await claim(stage, 'one', NEWER)).toMatchObject(WORK);
    expect(await claim(stage, 'two', NEWER)).toEqual(LIMITED);
    stage.wakeUps.length = 0;
    await stage.say('share', { kind: 'done' }, { operationId: 'one' });
    expect(stage.wakeUps).toMatchObject([{ operationId: 'two' }]);
    expect(await claim(stage, 'two', NEWER)).toMatchObject(WORK);
  });

  it('works under its place where its look failed, or the worker that looked was lost', async () => {
    const stage = await begun(['holds', 'failed', 'lost']);
    for (const id of ['holds', 'failed', 'lost']) await claim(stage, id, NEWER);
    await stage.say('share', { kind: 'released' }, { operationId: 'holds' });
    await stage.say('share', { kind: 'failed', error: transient, retry: { attempts: 3, backoff: 0 } }, { operationId: 'failed' });
    await stage.pass(stage.policy.lease + 1);
    expect(stage.told).toEqual(['lost share 1 of w1']);
    expect(await claim(stage, 'holds', NEWER)).toMatchObject(WORK);
    for (const id of ['failed', 'lost']) expect(await claim(stage, id, NEWER)).toEqual(LIMITED);
  });

  it('has done nothing, whatever its look failed with, until a claim of its own fails otherwise', async () => {
    const stage = await begun(['one']);
    const worked = () => stage.step('share', 'one').everClaimed;
    const retry = { attempts: 3, backoff: 0 };
    await claim(stage, 'one', NEWER);
    expect(worked()).toBe(true);
    await stage.say('share', { kind: 'failed', error: transient, retry }, { operationId: 'one' });
    expect(worked()).toBe(false);
    await claim(stage, 'one', NEWER);
    await stage.say('share', { kind: 'failed', error: { ...transient, nothingDone: true }, retry }, { operationId: 'one' });
    expect(worked()).toBe(false);
    await claim(stage, 'one', NEWER);
    await stage.say('share', { kind: 'failed', error: transient, retry }, { operationId: 'one' });
    expect(worked()).toBe(true);
  });

  it('takes a place from its first claim in the hands of a worker of the release before, which has no look', async () => {
    const stage = await begun(['one', 'two']);
    expect(await claim(stage, 'one', OLDER)).toMatchObject({ granted: true, claim: { action: 'make', epoch: 1 } });
    expect(await claim(stage, 'two', OLDER)).toEqual(LIMITED);
    expect(await claim(stage, 'two', NEWER)).toMatchObject(LOOK);
  });

  it('comes as its look with the answer to a result, and with the same answer once more', async () => {
    const stage = await begun(['one'], sequence(make('first'), share, make('last', { limits: ['vim:a'] })));
    await stage.claim('first', { operationId: 'one' });
    const result = (stepId: string) =>
      stage.coordinator.result({
        ...{ operationId: 'one', stepId, epoch: 1, outcome: { kind: 'done' } },
        next: { worker: 'w1', actions: NEWER },
      });
    const brought = { verdict: 'journaled', next: { stepId: 'share', action: 'seek', epoch: 1 } };
    expect(await result('first')).toMatchObject(brought);
    expect(await result('first')).toMatchObject(brought);
    expect(await inUse(stage)).toMatchObject({ 'image:a': 0, 'vim:a': 0 });
    // What follows a look takes a place.
    expect(await result('share')).toMatchObject({ next: { stepId: 'last', action: 'make' } });
    expect(await inUse(stage)).toMatchObject({ 'vim:a': 1 });
  });
});

describe('a step that looks behind the one that makes what it looks for', () => {
  const behind = make('share', {
    limits: ['image:a'],
    traits: { undoable: false, look: { action: 'seek', version: 1, behind: 'image:a' } },
  });

  /** The first holds the place, and the others have looked and wait for it. */
  async function waitingBehind(ids: string[]): Promise<Stage> {
    const stage = await begun(ids, behind);
    for (const operationId of ids) {
      await claim(stage, operationId, NEWER);
      await stage.say('share', { kind: 'released' }, { operationId });
      const first = operationId === ids[0];
      expect(await claim(stage, operationId, NEWER)).toMatchObject(first ? WORK : LIMITED);
    }
    stage.wakeUps.length = 0;
    return stage;
  }
  const done = { kind: 'done', output: { id: 'x' } } as const;
  const AGAIN = { granted: true, claim: { action: 'seek', version: 1, epoch: 2 } };

  it('is called with all others once that one is done, and looks again beside them, under no place', async () => {
    const stage = await waitingBehind(['works', 'one', 'two', 'three']);
    await stage.say('share', done, { operationId: 'works' });
    expect(stage.wakeUps.map(({ operationId }) => operationId)).toEqual(['one', 'two', 'three']);
    stage.wakeUps.length = 0;
    for (const id of ['one', 'two', 'three']) expect(await claim(stage, id, NEWER)).toMatchObject(AGAIN);
    expect(await inUse(stage)).toMatchObject({ 'image:a': 0 });
    for (const operationId of ['one', 'two', 'three']) await stage.say('share', done, { operationId });
    for (const id of ['one', 'two', 'three']) expect(stage.operation(id).status).toBe('completed');
    expect(stage.wakeUps).toEqual([]);
  });

  it('is called alone where that one has failed, finds nothing, and takes its place; the others go on waiting', async () => {
    const stage = await waitingBehind(['works', 'one', 'two']);
    const failed = { kind: 'failed', error: terminal, retry: once } as const;
    await stage.say('share', failed, { operationId: 'works' });
    expect(stage.wakeUps).toMatchObject([{ operationId: 'one' }]);
    expect(await claim(stage, 'one', NEWER)).toMatchObject(AGAIN);
    await stage.say('share', { kind: 'released' }, { operationId: 'one' });
    expect(await claim(stage, 'one', NEWER)).toMatchObject({ granted: true, claim: { action: 'make', epoch: 3 } });
    expect(await claim(stage, 'two', NEWER)).toMatchObject(AGAIN);
    await stage.say('share', { kind: 'released' }, { operationId: 'two' });
    expect(await claim(stage, 'two', NEWER)).toEqual(LIMITED);
    stage.wakeUps.length = 0;
    await stage.say('share', done, { operationId: 'one' });
    expect(stage.wakeUps).toMatchObject([{ operationId: 'two', epoch: 2 }]);
  });

  it('leaves nobody waiting where its look behind the place fails, or its worker is lost', async () => {
    for (const ends of [
      (stage: Stage) => stage.say('share', { kind: 'failed', error: terminal, retry: once }, { operationId: 'one' }),
      (stage: Stage) => stage.pass(stage.policy.lease + 1),
    ]) {
      const stage = await waitingBehind(['works', 'one', 'two']);
      await stage.say('share', { kind: 'failed', error: terminal, retry: once }, { operationId: 'works' });
      await claim(stage, 'one', NEWER);
      stage.wakeUps.length = 0;
      await ends(stage);
      expect(stage.wakeUps).toContainEqual(expect.objectContaining({ operationId: 'two' }));
    }
  });

  it('is not given as its look once it was lost, but under its quarantine', async () => {
    const stage = await waitingBehind(['works', 'one']);
    await stage.say('share', { kind: 'failed', error: terminal, retry: once }, { operationId: 'works' });
    await claim(stage, 'one', NEWER);
    await stage.pass(stage.policy.lease + 1);
    expect(stage.step('share', 'one')).toMatchObject({ losses: 1, state: 'ready' });
    expect(await claim(stage, 'one', NEWER)).toMatchObject({ granted: true, claim: { action: 'make' } });
  });

  it('takes the place in the hands of a worker of the release before', async () => {
    const stage = await waitingBehind(['works', 'one', 'two']);
    await stage.say('share', done, { operationId: 'works' });
    expect(await claim(stage, 'one', OLDER)).toMatchObject({ granted: true, claim: { action: 'make', epoch: 2 } });
    expect(await claim(stage, 'two', OLDER)).toEqual(LIMITED);
  });

  it('keeps its place while it only waits: who holds none is told from a look by that', async () => {
    const stage = await waitingBehind(['works', 'one']);
    await stage.coordinator.renew({ operationId: 'works', stepId: 'share', epoch: 2, waits: true });
    expect(await inUse(stage)).toMatchObject({ 'image:a': 1 });
    expect(stage.wakeUps).toEqual([]);
    expect(await claim(stage, 'one', NEWER)).toMatchObject(AGAIN);
  });

  it('is called later, by those that have looked, where more wait than are called together', async () => {
    const ids = Array.from({ length: 300 }, (_, n) => `op${n}`);
    const stage = await waitingBehind(ids);
    await stage.say('share', done, { operationId: 'op0' });
    expect(stage.wakeUps).toHaveLength(256);
    for (let called = stage.wakeUps.shift(); called !== undefined; called = stage.wakeUps.shift()) {
      const { operationId } = called;
      if (stage.operation(operationId).status === 'completed') continue;
      expect(await claim(stage, operationId, NEWER)).toMatchObject(AGAIN);
      await stage.say('share', done, { operationId });
    }
    expect(ids.filter((id) => stage.operation(id).status !== 'completed')).toEqual([]);
  });
});
