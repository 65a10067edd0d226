import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { TerminalError, TransientError } from '@windlass/foundation';
import type { Claim, ClaimReply, CoordinatorClient, RenewReply, RenewRequest } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import type { Contract } from '../contracts/contract.js';
import type { RequestClient } from '../request/request-client.js';
import { KeyPair } from '../sealing/key-pair.js';
import { CoordinatorServer } from './coordinator-server.js';
import { NatsCoordinatorClient } from './nats-coordinator-client.js';
import { claimContract, MOST_RENEWALS, renewAllContract, renewContract, type RenewalsMessage } from './saga-contracts.js';

const OPERATION = '3b0e4cf0-3f0f-4a3c-9d7e-000000000001';
const key = (n: number) => ({ operationId: OPERATION, stepId: `s${n}`, epoch: 1 });
const claim = (stepId: string): Claim => ({
  ...{ operationId: OPERATION, stepId, epoch: 1, action: 'make', version: 1, phase: 'do', attempt: 1, attemptEpoch: 1 },
  ...{ resumed: false, recheck: false, target: null, tenant: 't', input: {}, leaseFor: 10_000 },
});

/** A worker with so many claims, and a coordinator behind it; every word is held against its schema. */
async function joined(claims: number, failing: Partial<Record<string, Error>> = {}) {
  const keys = KeyPair.generate();
  const renewed: RenewRequest[] = [];
  const engine: Pick<CoordinatorClient, 'claim' | 'renew'> = {
    claim: ({ stepId }): Promise<ClaimReply> => Promise.resolve({ granted: true, claim: claim(stepId) }),
    renew: (request): Promise<RenewReply> => {
      renewed.push(request);
      if (request.stepId === 's7') return Promise.resolve({ verdict: 'stale', leaseFor: 10_000 });
      if (request.stepId === 's9') return Promise.reject(new TransientError('operation.newer-journal', 'of a later release'));
      return Promise.resolve({
        verdict: 'journaled',
        leaseFor: 10_000,
        ...(request.stepId === 's3' ? { cancel: 'FORCEFUL' } : {}),
      });
    },
  };
  const enrolled = { id: keys.public.id, service: 'maker', publicKey: keys.public.x, revoked: false };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const server = new CoordinatorServer(
    engine as CoordinatorClient,
    [randomBytes(32)],
    { key: () => Promise.resolve(enrolled) },
    log,
  );
  const asked: string[] = [];
  const serve = new Map<string, (data: never) => Promise<unknown>>([
    [claimContract.name, (data) => server.claim(data)],
    [renewContract.name, (data) => server.renew(data)],
    [renewAllContract.name, (data) => server.renewAll(data)],
  ]);
  const tampering = { with: (data: unknown) => data };
  const ask = async <Q, A>(contract: Contract<Q, A>, data: Q): Promise<A> => {
    asked.push(contract.name);
    const error = failing[contract.name];
    if (error !== undefined) throw error;
    expect(contract.request.check(JSON.parse(JSON.stringify(data)))).toMatchObject({ ok: true });
    const answer = (await serve.get(contract.name)?.(tampering.with(data) as never)) as A;
    expect(contract.reply.check(JSON.parse(JSON.stringify(answer)))).toMatchObject({ ok: true });
    return answer;
  };
  const client = { request: ask, requestUntilAnswered: ask } as unknown as RequestClient;
  const worker = new NatsCoordinatorClient(client, { keys, state: { enrolled: true }, refused: () => undefined });
  const wanted = { epoch: 0, service: 'maker', worker: 'maker@1', actions: ['make@1'] };
  for (let n = 0; n < claims; n += 1) await worker.claim({ ...key(n), ...wanted });
  asked.splice(0);
  return { worker, asked, renewed, tampering };
}

const all = (count: number): number[] => Array.from({ length: count }, (_none, n) => n);

