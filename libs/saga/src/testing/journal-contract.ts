import { describe, expect, it } from 'vitest';
import { Coordinator } from '../coordinator/coordinator.js';
import type { WorkerOutcome } from '../coordinator/messages.js';
import { defaultPolicy, type EnginePolicy } from '../engine/policy.js';
import { compilePlan } from '../plan/compile.js';
import { parallel, sequence, type Plan, type StepNode } from '../plan/plan.js';
import { outputOf } from '../plan/refs.js';
import type { AwaitedTime, WakeUp, Journal, OperationOwner } from '../ports.js';
import { unbounded } from './unbounded.js';

/** A journal under test, with what the contract needs around it. */
export interface JournalUnderTest {
  journal: Journal;
  /** Records an accepted operation. Returns the operation's id. */
  accept(): Promise<string>;
  /** Moves the end of every lease and every wake-up of the operation back, by an hour unless given, as if so much time had passed. */
  age(operationId: string, by?: number): Promise<void>;
  /** The kept payloads of the operation, as `<step> <kind>`. */
  payloads(operationId: string): Promise<string[]>;
}

const HOUR = 3_600_000;

const busy = { kind: 'transient', code: 'test.busy', detail: 'it is busy', status: 503 } as const;

const leftOf = ({ now, times: [time] }: { now: Date; times: AwaitedTime[] }): number =>
  (time?.at.getTime() ?? Number.NaN) - now.getTime();

const step = (id: string, extra: Partial<StepNode> = {}): StepNode => ({
  kind: 'step',
  id,
  action: 'make',
  version: 1,
  service: 'maker',
  input: { name: id },
  ...extra,
});

