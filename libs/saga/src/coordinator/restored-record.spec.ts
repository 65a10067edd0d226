import { millis } from '@windlass/foundation';
import { beforeEach, describe, expect, it } from 'vitest';
import { sequence } from '../plan/plan.js';
import { make, once, Stage, terminal, transient } from '../testing/stage.js';
import { defineAction } from '../plan/action-contract.js';
import { bindActions, implementAction } from '../worker/action.js';
import { StepWorker } from '../worker/step-worker.js';
import {
  EPOCHS_OF_AN_INCARNATION,
  IncarnatedCoordinator,
  IncarnatedWakeUps,
  type Restoration,
} from './incarnated-coordinator.js';
import type { ClaimReply } from './messages.js';

const unknown = new Set<string>();
let held = false;
const record = (number: number): Restoration => ({
  epochBase: number * EPOCHS_OF_AN_INCARNATION,
  holds: () => held,
  isUnknown: (operationId, stepId) => unknown.has(`${operationId} ${stepId}`),
  isKnown: (operationId, stepId) => Promise.resolve(void unknown.delete(`${operationId} ${stepId}`)),
});

beforeEach(() => {
  unknown.clear();
  held = false;
});

const ask = { operationId: 'op', service: 'maker', worker: 'w1', actions: ['make@1'] };
const claimOf = (reply: ClaimReply) => (reply.granted ? reply.claim : reply.reason);

describe('epochs of a restored record', () => {
  it('are above all of the incarnation before, for steps that were claimed and for new ones, and attempts likewise', async () => {
    const stage = Stage.of(sequence(make('a'), make('b')));
    await stage.begin();
    const before = new IncarnatedCoordinator(stage.coordinator, record(7));
    const [old] = [claimOf(await before.claim({ ...ask, stepId: 'a', epoch: 7 * EPOCHS_OF_AN_INCARNATION }))];
    await stage.pass(stage.policy.lease + 1);
    const after = new IncarnatedCoordinator(stage.coordinator, record(8));
    const base = 8 * EPOCHS_OF_AN_INCARNATION;
    expect(claimOf(await after.claim({ ...ask, stepId: 'a', epoch: base + 1 }))).toMatchObject({
      epoch: base + 2,
      attemptEpoch: base + 1,
    });
    expect((old as { epoch: number }).epoch).toBeLessThan(base);
    const next = { worker: 'w1', actions: ['make@1'] };
    const done = { operationId: 'op', stepId: 'a', epoch: base + 2, outcome: { kind: 'done' as const }, next };
    expect(await after.result(done)).toMatchObject({ verdict: 'journaled', next: { stepId: 'b', epoch: base + 1 } });
    expect(await after.result(done)).toMatchObject({ verdict: 'journaled', next: { stepId: 'b', epoch: base + 1 } });
  });

  it('make whoever claimed before stale, whatever it says and asks', async () => {
    const stage = Stage.of(make('a'));
    await stage.begin();
    const before = new IncarnatedCoordinator(stage.coordinator, record(0));
    await before.claim({ ...ask, stepId: 'a', epoch: 0 });
    const after = new IncarnatedCoordinator(stage.coordinator, record(1));
    expect(await after.renew({ operationId: 'op', stepId: 'a', epoch: 1 })).toMatchObject({ verdict: 'stale' });
    expect(await after.result({ operationId: 'op', stepId: 'a', epoch: 1, outcome: { kind: 'done' } })).toEqual({
      verdict: 'stale',
    });
    await stage.pass(stage.policy.lease + 1);
    expect(await after.claim({ ...ask, stepId: 'a', epoch: 1 })).toEqual({ granted: false, reason: 'stale' });
  });

  it('are in wake-ups as claims are made with them', async () => {
    const sent: number[] = [];
    const sender = {
      notify: (all: readonly { epoch: number }[]) => Promise.resolve(void sent.push(...all.map(({ epoch }) => epoch))),
    };
    await new IncarnatedWakeUps(sender, record(3)).notify([{ operationId: 'op', stepId: 'a', epoch: 2, service: 'maker' }]);
    expect(sent).toEqual([3 * EPOCHS_OF_AN_INCARNATION + 2]);
  });

  it('stay exact until 2094', () => {
    const seconds = (Date.parse('2094-01-01T00:00:00Z') - Date.parse('2026-01-01T00:00:00Z')) / 1_000;
    expect(Number.isSafeInteger((seconds + 1) * EPOCHS_OF_AN_INCARNATION)).toBe(true);
  });

  it('are given to nobody while the record waits for audits', async () => {
    const stage = Stage.of(make('a'));
    await stage.begin();
    held = true;
    const coordinator = new IncarnatedCoordinator(stage.coordinator, record(1));
    expect(await coordinator.claim({ ...ask, stepId: 'a', epoch: EPOCHS_OF_AN_INCARNATION })).toEqual({
      granted: false,
      reason: 'not-ready',
    });
    expect(stage.state('a')).toBe('do ready');
  });
});

