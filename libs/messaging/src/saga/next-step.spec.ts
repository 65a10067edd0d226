import { randomBytes } from 'node:crypto';
import type { Claim, ClaimReply, CoordinatorClient, RenewReply, ResultReply, ResultRequest } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import type { Contract } from '../contracts/contract.js';
import type { RequestClient } from '../request/request-client.js';
import { KeyPair } from '../sealing/key-pair.js';
import { CoordinatorServer } from './coordinator-server.js';
import { NatsCoordinatorClient } from './nats-coordinator-client.js';
import { claimContract, renewContract, resultContract, type ResultAnswer } from './saga-contracts.js';

const OPERATION = '3b0e4cf0-3f0f-4a3c-9d7e-000000000001';
const key = (stepId: string) => ({ operationId: OPERATION, stepId, epoch: 1 });
const claim = (stepId: string): Claim => ({
  ...{ ...key(stepId), action: 'make', version: 1, phase: 'do', attempt: 1, attemptEpoch: 1, resumed: false, recheck: false },
  ...{ target: null, tenant: 't', input: { password: 'hunter2-hunter2' }, leaseFor: 10_000 },
});

/** The engine behind the server: after `a` comes `b`, for who asks. */
class Engine implements CoordinatorClient {
  readonly results: ResultRequest[] = [];
  readonly renewed: string[] = [];

  claim({ stepId }: { stepId: string }): Promise<ClaimReply> {
    return Promise.resolve({ granted: true, claim: claim(stepId) });
  }

  renew({ stepId }: { stepId: string }): Promise<RenewReply> {
    this.renewed.push(stepId);
    return Promise.resolve({ verdict: 'journaled', leaseFor: 10_000 });
  }

  result(request: ResultRequest): Promise<ResultReply> {
    this.results.push(request);
    return Promise.resolve({ verdict: 'journaled', ...(request.next === undefined ? {} : { next: claim('b') }) });
  }
}

/** A worker and a coordinator, every word between them held against its schema. */
function joined() {
  const keys = KeyPair.generate();
  const engine = new Engine();
  const enrolled = { id: keys.public.id, service: 'maker', publicKey: keys.public.x, revoked: false };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const server = new CoordinatorServer(engine, [randomBytes(32)], { key: () => Promise.resolve(enrolled) }, log);
  const answers: unknown[] = [];
  const serve = new Map<string, (data: never) => Promise<unknown>>([
    [claimContract.name, (data) => server.claim(data)],
    [renewContract.name, (data) => server.renew(data)],
    [resultContract.name, (data) => server.result(data)],
  ]);
  const ask = async <Q, A>(contract: Contract<Q, A>, data: Q): Promise<A> => {
    expect(contract.request.check(JSON.parse(JSON.stringify(data)))).toMatchObject({ ok: true });
    const answer = (await serve.get(contract.name)?.(data as never)) as A;
    expect(contract.reply.check(JSON.parse(JSON.stringify(answer)))).toMatchObject({ ok: true });
    answers.push(answer);
    return answer;
  };
  const client = { request: ask, requestUntilAnswered: ask } as unknown as RequestClient;
  const enrolment = { keys, state: { enrolled: true }, refused: () => undefined } as const;
  return { engine, answers, server, worker: new NatsCoordinatorClient(client, enrolment) };
}

const claimed = async (worker: NatsCoordinatorClient): Promise<void> => {
  await worker.claim({ ...key('a'), epoch: 0, service: 'maker', worker: 'maker@1', actions: ['make@1'] });
};
const next = { worker: 'maker@1', actions: ['make@1'] };

describe('a step that comes with the answer to a result', () => {
  it('is sealed to the worker, and held like any other: renewed, reported, and followed', async () => {
    const { engine, worker, answers } = joined();
    await claimed(worker);
    const reply = await worker.result({ ...key('a'), outcome: { kind: 'done', output: 1 }, next });
    expect(reply).toEqual({ verdict: 'journaled', next: claim('b') });
    expect(JSON.stringify(answers)).not.toContain('hunter2');
    expect(engine.results[0]).toEqual({ ...key('a'), outcome: { kind: 'done', output: 1 }, next });
    expect(await worker.renew(key('b'))).toMatchObject({ verdict: 'journaled' });
    expect(await worker.result({ ...key('b'), outcome: { kind: 'released' } })).toEqual({ verdict: 'journaled' });
    expect(engine.results[1]).toEqual({ ...key('b'), outcome: { kind: 'released' } });
  });

  it('does not come to a worker that does not ask', async () => {
    const { worker, answers } = joined();
    await claimed(worker);
    expect(await worker.result({ ...key('a'), outcome: { kind: 'done' } })).toEqual({ verdict: 'journaled' });
    expect(answers.at(-1)).toEqual({ verdict: 'journaled' });
  });

  it.each([
    ['a text', 'next'],
    ['no worker', { actions: [] }],
    ['no list of actions', { worker: 'w', actions: 'all' }],
    ['actions that are none', { worker: 'w', actions: [1] }],
    ['too many actions', { worker: 'w', actions: Array.from({ length: 1_001 }, () => 'a@1') }],
    ['a name too long', { worker: 'w'.repeat(1_025), actions: [] }],
  ])('is not asked for by %s, and the result stands', async (_what, wanted) => {
    const { engine, worker } = joined();
    await claimed(worker);
    expect(await worker.result({ ...key('a'), outcome: { kind: 'done' }, next: wanted as never })).toEqual({
      verdict: 'journaled',
    });
    expect(engine.results).toEqual([{ ...key('a'), outcome: { kind: 'done' } }]);
  });

  it('is for the result that it answers and for no other', async () => {
    const { worker, server } = joined();
    await claimed(worker);
    let kept: ResultAnswer | undefined;
    const real = server.result.bind(server);
    server.result = async (message) => (kept ??= await real(message));
    await worker.result({ ...key('a'), outcome: { kind: 'done' }, next });
    // Another's answer is put in its place.
    await expect(worker.result({ ...key('b'), outcome: { kind: 'done' }, next })).rejects.toMatchObject({
      code: expect.stringMatching(/^sealing\./) as string,
    });
  });
});
