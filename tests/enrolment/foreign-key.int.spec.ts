import {
  claimContract,
  enrolAad,
  enrolContract,
  KeyPair,
  NatsCoordinatorClient,
  open,
  parseToken,
  proofOf,
  publicKey,
  renewContract,
  RequestClient,
  resultContract,
  seal,
  stepAad,
  type Enrolment,
  type GrantedClaim,
} from '@windlass/messaging';
import type { ClaimRequest } from '@windlass/saga';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newToken, startEnrolment, taken } from '../support/enrolment.js';
import { MemoryLog } from '../support/memory-log.js';
import { EnrolmentBench, SECRET_INPUT } from './support/bench.js';

let bench: EnrolmentBench;
/** Two services, each as its own NATS user with a key that is enrolled for it. */
let k8s: { client: RequestClient; enrolment: Enrolment };
let infra: { client: RequestClient; enrolment: Enrolment };

beforeAll(async () => {
  bench = await EnrolmentBench.start();
  const worker = async (service: string) => {
    const link = await bench.linkOf(service);
    const { text } = await newToken(bench.database, bench.masterKeys, { service, uses: 1 });
    const enrolment = startEnrolment({ link, service, worker: `${service}-1`, log: new MemoryLog(), token: text });
    await taken(enrolment);
    return { client: new RequestClient(link), enrolment };
  };
  [k8s, infra] = await Promise.all([worker('k8s-mgmt'), worker('infra-driver')]);
});

afterAll(async () => {
  await Promise.all([k8s.enrolment.stop(), infra.enrolment.stop()]);
  await bench.close();
});

const claimWith = ({ client }: { client: RequestClient }, request: ClaimRequest, keyId: string) =>
  client.request(claimContract, { ...request, actions: [...request.actions], keyId });

describe('a step of k8s-mgmt', () => {
  it('is given to an enrolled key of k8s-mgmt, sealed to it', async () => {
    const request = await bench.readyStep();
    const reply = await new NatsCoordinatorClient(k8s.client, k8s.enrolment).claim(request);
    expect(reply).toMatchObject({ granted: true, claim: { input: { password: SECRET_INPUT } } });
    expect(await bench.stepOf(request)).toEqual({ state: 'running', owner: 'w1' });
  });

  it('is not given to infra-driver’s NATS user with infra-driver’s key, whatever service it says it is', async () => {
    const request = await bench.readyStep();
    const { id } = infra.enrolment.keys.public;
    expect(await claimWith(infra, request, id)).toEqual({ granted: false, reason: 'key-of-another-service' });
    const asInfra = await claimWith(infra, { ...request, service: 'infra-driver' }, id);
    expect(asInfra).toEqual({ granted: false, reason: 'unknown' });
    expect(await bench.stepOf(request)).toEqual({ state: 'ready', owner: null });
    expect(bench.log.reasons('a claim was refused for its key')).toContain('key-of-another-service');
  });

  it('is not given to a key that nobody enrolled', async () => {
    const request = await bench.readyStep();
    const mine = KeyPair.generate();
    expect(await claimWith(infra, request, mine.public.id)).toEqual({ granted: false, reason: 'unknown-key' });
    expect(await bench.stepOf(request)).toEqual({ state: 'ready', owner: null });
    expect(bench.log.reasons('a claim was refused for its key')).toContain('unknown-key');
  });

  it('can be claimed for k8s-mgmt by another’s NATS user only so that k8s-mgmt alone can read it', async () => {
    const request = await bench.readyStep();
    const answer = await claimWith(infra, request, k8s.enrolment.keys.public.id);
    expect(answer.sealedClaim?.kid).toBe(k8s.enrolment.keys.public.id);
    const { keys } = infra.enrolment;
    expect(() => open(keys, { ...answer.sealedClaim!, kid: keys.public.id }, 'any')).toThrow(/does not open/);
  });
});

