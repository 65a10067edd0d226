import { seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { expandInto } from '../worker/action.js';
import { parallel, sequence } from '../plan/plan.js';
import { make, Stage } from '../testing/stage.js';
import { limitsByPrefix } from './policy.js';

const numbered = (count: number, extra: Parameters<typeof make>[1] = {}) =>
  Array.from({ length: count }, (_, n) => make(`s${n}`, extra));

describe('a parallel part with a limit', () => {
  it('offers no more steps than that, the next when one has ended', async () => {
    const stage = Stage.of(parallel(numbered(5), { limit: 2 }));
    await stage.begin();
    expect(stage.ready()).toEqual(['s0', 's1']);
    await stage.run('s1');
    expect(stage.ready()).toEqual(['s0', 's2']);
    await stage.claim('s0');
    await stage.claim('s2');
    expect(stage.ready()).toEqual([]);
    await stage.say('s0', { kind: 'done' });
    expect(stage.ready()).toEqual(['s3']);
  });

  it('ends what it has begun before it begins more: a member goes on before the next one starts', async () => {
    const member = (id: string) => sequence(make(`${id}.drain`), make(`${id}.repair`));
    const stage = Stage.of(parallel([member('a'), member('b')], { limit: 1 }));
    await stage.begin();
    await stage.run('a.drain');
    expect(stage.ready()).toEqual(['a.repair']);
    await stage.run('a.repair');
    expect(stage.ready()).toEqual(['b.drain']);
  });

  it('counts a step that became a plan until that plan is done', async () => {
    const stage = Stage.of(parallel(numbered(2), { limit: 1 }));
    await stage.begin();
    await stage.run('s0', { kind: 'expand', plan: expandInto({ root: make('inner') }).plan });
    expect(stage.ready()).toEqual(['s0/inner']);
    await stage.run('s0/inner');
    expect(stage.ready()).toEqual(['s1']);
  });

  it('holds when it is undone, too', async () => {
    const stage = Stage.of(sequence(parallel(numbered(3), { limit: 1 }), make('last')));
    await stage.begin();
    for (const id of ['s0', 's1', 's2']) await stage.run(id);
    await stage.fail('last');
    await stage.coordinator.rollback('op');
    await stage.run('last');
    for (const left of [3, 2, 1]) {
      expect(stage.ready()).toHaveLength(1);
      await stage.run(stage.ready()[0]!);
      expect(stage.journal.steps.get('op')!.filter(({ phase, state }) => phase === 'undo' && state === 'done')).toHaveLength(
        5 - left,
      );
    }
    expect(stage.operation().status).toBe('rolled-back');
  });
});

describe('a limit over all operations', () => {
  const limited = { limitOf: limitsByPrefix({ host: 1, vim: 2 }) };

  it('keeps a claim out, wakes the one that waited when a place is free, and does not let it fail meanwhile', async () => {
    const stage = Stage.of(make('s', { limits: ['host:a'] }), { ...limited, dispatchWithin: seconds(60) });
    await stage.begin('one');
    await stage.begin('two');
    expect(await stage.claim('s', { operationId: 'one' })).toMatchObject({ granted: true });
    for (let waited = 0; waited < 100; waited += 5) {
      await stage.pass(seconds(5));
      await stage.coordinator.renew({ operationId: 'one', stepId: 's', epoch: 1 });
      expect(await stage.claim('s', { operationId: 'two' })).toEqual({ granted: false, reason: 'limited' });
    }
    stage.wakeUps.length = 0;
    await stage.say('s', { kind: 'done' }, { operationId: 'one' });
    expect(stage.wakeUps).toMatchObject([{ operationId: 'two', stepId: 's' }]);
    expect(await stage.claim('s', { operationId: 'two' })).toMatchObject({ granted: true });
  });

  it('calls everybody who waits where several places became free at once: whoever is let in calls the next', async () => {
    const stage = Stage.of(make('s', { limits: ['vim:a'] }), limited);
    for (const id of ['one', 'two', 'three', 'four']) await stage.begin(id);
    for (const operationId of ['one', 'two', 'three', 'four']) await stage.claim('s', { operationId });
    stage.wakeUps.length = 0;
    for (const operationId of ['one', 'two']) await stage.say('s', { kind: 'done' }, { operationId });
    expect(new Set(stage.wakeUps.map(({ operationId }) => operationId))).toEqual(new Set(['three']));
    stage.wakeUps.length = 0;
    expect(await stage.claim('s', { operationId: 'three' })).toMatchObject({ granted: true });
    expect(stage.wakeUps).toMatchObject([{ operationId: 'four' }]);
    stage.wakeUps.length = 0;
    expect(await stage.claim('s', { operationId: 'four' })).toMatchObject({ granted: true });
    expect(stage.wakeUps).toEqual([]);
  });

  it('calls nobody while it is reached, whoever is refused', async () => {
    const stage = Stage.of(make('s', { limits: ['host:a'] }), limited);
    for (const id of ['one', 'two', 'three']) await stage.begin(id);
    await stage.claim('s', { operationId: 'one' });
    stage.wakeUps.length = 0;
    for (const operationId of ['two', 'three'])
      expect(await stage.claim('s', { operationId })).toEqual({ granted: false, reason: 'limited' });
    expect(stage.wakeUps).toEqual([]);
  });

  it('frees the place of a lost worker', async () => {
    const stage = Stage.of(make('s', { limits: ['host:a'] }), limited);
    await stage.begin('one');
    await stage.begin('two');
    await stage.claim('s', { operationId: 'one' });
    await stage.claim('s', { operationId: 'two' });
    stage.wakeUps.length = 0;
    await stage.pass(stage.policy.lease + 1);
    expect(stage.wakeUps).toContainEqual(expect.objectContaining({ operationId: 'two' }));
    expect(await stage.claim('s', { operationId: 'two' })).toMatchObject({ granted: true });
  });

  it('counts by key, and a step with several keys needs a place in each', async () => {
    const stage = Stage.of(
      parallel([
        make('a', { limits: ['vim:1', 'host:x'] }),
        make('b', { limits: ['vim:1', 'host:x'] }),
        make('c', { limits: ['vim:1'] }),
        make('d', { limits: ['vim:1'] }),
        make('e', { limits: ['vim:2', 'free:1'] }),
      ]),
      limited,
    );
    await stage.begin();
    expect(await stage.claim('a')).toMatchObject({ granted: true });
    expect(await stage.claim('b')).toMatchObject({ reason: 'limited' });
    expect(await stage.claim('c')).toMatchObject({ granted: true });
    expect(await stage.claim('d')).toMatchObject({ reason: 'limited' });
    expect(await stage.claim('e')).toMatchObject({ granted: true });
  });

  it('may be a service’s: its steps count for it over all operations, those of others do not', async () => {
    const limitOf = limitsByPrefix({ 'service:maker': 1, service: 2 });
    const stage = Stage.of(parallel([make('a'), make('b', { service: 'breaker' }), make('c', { service: 'breaker' })]), {
      limitOf,
    });
    await stage.begin('one');
    await stage.begin('two');
    expect(await stage.claim('a', { operationId: 'one' })).toMatchObject({ granted: true });
    expect(await stage.claim('a', { operationId: 'two' })).toMatchObject({ reason: 'limited' });
    expect(await stage.claim('b', { operationId: 'one' })).toMatchObject({ granted: true });
    expect(await stage.claim('b', { operationId: 'two' })).toMatchObject({ granted: true });
    expect(await stage.claim('c', { operationId: 'two' })).toMatchObject({ reason: 'limited' });
    stage.wakeUps.length = 0;
    await stage.say('a', { kind: 'done' }, { operationId: 'one' });
    expect(stage.wakeUps).toMatchObject([{ operationId: 'two', stepId: 'a' }]);
  });
});