/** Claims a step that ran when the record was taken, with a worker whose check says this; without one where it says nothing. */
async function claimedAgain(says?: boolean) {
  const did: string[] = [];
  const stage = Stage.of(make('a'));
  await stage.begin();
  unknown.add('op a');
  const client = new IncarnatedCoordinator(stage.coordinator, record(1));
  const contract = defineAction({ service: 'maker', name: 'make', version: 1 });
  const work = implementAction(contract, {
    ...(says === undefined ? {} : { check: () => Promise.resolve(says) }),
    apply: () => Promise.resolve(void did.push('apply')),
  });
  const actions = bindActions([work], (run, use) => use(run));
  const worker = new StepWorker({ service: 'maker', worker: 'w1', actions, coordinator: client, onTrouble: () => undefined });
  const run = async () => {
    const { epoch } = stage.step('a');
    const wakeUp = { operationId: 'op', stepId: 'a', epoch: epoch + EPOCHS_OF_AN_INCARNATION, service: 'maker' };
    await (
      await worker.answer(wakeUp)
    )?.ended;
  };
  await run();
  const first = { status: stage.operation().status, failure: stage.operation().failure?.code, did: [...did] };
  return { stage, did, first, run };
}

describe('a step that ran when the record was taken', () => {
  it('is done where its check says so', async () => {
    expect((await claimedAgain(true)).first).toEqual({ status: 'completed', failure: undefined, did: [] });
    expect(unknown.size).toBe(0);
  });

  it.each([[false], [undefined]])(
    'is not done again by itself where its check says %s: a person is told, whose retry does it',
    async (says) => {
      const { first, stage, run, did } = await claimedAgain(says);
      expect(first).toEqual({ status: 'suspended', failure: 'step.restored', did: [] });
      expect(stage.operation().failure?.detail).toContain('what "a" did is not known');
      await stage.coordinator.retry('op');
      await run();
      expect([stage.operation().status, did]).toEqual(['completed', ['apply']]);
    },
  );

  it('stays unknown where its worker hands it back, is lost, or can not look now', async () => {
    const stage = Stage.of(make('a'));
    await stage.begin();
    unknown.add('op a');
    const client = new IncarnatedCoordinator(stage.coordinator, record(1));
    const base = EPOCHS_OF_AN_INCARNATION;
    expect(claimOf(await client.claim({ ...ask, stepId: 'a', epoch: base }))).toMatchObject({ restored: true });
    await client.result({ operationId: 'op', stepId: 'a', epoch: base + 1, outcome: { kind: 'released' } });
    expect(claimOf(await client.claim({ ...ask, stepId: 'a', epoch: base + 1 }))).toMatchObject({ restored: true });
    await stage.pass(millis(stage.policy.lease + 1));
    expect(claimOf(await client.claim({ ...ask, stepId: 'a', epoch: base + 2 }))).toMatchObject({ restored: true });
    const busy = { kind: 'failed' as const, error: transient, retry: { attempts: 5, backoff: 0 } };
    await client.result({ operationId: 'op', stepId: 'a', epoch: base + 3, outcome: busy });
    expect(claimOf(await client.claim({ ...ask, stepId: 'a', epoch: base + 3 }))).toMatchObject({ restored: true });
    await client.result({
      operationId: 'op',
      stepId: 'a',
      epoch: base + 4,
      outcome: { kind: 'failed', error: terminal, retry: once },
    });
    expect(unknown.size).toBe(0);
  });
});
