import type { Msg } from '@nats-io/transport-node';
import { millis, seconds } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineContract } from '../contracts/contract.js';
import { encode } from '../envelope/envelope.js';
import { Pulls } from '../jetstream/pulls.js';
import { managerOf } from '../jetstream/streams.js';
import { newInbox } from '../link/inbox.js';
import type { NatsLink } from '../link/nats-link.js';
import { eventually, gate, NatsBench } from '../testing/harness.js';
import { RequestClient } from './request-client.js';
import { RequestServer } from './request-server.js';

const text = { type: 'string' };
const contractOn = (subject: string) =>
  defineContract<string, string>({ name: 'test.echo', subject, request: text, reply: text });
const honest = contractOn('windlass.test.honest');

const bench = new NatsBench();
let attacker: NatsLink;
let victim: NatsLink;
/** Everything that anybody sent: its subject, and where an answer to it is to go. */
const overheard: { subject: string; reply: string | undefined }[] = [];
const sentTo = (subject: string): number => overheard.filter((message) => message.subject === subject).length;
const repliesOf = (subject: string): string[] =>
  overheard.flatMap((message) => (message.subject === subject && message.reply !== undefined ? [message.reply] : []));

/** What the attacker asks for by hand, with a place of its choice for the answer. */
function ask(subject: string, reply?: string): void {
  const bytes = encode('test.echo.request', honest.request, 'forged');
  attacker.connection.publish(subject, bytes, reply === undefined ? {} : { reply });
}

describe('the answers of an honest service', () => {
  beforeAll(async () => {
    await bench.start();
    [attacker, victim] = [await bench.link('attacker'), await bench.link('victim')];
    const spy = await bench.link('spy');
    spy.connection.subscribe('>', { callback: (_, { subject, reply }: Msg) => void overheard.push({ subject, reply }) });
    const link = await bench.link('honest');
    new RequestServer(link, 'honest', bench.log).serve(honest, (data) => Promise.resolve(data));
    await Promise.all([spy.flushed(), link.flushed()]);
  });
  afterAll(() => bench.close());

  it('go to inboxes alone, wherever the asker wants them', async () => {
    const places = [
      'windlass.saga.claim',
      'windlass.step.infra-driver',
      'windlass.event.vnf.deleted',
      '$JS.API.STREAM.DELETE.windlass-steps',
      '$JS.ACK.windlass-steps.step-infra-driver.1.1.1.1.0',
      '$SYS.REQ.SERVER.PING',
      '_INBOX_',
      '_INBOXES.x',
      'x._INBOX_victim.y',
    ];
    for (const place of places) ask(honest.subject, place);
    ask(honest.subject);
    await attacker.flushed();
    expect(await new RequestClient(victim).request(honest, 'after all that')).toBe('after all that');
    for (const place of places) expect(sentTo(place), place).toBe(0);
    // A request whose answer would be an acknowledgement does not get through nats-server.
    const dropped = bench.log.lines.filter(({ message }) => message.startsWith('a request that wants its answer elsewhere'));
    expect(dropped.map(({ fields }) => fields.reply)).toEqual([...places.filter((place) => !place.startsWith('$JS.ACK')), '']);
  });

  it('are not taken by whoever asked somebody else, though they come to its inbox', async () => {
    const asked = gate();
    const answering = gate();
    const slow = contractOn('windlass.test.slow');
    const link = await bench.link('slow');
    new RequestServer(link, 'slow', bench.log).serve(slow, async () => {
      asked.open();
      await answering.opened;
      return 'the true answer';
    });
    // Asked before the server is known to NATS, the first question would be lost, and asked again with another inbox.
    await link.flushed();
    const answer = new RequestClient(victim).requestUntilAnswered(slow, 'x', { within: seconds(20), each: seconds(10) });
    await asked.opened;
    await eventually('the request', () => repliesOf(slow.subject).length > 0);
    const [inbox] = repliesOf(slow.subject) as [string];
    ask(honest.subject, inbox);
    attacker.connection.publish(inbox, 'no envelope');
    attacker.connection.publish(inbox, encode('test.echo.reply', honest.reply, 'forged', { inReplyTo: 'a guess' }));
    await attacker.flushed();
    await eventually('three forged answers', () => sentTo(inbox) === 3);
    answering.open();
    expect(await answer).toBe('the true answer');
    const dropped = bench.log.of('warn').filter((line) => line.startsWith('what came as an answer belongs to no request'));
    expect(dropped).toHaveLength(3);
  });

  it('come to names of which none tells of another', async () => {
    const client = new RequestClient(victim);
    for (let count = 0; count < 40; count += 1) await client.request(honest, 'x');
    const manager = await managerOf(victim.connection);
    for (const name of ['a', 'b']) await manager.streams.info(name).catch(() => undefined); // there are no such streams
    const pulls = [1, 2].map(() => new Pulls(victim, 'windlass.test.pull', newInbox('victim'), millis(100), () => undefined));
    await Promise.all(pulls.map((each) => each.take()));
    await Promise.all(pulls.map((each) => each.stop()));
    const tokens = repliesOf(honest.subject)
      .slice(-40)
      .map((reply) => reply.split('.').at(-1) ?? '');
    expect(tokens.every((token) => token.length >= 22)).toBe(true);
    expect(sharedBeginning(tokens)).toBeLessThan(10);
    // What JetStream's API is asked, and what is pulled, the server alone is told of; who answers requests learns nothing about it.
    const random = [
      repliesOf(honest.subject).at(-1) ?? '',
      ...['a', 'b'].flatMap((name) => repliesOf(`$JS.API.STREAM.INFO.${name}`).slice(0, 1)),
      ...new Set(repliesOf('windlass.test.pull')),
    ].map((reply) => reply.split('.')[1] ?? '');
    expect(random).toHaveLength(5);
    expect(random.every((name) => name.length >= 22)).toBe(true);
    const [requests, jetStream, alsoJetStream, ...pulled] = random as [string, string, string, ...string[]];
    expect(jetStream).toBe(alsoJetStream);
    expect(sharedBeginning([requests, jetStream, ...pulled])).toBeLessThan(10);
  });
});

/** How many characters any two of them have in common at their beginning, at most. */
function sharedBeginning(names: readonly string[]): number {
  const sorted = [...names].sort();
  const shared = (a: string, b: string): number => {
    let at = 0;
    while (at < a.length && a[at] === b[at]) at += 1;
    return at;
  };
  return Math.max(...sorted.slice(1).map((name, at) => shared(name, sorted[at] ?? '')));
}