/** The contract of every journal: the one in memory and PostgreSQL's. */
export function describeJournal(name: string, make: () => JournalUnderTest): void {
  const two: Plan = {
    root: sequence(step('one', { limits: ['vim:a'] }), step('two', { input: { of: outputOf('one', '/made') } })),
  };
  const setUp = (plan: Plan = two, policy: Partial<EnginePolicy> = {}) => {
    const under = make();
    const wakeUps: WakeUp[] = [];
    const owner: OperationOwner = {
      ...unbounded,
      plan: () => Promise.resolve(compilePlan(plan)),
      source: () => Promise.resolve(undefined),
      runInline: () => Promise.resolve(undefined),
      moved: () => Promise.resolve(),
    };
    const ports = {
      journal: under.journal,
      owner,
      policy: { ...defaultPolicy, ...policy },
      wakeUpSender: { notify: (notified: readonly WakeUp[]) => Promise.resolve(void wakeUps.push(...notified)) },
    };
    const claim = (coordinator: Coordinator, wakeUp: WakeUp, worker = 'w') =>
      coordinator.claim({ ...wakeUp, worker, actions: ['make@1'] });
    return { ...under, wakeUps, claim, coordinator: new Coordinator(ports), other: new Coordinator(ports) };
  };

  describe(`the journal in ${name}`, () => {
    it('carries a two-step operation to its end, the second step fed by the first', async () => {
      const { accept, coordinator, wakeUps, claim, journal } = setUp();
      const id = await accept();
      await coordinator.begin(id);
      const first = await claim(coordinator, wakeUps.shift()!);
      expect(first).toMatchObject({ granted: true, claim: { stepId: 'one', epoch: 1, attempt: 1, input: { name: 'one' } } });
      await coordinator.result({ operationId: id, stepId: 'one', epoch: 1, outcome: { kind: 'done', output: { made: 'it' } } });
      const second = await claim(coordinator, wakeUps.shift()!);
      expect(second).toMatchObject({ granted: true, claim: { stepId: 'two', input: { of: 'it' } } });
      await coordinator.result({ operationId: id, stepId: 'two', epoch: 1, outcome: { kind: 'done' } });
      await journal.transact(id, (tx) => Promise.resolve(expect(tx.operation.status).toBe('completed')));
    });

    it('grants one of many claims of the same wake-up, whichever coordinator they come to', async () => {
      const { accept, coordinator, other, wakeUps, claim } = setUp();
      const id = await accept();
      await Promise.all([coordinator.begin(id), other.begin(id)]);
      const wakeUp = wakeUps[0]!;
      const replies = await Promise.all(Array.from({ length: 12 }, (_, n) => claim(n % 2 === 0 ? coordinator : other, wakeUp)));
      expect(replies.filter((reply) => reply.granted)).toHaveLength(1);
    });

    it('refuses the result of an older claim, and repeats its answer to the present one', async () => {
      const { accept, age, coordinator, wakeUps, claim } = setUp();
      const id = await accept();
      await coordinator.begin(id);
      await claim(coordinator, wakeUps.shift()!);
      await age(id);
      await coordinator.sweep();
      expect(await claim(coordinator, wakeUps.at(-1)!)).toMatchObject({
        granted: true,
        claim: { epoch: 2, attempt: 1, resumed: true },
      });
      const say = (epoch: number) =>
        coordinator.result({ operationId: id, stepId: 'one', epoch, outcome: { kind: 'done', output: { made: epoch } } });
      expect(await say(1)).toEqual({ verdict: 'stale' });
      expect(await coordinator.renew({ operationId: id, stepId: 'one', epoch: 1 })).toMatchObject({ verdict: 'stale' });
      expect(await say(2)).toEqual({ verdict: 'journaled' });
      expect(await say(2)).toEqual({ verdict: 'journaled' });
      expect(await claim(coordinator, wakeUps.at(-1)!)).toMatchObject({ granted: true, claim: { input: { of: 2 } } });
    });

    it('finishes an operation whose two last steps end at the same moment', async () => {
      const { accept, coordinator, other, wakeUps, claim, journal } = setUp({ root: parallel([step('a'), step('b')]) });
      const id = await accept();
      await coordinator.begin(id);
      await Promise.all(wakeUps.splice(0).map((wakeUp) => claim(coordinator, wakeUp)));
      const done = (who: Coordinator, stepId: string) =>
        who.result({ operationId: id, stepId, epoch: 1, outcome: { kind: 'done' } });
      await Promise.all([done(coordinator, 'a'), done(other, 'b')]);
      await journal.transact(id, (tx) => Promise.resolve(expect(tx.operation.status).toBe('completed')));
    });

    it('holds a limit over operations and coordinators, and wakes the one that waited', async () => {
      const { accept, coordinator, other, wakeUps, claim } = setUp(two, { limitOf: () => 1 });
      const ids = [await accept(), await accept(), await accept()];
      for (const id of ids) await coordinator.begin(id);
      const replies = await Promise.all(wakeUps.splice(0).map((wakeUp, n) => claim(n === 0 ? coordinator : other, wakeUp)));
      expect(replies.filter((reply) => reply.granted)).toHaveLength(1);
      expect(replies.filter((reply) => !reply.granted && reply.reason === 'limited')).toHaveLength(2);
      const holder = replies.find((reply) => reply.granted);
      if (holder?.granted !== true) throw new Error('nobody holds it');
      await coordinator.result({
        operationId: holder.claim.operationId,
        stepId: 'one',
        epoch: 1,
        outcome: { kind: 'done', output: { made: 1 } },
      });
      const waited = wakeUps.find((wakeUp) => wakeUp.stepId === 'one')!;
      expect(await claim(other, waited)).toMatchObject({ granted: true });
    });

    it('keeps those that were lost before apart where one of them is at its last chance, over operations, services and coordinators', async () => {
      const { accept, age, coordinator, other, wakeUps, claim } = setUp({ root: step('one') }, { maxLosses: 2 });
      const ids = [await accept(), await accept(), await accept()];
      for (const id of ids) await coordinator.begin(id);
      for (const wakeUp of wakeUps.splice(0)) await claim(coordinator, wakeUp, 'maker@host:1');
      for (const id of ids) await age(id);
      await coordinator.sweep();
      const lost = wakeUps.splice(0);
      const replies = await Promise.all(
        lost.map((wakeUp, n) => claim(n === 0 ? coordinator : other, wakeUp, n === 1 ? 'other@host:2' : 'maker@host:2')),
      );
      expect(replies.filter(({ granted }) => granted)).toHaveLength(1);
      const kept = lost.filter((_wakeUp, n) => replies[n]?.granted === false);
      expect(await claim(coordinator, kept[0]!, 'maker@host:3')).toMatchObject({ granted: true });
      // The end of a step frees a place, and the steps that waited for it get wake-ups; a step that was never lost needs none.
      const holder = lost.find((_wakeUp, n) => replies[n]?.granted)!;
      await coordinator.result({ ...holder, epoch: 2, outcome: { kind: 'done' } });
      expect(wakeUps).toContainEqual(expect.objectContaining({ operationId: kept[1]!.operationId }));
      const never = await accept();
      await coordinator.begin(never);
      expect(await claim(other, wakeUps.pop()!, 'maker@host:3')).toMatchObject({ granted: true });
      expect(await claim(other, kept[1]!, 'maker@host:3')).toEqual({ granted: false, reason: 'limited' });
      expect(await claim(other, kept[1]!, 'maker@host:2')).toMatchObject({ granted: true });
    });

    it('tells what runs and what waits by limit key', async () => {
      const { accept, coordinator, wakeUps, claim, journal } = setUp(two, {
        limitOf: (key) => (key === 'vim:a' ? 1 : undefined),
      });
      for (const id of [await accept(), await accept(), await accept()]) await coordinator.begin(id);
      expect(await journal.limitUse()).toEqual([
        { key: 'service:maker', running: 0, waiting: 0 },
        { key: 'vim:a', running: 0, waiting: 0 },
      ]);
      for (const wakeUp of wakeUps.splice(0)) await claim(coordinator, wakeUp);
      expect(await journal.limitUse()).toEqual([
        { key: 'service:maker', running: 1, waiting: 0 },
        { key: 'vim:a', running: 1, waiting: 2 },
      ]);
    });

    it('counts a step that only waits under none of its limits, and calls whoever it has kept out; under its next claim it counts again', async () => {
      const { accept, age, coordinator, wakeUps, claim, journal } = setUp(two, {
        limitOf: (key) => (key === 'vim:a' ? 1 : undefined),
      });
      const [first, second] = [await accept(), await accept()];
      for (const id of [first, second]) await coordinator.begin(id);
      for (const wakeUp of wakeUps.splice(0)) await claim(coordinator, wakeUp);
      await coordinator.renew({ operationId: first, stepId: 'one', epoch: 1, waits: true });
      expect(await journal.limitUse()).toEqual([
        { key: 'service:maker', running: 0, waiting: 0 },
        { key: 'vim:a', running: 0, waiting: 1 },
      ]);
      expect(wakeUps).toMatchObject([{ operationId: second, stepId: 'one' }]);
      expect(await claim(coordinator, wakeUps.shift()!)).toMatchObject({ granted: true });
      await age(first);
      await coordinator.renew({ operationId: second, stepId: 'one', epoch: 1 });
      for (let n = 0; n < 2; n++) await coordinator.sweep();
      const again = wakeUps.find(({ operationId }) => operationId === first)!;
      expect(await claim(coordinator, again)).toEqual({ granted: false, reason: 'limited' });
      const outcome = { kind: 'done', output: { made: 'it' } } as const;
      await coordinator.result({ operationId: second, stepId: 'one', epoch: 1, outcome });
      expect(await claim(coordinator, again)).toMatchObject({ granted: true, claim: { epoch: 2 } });
      expect(await journal.limitUse()).toContainEqual({ key: 'vim:a', running: 1, waiting: 0 });
    });

    it('tells who waits: one where there is a place, and as many as are called where none is needed', async () => {
      const { accept, coordinator, wakeUps, claim, journal } = setUp(two, {
        limitOf: (key) => (key === 'vim:a' ? 1 : undefined),
      });
      const ids = [await accept(), await accept(), await accept(), await accept()];
      for (const id of ids) await coordinator.begin(id);
      for (const wakeUp of wakeUps.splice(0)) await claim(coordinator, wakeUp);
      const called = async (limit: number | null, most: number, key = 'vim:a') =>
        (await journal.waiting([{ key, limit, most }])).map(({ operationId }) => operationId);
      expect(await called(1, 1)).toEqual([]);
      expect(await called(2, 1)).toEqual([ids[1]]);
      expect(await called(null, 2)).toEqual([ids[1], ids[2]]);
      expect(await called(null, 256)).toEqual([ids[1], ids[2], ids[3]]);
      expect(await called(null, 256, 'vim:b')).toEqual([]);
    });

    it('lists as due what nobody speaks of, and nothing else', async () => {
      const { accept, age, coordinator, wakeUps, claim, journal } = setUp();
      const id = await accept();
      expect((await journal.look(10)).due).toContain(id);
      await coordinator.begin(id);
      expect((await journal.look(10)).due).not.toContain(id);
      await claim(coordinator, wakeUps.shift()!);
      expect((await journal.look(10)).due).not.toContain(id);
      await coordinator.result({ operationId: id, stepId: 'one', epoch: 1, outcome: { kind: 'done', output: { made: 'it' } } });
      expect((await journal.look(10)).due).not.toContain(id);
      await age(id);
      expect((await journal.look(10)).due).toContain(id);
    });

    it('lists as due a wake-up that was sent in the future: the clock was set back since', async () => {
      const { accept, age, coordinator, journal } = setUp();
      const id = await accept();
      await coordinator.begin(id);
      await age(id, -HOUR);
      expect((await journal.look(10)).due).toContain(id);
    });

    it('tells its clock, and the time that each step waits for', async () => {
      const { accept, coordinator, wakeUps, claim, journal } = setUp();
      const id = await accept();
      expect((await journal.look(10)).times).toEqual([]);
      await coordinator.begin(id);
      const ready = await journal.look(10);
      expect(ready.times).toMatchObject([{ operationId: id, stepId: 'one', kind: 'dispatch' }]);
      expect(ready.times[0]?.rungAt).toBeInstanceOf(Date);
      expect(leftOf(ready)).toBeGreaterThan(defaultPolicy.dispatchWithin - 60_000);
      await claim(coordinator, wakeUps.shift()!);
      const running = await journal.look(10);
      expect(running.times).toMatchObject([{ operationId: id, stepId: 'one', kind: 'lease' }]);
      expect(leftOf(running)).toBeLessThanOrEqual(defaultPolicy.lease);
      const outcome = { kind: 'failed', error: busy, retry: { attempts: 2, backoff: 60_000 } } as const;
      await coordinator.result({ operationId: id, stepId: 'one', epoch: 1, outcome });
      expect((await journal.look(10)).times.map(({ kind }) => kind).sort()).toEqual(['dispatch', 'pause']);
    });

    it('has a clock that never goes back to count them on', async () => {
      const { accept, age, journal } = setUp();
      const before = journal.steady();
      await age(await accept());
      expect(journal.steady()).toBeGreaterThanOrEqual(before);
    });

    describe('keeps of inputs and outputs', () => {
      const asked: Plan = {
        common: { password: 'hunter2' },
        root: sequence(
          step('kept'),
          step('asked', { traits: { undoable: false } }),
          step('pivot', { traits: { pivot: true } }),
          step('after'),
        ),
      };
      const ofPlan = [' common', 'after input', 'asked input', 'kept input', 'pivot input'];
      const run = async (...ends: readonly WorkerOutcome[]) => {
        const set = setUp(asked);
        const { accept, coordinator, wakeUps, claim, payloads, journal } = set;
        const id = await accept();
        await coordinator.begin(id);
        for (const outcome of ends) {
          const reply = await claim(coordinator, wakeUps.shift()!);
          if (!reply.granted) throw new Error(reply.reason);
          await coordinator.result({ operationId: id, stepId: reply.claim.stepId, epoch: reply.claim.epoch, outcome });
        }
        const status = () => journal.transact(id, (tx) => Promise.resolve(tx.operation.status));
        return { ...set, id, status, kept: async () => (await payloads(id)).sort() };
      };
      const done = { kind: 'done', output: { made: 'it' } } as const;
      const broken = { kind: 'failed', error: { ...busy, kind: 'terminal' }, retry: { attempts: 1, backoff: 0 } } as const;

      it('what a roll-back works from, of the steps that it can undo only', async () => {
        const { kept } = await run(done, done);
        expect(await kept()).toEqual([...ofPlan, 'asked output', 'kept output', 'kept resolved'].sort());
      });

      it('nothing for a roll-back once the pivot was claimed, neither of steps before it nor after', async () => {
        const { id, kept, coordinator, wakeUps, claim } = await run(done, done);
        const outputs = ['asked output', 'kept output'];
        await claim(coordinator, wakeUps.shift()!);
        expect(await kept()).toEqual([...ofPlan, ...outputs].sort());
        await coordinator.result({ operationId: id, stepId: 'pivot', epoch: 1, outcome: done });
        await claim(coordinator, wakeUps.shift()!);
        expect(await kept()).toEqual([...ofPlan, ...outputs, 'pivot output'].sort());
      });

      it('nothing at all when the operation is completed, and what others need', async () => {
        const { kept, status, accept, coordinator, payloads } = await run(done, done, done);
        const other = await accept();
        await coordinator.begin(other);
        const { kept: keptNow, status: statusNow } = await run(done, done, done, done);
        expect([await statusNow(), await keptNow()]).toEqual(['completed', []]);
        expect([await status(), (await kept()).length, (await payloads(other)).sort()]).toEqual(['running', 8, ofPlan]);
      });

      it('nothing at all when it was marked as failed, and everything while it still may be retried', async () => {
        const { kept, id, coordinator, status } = await run(done, broken);
        expect(await kept()).toEqual([...ofPlan, 'kept output', 'kept resolved'].sort());
        await coordinator.abandon(id);
        expect([await status(), await kept()]).toEqual(['abandoned', []]);
      });

      it('nothing at all when it is rolled back, and until then what undoing needs', async () => {
        const { kept, id, coordinator, wakeUps, claim, status } = await run(done, broken);
        await coordinator.rollback(id);
        const undo = await claim(coordinator, wakeUps.at(-1)!);
        expect(undo).toMatchObject({ granted: true, claim: { phase: 'undo', stepId: 'kept', input: { name: 'kept' } } });
        await coordinator.result({ operationId: id, stepId: 'kept', epoch: 2, outcome: { kind: 'done' } });
        expect([await status(), await kept()]).toEqual(['rolled-back', []]);
      });

      it('what a transaction wrote after it dropped, and not what it wrote before', async () => {
        const { accept, journal, payloads } = setUp();
        const id = await accept();
        await journal.transact(id, async (tx) => {
          await tx.writePayload('one', 'output', 1);
          await tx.writePayload('one', 'input', {});
        });
        await journal.transact(id, async (tx) => {
          await tx.writePayload('two', 'output', 2);
          await tx.dropPayloads(['output']);
          const read = await Promise.all([tx.readPayload('one', 'output'), tx.readPayload('two', 'output')]);
          expect(read).toEqual([undefined, undefined]);
          await tx.writePayload('three', 'output', 3);
          expect(await tx.readPayload('three', 'output')).toBe(3);
        });
        expect((await payloads(id)).sort()).toEqual(['one input', 'three output']);
      });
    });
  });
}