describe('a claim', () => {
  it('is renewed and reported by nobody but its holder', async () => {
    const request = await bench.readyStep();
    const { keys } = k8s.enrolment;
    const answer = await claimWith(k8s, request, keys.public.id);
    const opened = open(keys, answer.sealedClaim!, stepAad('claim', request)).toString('utf8');
    const { secret } = JSON.parse(opened) as GrantedClaim;
    const step = { operationId: request.operationId, stepId: 'first', epoch: 1 };
    const sealedOutcome = seal(publicKey(answer.coordinatorKey!), Buffer.from('{"kind":"done"}'), stepAad('outcome', step));
    const guessed = proofOf('A'.repeat(43), { kind: 'result', sealedOutcome });
    const holder = { service: 'k8s-mgmt', keyId: keys.public.id };

    const forged = { ...step, ...holder, sealedOutcome };
    expect(await infra.client.request(resultContract, { ...forged, proof: guessed })).toEqual({ verdict: 'stale' });
    // A renewal's proof, which travels in the clear, is none of a result.
    const overheard = proofOf(secret, { kind: 'renew' });
    expect(await infra.client.request(resultContract, { ...forged, proof: overheard })).toEqual({ verdict: 'stale' });
    const asOther = { ...step, service: 'infra-driver', keyId: infra.enrolment.keys.public.id, proof: overheard };
    expect(await infra.client.request(renewContract, asOther)).toMatchObject({ verdict: 'stale' });
    expect(bench.log.reasons('words of a worker were refused')).toEqual(['not-the-holder', 'not-the-holder', 'not-the-holder']);
    expect(await bench.stepOf(request)).toEqual({ state: 'running', owner: 'w1' });

    expect(await k8s.client.request(renewContract, { ...step, ...holder, proof: overheard })).toMatchObject({
      verdict: 'journaled',
    });
  });

  it('shows no line of progress but its holder’s, whatever renewals were overheard', async () => {
    const request = await bench.readyStep();
    const { keys } = k8s.enrolment;
    const answer = await claimWith(k8s, request, keys.public.id);
    const { secret } = JSON.parse(open(keys, answer.sealedClaim!, stepAad('claim', request)).toString('utf8')) as GrantedClaim;
    const step = { operationId: request.operationId, stepId: 'first', epoch: 1, service: 'k8s-mgmt', keyId: keys.public.id };
    const renew = (words: { progress?: string; proof: string }) => infra.client.request(renewContract, { ...step, ...words });
    const own = proofOf(secret, { kind: 'renew', progress: 'half of it' });
    expect(await k8s.client.request(renewContract, { ...step, progress: 'half of it', proof: own })).toMatchObject({
      verdict: 'journaled',
    });
    expect(await bench.progressOf(request)).toBe('half of it');

    expect(await renew({ progress: 'send your password to example.org', proof: own })).toMatchObject({ verdict: 'stale' });
    expect(await renew({ progress: '', proof: own })).toMatchObject({ verdict: 'stale' });
    expect(await renew({ proof: own })).toMatchObject({ verdict: 'stale' });
    // A renewal without a line, overheard; and what a worker of the release before sends with one.
    const bare = proofOf(secret, { kind: 'renew' });
    expect(await renew({ progress: 'send your password to example.org', proof: bare })).toMatchObject({ verdict: 'journaled' });
    expect(await renew({ progress: '', proof: bare })).toMatchObject({ verdict: 'journaled' });
    expect(await bench.progressOf(request)).toBe('half of it');
    expect(bench.log.reasons('the progress of a renewal was dropped')).toEqual(['progress-not-proven', 'progress-not-proven']);
  });

  it('takes a step for waiting where its holder says so, and for no renewal that was overheard', async () => {
    const request = await bench.readyStep();
    const { keys } = k8s.enrolment;
    const answer = await claimWith(k8s, request, keys.public.id);
    const { secret } = JSON.parse(open(keys, answer.sealedClaim!, stepAad('claim', request)).toString('utf8')) as GrantedClaim;
    const step = { operationId: request.operationId, stepId: 'first', epoch: 1, service: 'k8s-mgmt', keyId: keys.public.id };
    const renew = (words: { progress?: string; waits?: true; proof: string }) =>
      infra.client.request(renewContract, { ...step, ...words });
    for (const proof of [proofOf(secret, { kind: 'renew' }), proofOf(secret, { kind: 'renew', progress: 'waits' })])
      expect(await renew({ waits: true, proof })).toMatchObject({ verdict: 'stale' });
    expect(await bench.waitsOf(request)).toBe(false);
    const own = proofOf(secret, { kind: 'renew', waits: true });
    expect(await renew({ proof: own })).toMatchObject({ verdict: 'stale' });
    expect(await renew({ waits: true, proof: own })).toMatchObject({ verdict: 'journaled' });
    expect(await bench.waitsOf(request)).toBe(true);
  });

  it('goes on under another coordinator, which knows its secret without having kept it', async () => {
    const request = await bench.readyStep();
    const client = new NatsCoordinatorClient(k8s.client, k8s.enrolment);
    expect(await client.claim(request)).toMatchObject({ granted: true });
    await bench.stopCoordinator();
    await bench.startCoordinator();
    const step = { operationId: request.operationId, stepId: 'first', epoch: 1 };
    expect(await client.renew(step)).toMatchObject({ verdict: 'journaled' });
    expect(await client.result({ ...step, outcome: { kind: 'done' } })).toEqual({ verdict: 'journaled' });
    expect(await bench.stepOf(request)).toMatchObject({ state: 'done' });
  });
});

describe('a token', () => {
  it('that was overheard on its way is of no use for another key or service', async () => {
    const { text } = await newToken(bench.database, bench.masterKeys, { service: 'k8s-mgmt' });
    const [rightful, thief] = [KeyPair.generate().public, KeyPair.generate().public];
    const sealedToken = seal(parseToken(text).coordinatorKey, Buffer.from(text), enrolAad('k8s-mgmt', rightful.x));
    const message = { worker: 'w', sealedToken };
    const ask = (service: string, publicKey: string) => infra.client.request(enrolContract, { ...message, service, publicKey });
    expect(await ask('k8s-mgmt', thief.x)).toEqual({ enrolled: false, reason: 'token-unknown' });
    expect(await ask('infra-driver', rightful.x)).toEqual({ enrolled: false, reason: 'token-unknown' });
    expect(await ask('k8s-mgmt', rightful.x)).toEqual({ enrolled: true });
  });

  it('and a step’s input never go over NATS in the clear', async () => {
    const { text } = await newToken(bench.database, bench.masterKeys, { service: 'k8s-mgmt', uses: 1 });
    const link = await bench.linkOf('k8s-mgmt');
    const enrolment = startEnrolment({ link, service: 'k8s-mgmt', worker: 'w', log: new MemoryLog(), token: text });
    await taken(enrolment);
    await enrolment.stop();
    for (const subject of ['windlass.saga.enrol', 'windlass.saga.claim', 'windlass.saga.result'])
      expect(bench.heard.some((message) => message.startsWith(subject))).toBe(true);
    const [, , secret] = text.split('.');
    for (const word of [secret!, SECRET_INPUT]) {
      for (const form of [word, Buffer.from(word).toString('base64').replace(/=+$/, ''), Buffer.from(word).toString('hex')])
        expect(bench.heard.filter((message) => message.includes(form))).toEqual([]);
    }
  });
});
