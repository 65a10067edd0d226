import type { Json } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { defaultPolicy } from '../engine/policy.js';
import { compilePlan } from '../plan/compile.js';
import { sequence, type PlanNode } from '../plan/plan.js';
import { sourced } from '../plan/refs.js';
import { MemoryJournal } from '../testing/memory-journal.js';
import { make } from '../testing/stage.js';
import { unbounded } from '../testing/unbounded.js';
import { Coordinator } from './coordinator.js';

const SECRET = 'hunter2';

/** A coordinator whose owner gives `vim` to its own steps, and to none of a plan that was returned. */
async function begun(root: PlanNode) {
  const journal = new MemoryJournal();
  const coordinator = new Coordinator({
    journal,
    policy: defaultPolicy,
    wakeUpSender: { notify: () => Promise.resolve() },
    owner: {
      ...unbounded,
      mayRead: (_tx, _step, source) => source !== 'vim',
      plan: () => Promise.resolve(compilePlan({ root })),
      source: (_tx, source): Promise<Json> => Promise.resolve(source === 'vim' ? SECRET : { $from: 'vim' }),
      runInline: () => Promise.resolve(undefined),
      moved: () => Promise.resolve(),
    },
  });
  journal.accept({ id: 'op', kind: 'TEST', tenant: 't' });
  await coordinator.begin('op');
  const claim = (stepId: string) =>
    coordinator.claim({ operationId: 'op', stepId, epoch: 0, service: 'maker', worker: 'w', actions: ['make@1'] });
  return {
    journal,
    claim,
    say: (stepId: string, inner: PlanNode) =>
      coordinator.result({ operationId: 'op', stepId, epoch: 1, outcome: { kind: 'expand', plan: { root: inner } } }),
  };
}

describe('a source that a step of a returned plan is not to have', () => {
  it('is not given to it when it is claimed, though it was compiled', async () => {
    const { journal, claim, say } = await begun(sequence(make('hook', { input: { x: sourced('vim') } })));
    expect(await claim('hook')).toMatchObject({ granted: true, claim: { input: { x: SECRET } } });
    await say('hook', make('thief', { input: { deep: [{ x: sourced('vim') }] } }));
    expect(await claim('hook/thief')).toEqual({ granted: false, reason: 'not-ready' });
    expect(journal.operations.get('op')).toMatchObject({
      status: 'suspended',
      failure: { code: 'plan.refused', detail: 'step "hook/thief" is not to be given the source "vim"' },
    });
  });

  it('is not reached through what another source brings', async () => {
    const { claim, say } = await begun(make('hook'));
    await claim('hook');
    await say('hook', make('thief', { input: { x: sourced('innocent') } }));
    expect(await claim('hook/thief')).toMatchObject({ granted: true, claim: { input: { x: { $from: 'vim' } } } });
  });
});
