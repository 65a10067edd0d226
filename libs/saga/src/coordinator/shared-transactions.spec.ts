import { TransientError } from '@windlass/foundation';
import { describe, expect, it, vi } from 'vitest';
import { parallel, type PlanNode } from '../plan/plan.js';
import { make, Stage } from '../testing/stage.js';

const IDS = ['a', 'b', 'c', 'd', 'e'];

const sideBySide = (extra: Parameters<typeof make>[1] = {}): PlanNode => parallel(IDS.map((id) => make(id, extra)));

/** Counts transactions of the journal from here on. */
const transactionsOf = ({ journal }: Stage) => vi.spyOn(journal, 'transact');

describe('requests about one operation that come together', () => {
  it('share a transaction: claims, then results, of five steps are two each, the first alone', async () => {
    const stage = Stage.of(sideBySide());
    await stage.begin();
    const transactions = transactionsOf(stage);
    const replies = await Promise.all(IDS.map((id) => stage.claim(id)));
    expect(replies.map(({ granted }) => granted)).toEqual(IDS.map(() => true));
    expect(transactions).toHaveBeenCalledTimes(2);
    expect(await Promise.all(IDS.map((id) => stage.say(id, { kind: 'done', output: id })))).toEqual(IDS.map(() => 'journaled'));
    expect(transactions).toHaveBeenCalledTimes(4);
    expect(stage.operation().status).toBe('completed');
  });

  it('are answered when the transaction is committed, and none of them when it is not', async () => {
    const stage = Stage.of(sideBySide());
    await stage.begin();
    stage.journal.atCommit = () => {
      throw new TransientError('test.away', 'the database is away');
    };
    const answers = await Promise.allSettled(IDS.map((id) => stage.claim(id)));
    expect(answers.map(({ status }) => status)).toEqual(IDS.map(() => 'rejected'));
    expect(stage.ready()).toEqual(IDS);
  });

  it('do not run more steps than a limit allows, counted before as after one another', async () => {
    const stage = Stage.of(sideBySide({ limits: ['vim:x'] }), { limitOf: () => 2 });
    await stage.begin();
    const replies = await Promise.all(IDS.map((id) => stage.claim(id)));
    expect(replies.map((reply) => (reply.granted ? 'granted' : reply.reason))).toEqual([
      ...['granted', 'granted'],
      ...['limited', 'limited', 'limited'],
    ]);
    const [, , next] = await Promise.all([stage.say('a', { kind: 'done' }), stage.say('b', { kind: 'done' }), stage.claim('c')]);
    expect([stage.state('a'), stage.state('b')]).toEqual(['do done', 'do done']);
    expect(next.granted).toBe(true);
  });

  it('do not fail by one of them: the others are done as if it had not come', async () => {
    const stage = Stage.of(sideBySide());
    await stage.begin();
    // Nothing that a worker of ours says: the machine throws.
    const broken = { kind: 'failed', error: null, retry: null } as never;
    await Promise.all(IDS.map((id) => stage.claim(id)));
    const answers = await Promise.allSettled(IDS.map((id) => stage.say(id, id === 'c' ? broken : { kind: 'done' })));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(IDS.map((id) => stage.state(id))).toEqual(['do done', 'do done', 'do running', 'do done', 'do done']);
  });

  it('keep what the first of two results of a claim has brought', async () => {
    const stage = Stage.of(sideBySide());
    await stage.begin();
    await Promise.all(IDS.map((id) => stage.claim(id)));
    const said = await Promise.all([
      stage.say('a', { kind: 'done' }),
      stage.say('b', { kind: 'done', output: 'first' }),
      stage.say('b', { kind: 'done', output: 'second' }),
    ]);
    expect(said).toEqual(['journaled', 'journaled', 'journaled']);
    expect(stage.journal.payloads.get('op b output')).toBe('first');
  });

  it('are claimed alone where a step’s worker was lost before, since its process is locked before limits are', async () => {
    const stage = Stage.of(sideBySide());
    await stage.begin();
    await stage.claim('b');
    await stage.pass(stage.policy.lease + 1);
    await stage.pass(stage.policy.lease + 1);
    expect(stage.step('b').losses).toBe(1);
    const replies = await Promise.all(IDS.map((id) => stage.claim(id)));
    expect(replies.map(({ granted }) => granted)).toEqual(IDS.map(() => true));
  });
});
