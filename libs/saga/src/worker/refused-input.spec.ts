import { millis } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import type { Claim, CoordinatorClient, WorkerOutcome } from '../coordinator/messages.js';
import { defineAction } from '../plan/action-contract.js';
import { bindActions, implementAction } from './action.js';
import { StepWorker } from './step-worker.js';

/** Runs one claim of an action that takes `{size: integer}`; what it did and what it reported. */
async function claimed(phase: Claim['phase'], input: Claim['input']) {
  const did: string[] = [];
  const said: WorkerOutcome[] = [];
  const does = (what: string) => () => Promise.resolve(void did.push(what));
  const contract = defineAction<{ size: number }>({
    service: 'storage-mgmt',
    name: 'share',
    version: 1,
    accepts: { type: 'object', properties: { size: { type: 'integer' } } },
  });
  const share = implementAction(contract, {
    check: async () => {
      await does('check')();
      return false;
    },
    apply: async () => {
      await does('apply')();
      return undefined;
    },
    undo: does('undo'),
  });
  const coordinator: CoordinatorClient = {
    claim: () =>
      Promise.resolve({
        granted: true,
        claim: {
          ...{ operationId: 'op', stepId: 'hook/share', epoch: 1, action: 'share', version: 1, phase, input },
          ...{ attempt: 1, attemptEpoch: 1, resumed: false, recheck: false, target: null, tenant: 't', leaseFor: 10_000 },
        },
      }),
    renew: () => Promise.resolve({ verdict: 'journaled', leaseFor: 10_000 }),
    result: ({ outcome }) => {
      said.push(outcome);
      return Promise.resolve({ verdict: 'journaled' });
    },
  };
  const worker = new StepWorker({
    service: 'storage-mgmt',
    worker: 'w',
    actions: bindActions([share], (run, work) => work(run)),
    coordinator,
    onTrouble: (_claim, error) => void did.push(error.message),
    endWithin: millis(50),
  });
  await (
    await worker.answer({ operationId: 'op', stepId: 'hook/share', epoch: 0, service: 'storage-mgmt' })
  )?.ended;
  return { did, said };
}

describe('an action that says what it takes', () => {
  it('does nothing with what does not fit, not even look, and says where it does not', async () => {
    const { did, said } = await claimed('do', { size: 'much' });
    expect(did).toEqual([]);
    const detail =
      'share@1 does not take the input of step "hook/share": /size is a string, integer was expected. Nothing was done';
    expect(said).toMatchObject([{ kind: 'failed', error: { kind: 'terminal', code: 'step.input-refused', detail } }]);
  });

  it('has nothing to undo of what it refused', async () => {
    expect(await claimed('undo', { size: 'much' })).toEqual({ did: [], said: [{ kind: 'done' }] });
  });

  it('does and undoes what fits', async () => {
    expect(await claimed('do', { size: 1 })).toEqual({ did: ['check', 'apply'], said: [{ kind: 'done' }] });
    expect(await claimed('undo', { size: 1 })).toEqual({ did: ['undo'], said: [{ kind: 'done' }] });
  });
});