describe('renewals of a worker that holds many claims', () => {
  it('go out together, and each is answered for itself: a claim that is lost is told so alone', async () => {
    const { worker, asked, renewed } = await joined(20);
    const ends = await Promise.allSettled(
      all(20).map((n) => worker.renew({ ...key(n), ...(n === 5 ? { progress: 'half' } : {}) })),
    );
    expect(asked).toEqual(['saga.renew-all']);
    expect(renewed).toHaveLength(20);
    expect(renewed[5]).toEqual({ ...key(5), progress: 'half' });
    const verdicts = ends.map((end) => (end.status === 'fulfilled' ? end.value.verdict : (end.reason as TransientError).code));
    expect(verdicts).toEqual(all(20).map((n) => ({ 7: 'stale', 9: 'saga.renewal-unanswered' })[n] ?? 'journaled'));
    expect(ends[3]).toMatchObject({ value: { cancel: 'FORCEFUL', leaseFor: 10_000 } });
  });

  it('are as many in a message as it takes, and no more', async () => {
    const { worker, asked } = await joined(3 * MOST_RENEWALS);
    await Promise.allSettled(all(3 * MOST_RENEWALS).map((n) => worker.renew(key(n))));
    expect(asked).toEqual(all(3).map(() => 'saga.renew-all'));
  });

  it('come one after the other, three hundred a second as of a thousand steps that wait, and go out as some ten messages', async () => {
    const { worker, asked } = await joined(120);
    const began = performance.now();
    const ends: Promise<unknown>[] = [];
    for (let n = 0; n < 300; n += 1) {
      ends.push(worker.renew(key(n % 120)).catch(() => undefined));
      if (n % 10 === 9) await pause(33);
    }
    await Promise.all(ends);
    const tenths = Math.ceil((performance.now() - began) / 100);
    // A message each tenth of a second, or a full one sooner.
    expect(asked.length).toBeLessThanOrEqual(tenths + Math.ceil(300 / MOST_RENEWALS));
    expect(asked.length).toBeLessThan(60);
  });

  it('wait for nobody where it holds a few', async () => {
    const { worker, asked } = await joined(3);
    await Promise.all(all(3).map((n) => worker.renew(key(n))));
    expect(asked).toEqual(all(3).map(() => 'saga.renew'));
  });

  it('are asked one by one of coordinators of the release before, and of NATS with its users, also the next time', async () => {
    for (const error of [
      new TransientError('messaging.no-responders', 'nobody serves it'),
      new TerminalError('messaging.forbidden', 'our user may not'),
    ]) {
      const { worker, asked } = await joined(7, { 'saga.renew-all': error });
      for (const round of [1, 2]) {
        expect(await Promise.all(all(7).map((n) => worker.renew(key(n)))), `round ${round}`).toHaveLength(7);
      }
      expect(asked.filter((name) => name === 'saga.renew-all')).toHaveLength(1);
      expect(asked.filter((name) => name === 'saga.renew')).toHaveLength(14);
    }
  });

  it('are all told where no coordinator answers, and asked again by whoever has the leases', async () => {
    const { worker, asked } = await joined(7, { 'saga.renew-all': new TransientError('messaging.no-answer', 'nobody answers') });
    const ends = await Promise.allSettled(all(7).map((n) => worker.renew(key(n))));
    expect(ends.map((end) => end.status === 'rejected' && (end.reason as TransientError).code)).toEqual(
      all(7).map(() => 'messaging.no-answer'),
    );
    expect(asked).toEqual(['saga.renew-all']);
    await pause(0);
  });

  it('prove nothing for each other: words that were changed on the way are refused, the others hold', async () => {
    const { worker, renewed, tampering } = await joined(6);
    tampering.with = (data) => {
      const { renewals } = data as RenewalsMessage;
      // The proof of one under the name of another.
      return { renewals: renewals.map((renewal, at) => (at === 2 ? { ...renewal, proof: renewals[1]!.proof } : renewal)) };
    };
    const replies = await Promise.all(all(6).map((n) => worker.renew(key(n))));
    expect(replies.map(({ verdict }) => verdict)).toEqual(all(6).map((n) => (n === 2 ? 'stale' : 'journaled')));
    expect(renewed.map(({ stepId }) => stepId)).not.toContain('s2');
  });
});
