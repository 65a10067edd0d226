import { randomBytes, randomUUID } from 'node:crypto';
import { headers, type Msg } from '@nats-io/transport-node';
import { millis, minutes, seconds, TerminalError, waitUntil } from '@windlass/foundation';
import { KeyPair, mgmtContracts, ProofKeys, proofOfAnswer, type NatsLink, type ProvenAnswer } from '@windlass/messaging';
import type { HookContext } from '@windlass/mgmt-driver';
import type { Plan } from '@windlass/saga';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contextOf, describes, DriverBench, planBy } from './support/bench.js';

const DRIVER = 'mgmt-drivers-honest';
const { plan } = mgmtContracts(DRIVER);
const known = describes(DRIVER);
const within = { within: seconds(30) };

let bench: DriverBench;
let keys: KeyPair;
/** On the list for the driver's service, and revoked; and on the list for another service. */
let revoked: KeyPair;
let foreign: KeyPair;
/** Sits on NATS beside the driver, and may say and hear everything. */
let thief: NatsLink;
/** The honest driver waits for this before it answers: whoever is faster has answered by then. */
let before: () => Promise<void> = () => Promise.resolve();
let answer: (context: HookContext) => Plan = () => planBy(DRIVER);

beforeAll(async () => {
  bench = await DriverBench.start();
  keys = await bench.enrolledKey(DRIVER);
  foreign = await bench.enrolledKey('storage-mgmt');
  revoked = await bench.enrolledKey(DRIVER);
  await bench.enrolments.revokeKey(revoked.public.id);
  thief = await bench.linkOf('thief');
  const planned = async (context: HookContext) => {
    await before();
    return answer(context);
  };
  const validate = () => ({ invalidParams: [], warnings: [], normalised: {} });
  await bench.serve({ describe: () => known, validate, plan: planned }, keys, 'unannounced');
});
afterAll(() => bench.close());

/** A promise that somebody else resolves. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const raced: (() => void)[] = [];
afterEach(() => {
  for (const stop of raced.splice(0)) stop();
  before = () => Promise.resolve();
  answer = () => planBy(DRIVER);
  bench.log.lines.length = 0;
});

/** The thief answers each request first: the driver waits until what it sent is at the server. */
async function race(subject: string, forge: (request: Msg) => Iterable<Uint8Array | 'nobody'>): Promise<void> {
  const answered = gate();
  before = () => answered.opened;
  const nobody = headers(503, 'No Responders');
  const subscription = thief.connection.subscribe(subject, {
    callback: (_error, request) => {
      for (const bytes of forge(request))
        if (bytes === 'nobody') request.respond(undefined, { headers: nobody });
        else request.respond(bytes);
      void thief.flushed().then(answered.open);
    },
  });
  raced.push(() => subscription.unsubscribe());
  await thief.flushed();
}

const envelope = (type: string, data: object): Uint8Array =>
  Buffer.from(JSON.stringify({ v: 1, id: randomUUID(), type, time: new Date().toISOString(), data }));
const reply = (data: object): Uint8Array => envelope('mgmt.plan.reply', data);
const hostile = JSON.stringify({ reply: planBy('mgmt-drivers-thief') });

/** As a driver of version 2 answers, with whatever key: `keyId` says whose it says it is. */
function proven({ data, subject }: Msg, own: KeyPair, keyId = own.public.id, more: Partial<ProvenAnswer> = {}): Uint8Array {
  const request = JSON.parse(Buffer.from(data).toString('utf8')) as { data: { askedBy: string; nonce: string } };
  const words = { subject, nonce: request.data.nonce, request: data, body: hostile };
  const mac = proofOfAnswer(new ProofKeys('driver').of(own, request.data.askedBy), words);
  return reply({ v: 2, keyId, body: hostile, mac, ...more });
}

const dropped = () =>
  bench.log.lines
    .filter(({ message }) => message.endsWith('is not the driver’s and is dropped'))
    .map(({ fields }) => fields.reason);

/** Genuine answers, as they went over NATS. */
async function overheard(): Promise<Uint8Array> {
  const answers: Uint8Array[] = [];
  const spy = thief.connection.subscribe('>', {
    callback: (_error, { subject, data }) => {
      if (subject.startsWith('_INBOX') && Buffer.from(data).includes('"mgmt.plan.reply"')) answers.push(data);
    },
  });
  await thief.flushed();
  await bench.asker().ask(known, plan, contextOf('another'), within);
  await thief.flushed();
  spy.unsubscribe();
  return answers[0]!;
}

