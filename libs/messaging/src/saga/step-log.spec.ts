import { TerminalError, type JsonObject, currentTrace } from '@windlass/foundation';
import {
  bindActions,
  defineAction,
  implementAction,
  StepWorker,
  type Claim,
  type CoordinatorClient,
  type StepRun,
} from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { MemoryLog } from '../testing/harness.js';
import { stepLog } from './step-log.js';

const claim: Claim = {
  operationId: 'op',
  stepId: 'instantiate_end/join-worker:w1',
  epoch: 3,
  action: 'make',
  version: 1,
  phase: 'do',
  attempt: 1,
  attemptEpoch: 3,
  resumed: false,
  recheck: false,
  target: 'w1',
  tenant: 'default',
  input: { password: 'hunter2' },
  leaseFor: 30_000,
};

/** Grants the one claim, and takes its result or refuses to answer. */
const coordinatorThat = (result: CoordinatorClient['result']): CoordinatorClient => ({
  claim: () => Promise.resolve({ granted: true, claim }),
  renew: () => Promise.resolve({ verdict: 'journaled', leaseFor: 30_000 }),
  result,
});
const journaled = () => Promise.resolve({ verdict: 'journaled' as const });

async function linesOf(apply: (run: StepRun) => Promise<undefined>, result: CoordinatorClient['result'] = journaled) {
  const log = new MemoryLog();
  const make = defineAction<JsonObject>({ service: 'maker', name: 'make', version: 1 });
  const actions = bindActions([implementAction(make, { apply })], (run, work) => work(run));
  const coordinator = coordinatorThat(result);
  const worker = new StepWorker({ service: 'maker', worker: 'w', actions, coordinator, ...stepLog(log) });
  await (
    await worker.answer({ operationId: 'op', stepId: claim.stepId, epoch: 2, service: 'maker' })
  )?.ended;
  return log.lines;
}

const names = { operationId: 'op', stepId: claim.stepId, epoch: 3, action: 'make@1', phase: 'do', attempt: 1, target: 'w1' };
const ms = expect.any(Number) as number;

describe('the log of a step', () => {
  it('says when it begins and how it ended, with its ids and its duration, and nothing of its input', async () => {
    const lines = await linesOf(() => Promise.resolve(undefined));
    expect(lines).toEqual([
      { level: 'info', message: 'a step begins', fields: names },
      { level: 'info', message: 'a step ended', fields: { ...names, kind: 'done', ms } },
    ]);
  });

  it('names the code of the error that it failed with', async () => {
    const lines = await linesOf(() => Promise.reject(new TerminalError('stack.create-failed', 'password hunter2 was refused')));
    expect(lines.at(-1)).toMatchObject({ message: 'a step ended', fields: { kind: 'failed', code: 'stack.create-failed' } });
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('says that it ended also where its result reached nobody', async () => {
    const lines = await linesOf(
      () => Promise.resolve(undefined),
      () => Promise.reject(new Error('nobody there')),
    );
    expect(lines.slice(1)).toMatchObject([
      { level: 'info', message: 'a step ended', fields: { kind: 'trouble' } },
      { level: 'error', message: 'a step ended in trouble', fields: { error: 'nobody there' } },
    ]);
  });

  it('tells of a bug without the secrets of the input that its message quotes', async () => {
    const lines = await linesOf(() => Promise.reject(new Error('no such place: {"password":"hunter2"} or hunter2')));
    expect(lines).toContainEqual(expect.objectContaining({ message: 'a step ended in trouble' }));
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('puts the ids into every line that is written while it runs', async () => {
    let seen: unknown;
    await linesOf(() => {
      seen = currentTrace()?.fields;
      return Promise.resolve(undefined);
    });
    expect(seen).toEqual({ operationId: 'op', stepId: claim.stepId });
  });
});