describe('a plan of somebody who answers faster than the driver', () => {
  it.each<[string, string, (request: Msg) => Uint8Array | 'nobody']>([
    ['by version 1 of the contract', 'version-1', () => reply(planBy('mgmt-drivers-thief'))],
    ['that is no message', 'malformed', () => Buffer.from('hello')],
    ['with a proof that it made up', 'wrong-proof', (request) => proven(request, keys, undefined, { mac: 'A'.repeat(43) })],
    ['proven by its own key in the driver’s name', 'wrong-proof', (request) => proven(request, foreign, keys.public.id)],
    ['proven by a key of another service', 'foreign-key', (request) => proven(request, foreign)],
    ['proven by a key that nobody enrolled', 'foreign-key', (request) => proven(request, KeyPair.generate())],
    ['proven by a revoked key of the driver’s service', 'revoked-key', (request) => proven(request, revoked)],
  ])('%s is dropped and told, and the driver’s is taken', async (_, reason, forge) => {
    await race(plan.subject, (request) => [forge(request)]);
    expect(await bench.asker().ask(known, plan, contextOf('o'), within)).toEqual(planBy(DRIVER));
    expect(dropped()).toEqual([reason]);
    expect(JSON.stringify(bench.log.lines)).not.toContain('mgmt-drivers-thief');
  });

  it('is dropped when it is an error, which would have ended the operation', async () => {
    const error = { code: 'example.refused', kind: 'terminal', detail: 'no', status: 500 };
    await race(plan.subject, (request) => [
      envelope('error', error),
      proven(request, foreign, keys.public.id, { body: JSON.stringify({ error }) }),
    ]);
    expect(await bench.asker().ask(known, plan, contextOf('o'), within)).toEqual(planBy(DRIVER));
    expect(dropped()).toEqual(['malformed', 'wrong-proof']);
  });

  it('is dropped when it is the driver’s own answer to another request', async () => {
    const genuine = await overheard();
    answer = () => planBy(DRIVER, 'this-one');
    await race(plan.subject, () => [genuine]);
    expect(await bench.asker().ask(known, plan, contextOf('o'), within)).toEqual(planBy(DRIVER, 'this-one'));
    expect(dropped()).toEqual(['wrong-proof']);
  });

  it('is dropped when the driver gave it for a request that was changed on the way', async () => {
    answer = ({ operationId }) => planBy(DRIVER, operationId);
    const asked = thief.connection.subscribe(plan.subject, {
      callback: (_error, { data, reply: inbox }) => {
        const changed = Buffer.from(Buffer.from(data).toString('utf8').replace('"operationId":"mine"', '"operationId":"evil"'));
        if (!changed.equals(data)) thief.connection.publish(plan.subject, changed, { reply: inbox! });
      },
    });
    raced.push(() => asked.unsubscribe());
    await thief.flushed();
    let calls = 0;
    // The changed request comes second; its answer is sent first.
    const second = gate();
    before = () => ((calls += 1) === 1 ? second.opened.then(() => thief.flushed()) : Promise.resolve(second.open()));
    expect(await bench.asker().ask(known, plan, contextOf('mine'), within)).toEqual(planBy(DRIVER, 'mine'));
    expect(dropped()).toEqual(['wrong-proof']);
  });

  it('is not needed to hold the driver’s up: that nobody is there may be a lie', async () => {
    await race(plan.subject, () => ['nobody']);
    expect(await bench.asker().askUntilAnswered(known, plan, contextOf('o'), within)).toEqual(planBy(DRIVER));
  });

  it('is dropped a hundred times with a line in the log for each kind of it', async () => {
    await race(plan.subject, (request) => Array.from({ length: 100 }, () => proven(request, foreign)));
    expect(await bench.asker().ask(known, plan, contextOf('o'), within)).toEqual(planBy(DRIVER));
    expect(bench.log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields.answers)).toEqual([1, 100]);
  });
});

describe('a driver that is asked', () => {
  it('may have a key that was enrolled a moment ago', async () => {
    const asker = bench.asker();
    await asker.ask(known, plan, contextOf('o'), within);
    const fresh = await bench.enrolledKey(DRIVER);
    await race(plan.subject, (request) => [proven(request, fresh)]);
    const asked = gate();
    before = () => asked.opened;
    expect(await asker.ask(known, plan, contextOf('o'), within)).toEqual(planBy('mgmt-drivers-thief'));
    asked.open();
    expect(dropped()).toEqual([]);
  });

  it('is heard by coordinators with a new master key, and by those that have not got it yet', async () => {
    const rotated = randomBytes(32);
    for (const masterKeys of [[rotated, ...bench.masterKeys], [rotated], bench.masterKeys])
      expect(await bench.asker(masterKeys).ask(known, plan, contextOf('o'), within)).toEqual(planBy(DRIVER));
  });

  it('has its errors taken for what they are', async () => {
    answer = () => {
      throw new TerminalError('cluster.no-master', 'there is no master');
    };
    const refused = bench.asker().askUntilAnswered(known, plan, contextOf('o'), within);
    await expect(refused).rejects.toMatchObject({ name: 'TerminalError', code: 'cluster.no-master' });
  });

  it('that is not there is told of at once', async () => {
    const since = performance.now();
    const { plan: unserved } = mgmtContracts('nobody');
    const nobody = bench.asker().ask(describes('nobody'), unserved, contextOf('o'), { within: minutes(2) });
    await expect(nobody).rejects.toMatchObject({ code: 'messaging.no-responders' });
    expect(performance.now() - since).toBeLessThan(seconds(90));
  });

  it('is not asked at all when it was announced by version 1 of the contract', async () => {
    const { contract: _, ...old } = known;
    const refused = bench.asker().ask(old, plan, contextOf('o'), within);
    await expect(refused).rejects.toMatchObject({
      code: 'driver.contract-version-1',
      message: expect.stringContaining('docs/contracts/mgmt-driver.md') as string,
    });
  });

  it('tells an asker of version 1 what is wrong', async () => {
    const { data } = await thief.connection.request(plan.subject, envelope('mgmt.plan.request', contextOf('o')), {
      timeout: 30_000,
    });
    expect(JSON.parse(Buffer.from(data).toString('utf8'))).toMatchObject({
      type: 'error',
      data: { kind: 'transient', code: 'driver.asked-by-version-1' },
    });
  });
});

describe('a driver in whose place others answer', () => {
  const absent = describes('mgmt-drivers-absent');
  const asked = mgmtContracts(absent.driver).plan;

  it('is not waited for longer than the limit, and the error says what came', async () => {
    await race(asked.subject, (request) => [Buffer.from('hello'), proven(request, foreign)]);
    const refused = bench.asker().ask(absent, asked, contextOf('o'), { within: seconds(5) });
    await expect(refused).rejects.toMatchObject({
      name: 'TransientError',
      code: 'driver.unproven-answer',
      message: expect.stringMatching(/^2 answers came .*malformed: 1, foreign-key: 1.*enrolled key/) as string,
    });
  });

  it('is to be rebuilt when it answers by version 1 of the contract', async () => {
    await race(asked.subject, () => [
      envelope('error', { code: 'messaging.undecodable', kind: 'terminal', detail: 'x', status: 400 }),
    ]);
    const refused = bench.asker().ask(absent, asked, contextOf('o'), { within: seconds(5) });
    await expect(refused).rejects.toMatchObject({
      code: 'driver.contract-version-1',
      message: expect.stringContaining('docs/contracts/mgmt-driver.md') as string,
    });
  });

  it('costs a bounded look at a flood of answers, and others are asked meanwhile', async () => {
    const large = Buffer.alloc(512 * 1024, 'x');
    await race(asked.subject, () => Array.from({ length: 400 }, () => large));
    const flooded = bench.asker().ask(absent, asked, contextOf('o'), { within: seconds(60) });
    const refused = expect(flooded).rejects.toMatchObject({
      code: 'driver.unproven-answer',
      message: expect.stringMatching(/^128 answers came /) as string,
    });
    before = () => Promise.resolve();
    await waitUntil(() => Promise.resolve(dropped().length > 0 || undefined), {
      for: 'the flood',
      within: seconds(30),
      every: millis(5),
    });
    expect(await bench.asker().ask(known, plan, contextOf('o'), { within: seconds(30) })).toEqual(planBy(DRIVER));
    await refused;
    expect(bench.log.lines.map(({ message, fields }) => [message, fields.answers])).toEqual([
      ['an answer to a driver’s question is not the driver’s and is dropped', 1],
      ['answers to a driver’s question were dropped', 128],
    ]);
  });
});
