import {
  InvariantError,
  millis,
  RequestError,
  seconds,
  TerminalError,
  TransientError,
  currentTrace,
  inTrace,
  startTrace,
} from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineContract } from '../contracts/contract.js';
import { encode } from '../envelope/envelope.js';
import type { NatsLink } from '../link/nats-link.js';
import { eventually, gate, NatsBench } from '../testing/harness.js';
import { RequestClient } from './request-client.js';
import { RequestServer } from './request-server.js';

const text = { type: 'string', maxLength: 10_000_000 };
const contractOn = (subject: string) =>
  defineContract<string, string>({ name: 'test.echo', subject, request: text, reply: text });

const bench = new NatsBench();
let asking: NatsLink;
let client: RequestClient;

async function serve(
  subject: string,
  handler: (data: string, id: string) => Promise<string>,
  queue = 'echo',
): Promise<RequestServer> {
  const link = await bench.link('serves');
  const server = new RequestServer(link, queue, bench.log);
  server.serve(contractOn(subject), (data, { id }) => handler(data, id));
  await link.connection.flush();
  return server;
}

describe('request and reply', () => {
  beforeAll(async () => {
    await bench.start();
    asking = await bench.link('asks');
    client = new RequestClient(asking);
  });
  afterAll(() => bench.close());

  it('reaches one replica of a service', async () => {
    const answered = [0, 0];
    await serve('windlass.test.one', () => Promise.resolve(String((answered[0]! += 1))));
    await serve('windlass.test.one', () => Promise.resolve(String((answered[1]! += 1))));
    const asks = Array.from({ length: 60 }, () => client.request(contractOn('windlass.test.one'), 'x'));
    await Promise.all(asks);
    expect(answered[0]! + answered[1]!).toBe(60);
    expect(Math.min(...answered)).toBeGreaterThan(5);
  });

  it.each([
    new RequestError(409, 'vim.in-use', 'VIM a is in use', { title: 'Conflict' }),
    new RequestError(400, 'lcm.invalid', 'wrong', { invalidParams: [{ path: '/flavourId', reason: 'unknown' }] }),
    new TransientError('db.away', 'PostgreSQL is away', { retryAfter: millis(1_500) }),
    new TerminalError('stack.create-failed', 'the VIM refused', { status: 502 }),
    new InvariantError('this must not be'),
  ])('throws the error of the other side as it was there: %s', async (error) => {
    const subject = `windlass.test.${error.code.replace('.', '-')}`;
    await serve(subject, () => Promise.reject(error));
    const seen: unknown = await client.request(contractOn(subject), 'x').catch((reason: unknown) => reason);
    expect(seen).toBeInstanceOf(error.constructor);
    const { code, message, status, title, invalidParams } = error;
    expect(seen).toMatchObject({ code, message, status, title, invalidParams });
    if (error instanceof TransientError) expect(seen).toMatchObject({ retryAfter: 1_500 });
  });

  it('says of an unknown error no more than that, and logs it where it happened', async () => {
    await serve('windlass.test.leak', () => Promise.reject(new Error('password is hunter2')));
    const seen = client.request(contractOn('windlass.test.leak'), 'x');
    await expect(seen).rejects.toMatchObject({
      code: 'internal.invariant',
      message: expect.not.stringContaining('hunter2') as string,
    });
    expect(bench.log.lines.at(-1)?.fields.error).toMatchObject({ message: 'password is hunter2' });
  });

  it('refuses what the contract does not allow, at both ends', async () => {
    await serve('windlass.test.rules', (data) => Promise.resolve(data === 'bad reply' ? (7 as unknown as string) : data));
    await expect(client.request(contractOn('windlass.test.rules'), 7 as unknown as string)).rejects.toThrow(/about to send/);
    await expect(client.request(contractOn('windlass.test.rules'), 'bad reply')).rejects.toMatchObject({
      code: 'internal.invariant',
    });
    const loose = defineContract<number, string>({
      ...contractOn('windlass.test.rules'),
      request: { type: 'number' },
      reply: text,
    });
    await expect(client.request(loose, 7)).rejects.toMatchObject({
      code: 'messaging.undecodable',
      invalidParams: [{ path: '/data', reason: 'must be string' }],
    });
    const wrongType = defineContract<string, string>({
      name: 'test.other',
      subject: 'windlass.test.rules',
      request: text,
      reply: text,
    });
    await expect(client.request(wrongType, 'x')).rejects.toThrow('/type is test.other.request; expected test.echo.request');
  });

  it('answers garbage with an error instead of silence', async () => {
    await serve('windlass.test.garbage', (data) => Promise.resolve(data));
    for (const bytes of [
      '{',
      'null',
      '{"v":2,"id":"1","type":"a","time":"2026-01-01T00:00:00Z","data":1}',
      Buffer.from([0xff]),
    ]) {
      const answer = await asking.connection.request('windlass.test.garbage', bytes, { timeout: 2_000 });
      expect(answer.json()).toMatchObject({ type: 'error', data: { code: 'messaging.undecodable' } });
    }
  });

  it('tells nobody serving from nobody answering', async () => {
    await expect(client.request(contractOn('windlass.test.nobody'), 'x')).rejects.toMatchObject({
      code: 'messaging.no-responders',
    });
    const never = gate();
    await serve('windlass.test.slow', () => never.opened.then(() => 'late'));
    const asked = client.request(contractOn('windlass.test.slow'), 'x', { within: millis(50) });
    await expect(asked).rejects.toMatchObject({
      code: 'messaging.no-answer',
      message: 'no answer on windlass.test.slow in 50 ms',
    });
    never.open();
  });

  it('is repeated with the same id until there is an answer', async () => {
    const ids: string[] = [];
    const asked = client.requestUntilAnswered(contractOn('windlass.test.late'), 'x', { each: millis(100) });
    await serve('windlass.test.late', (_, id) => {
      ids.push(id);
      return ids.length < 3 ? Promise.reject(new TransientError('db.away', 'not yet')) : Promise.resolve('done');
    });
    expect(await asked).toBe('done');
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
  });

  it('is not repeated after an error that would come again', async () => {
    let asked = 0;
    await serve('windlass.test.final', () => {
      asked += 1;
      return Promise.reject(new RequestError(409, 'step.stale', 'stale epoch'));
    });
    await expect(client.requestUntilAnswered(contractOn('windlass.test.final'), 'x')).rejects.toMatchObject({
      code: 'step.stale',
    });
    expect(asked).toBe(1);
  });

  it('ends its repetitions at the limit or the signal, saying what was seen last', async () => {
    const contract = contractOn('windlass.test.nobody');
    const limited = client.requestUntilAnswered(contract, 'x', { within: seconds(2) });
    await expect(limited).rejects.toMatchObject({ code: 'messaging.no-responders' });
    const stop = new AbortController();
    const stopped = client.requestUntilAnswered(contract, 'x', { signal: stop.signal });
    setImmediate(() => stop.abort());
    await expect(stopped).rejects.toBeInstanceOf(TransientError);
  });

  it('goes on over kill -9 of the server', async () => {
    await serve('windlass.test.restart', (data) => Promise.resolve(`${data}!`));
    await bench.server.kill();
    await eventually('the loss to be noticed', () => !asking.state.connected);
    const asked = client.requestUntilAnswered(contractOn('windlass.test.restart'), 'x', { within: seconds(20) });
    await bench.start();
    expect(await asked).toBe('x!');
    expect(asking.state).toEqual({ connected: true });
  });

  it('does not send, when the connection is back, what was given up meanwhile', async () => {
    const received: string[] = [];
    await serve('windlass.test.stale', (data) => {
      received.push(data);
      return Promise.resolve('ok');
    });
    await bench.server.kill();
    await eventually('the loss to be noticed', () => !asking.state.connected);
    const given = client.request(contractOn('windlass.test.stale'), 'old', { within: millis(50) });
    await expect(given).rejects.toMatchObject({ code: 'messaging.disconnected' });
    await bench.start();
    await client.requestUntilAnswered(contractOn('windlass.test.stale'), 'new', { within: seconds(20) });
    expect(received).toEqual(['new']);
  });

  it('is refused when it is too large for the server, and so is an answer', async () => {
    await serve('windlass.test.large', () => Promise.resolve('x'.repeat(9_000_000)));
    const contract = contractOn('windlass.test.large');
    await expect(client.request(contract, 'x'.repeat(9_000_000))).rejects.toMatchObject({ code: 'messaging.too-large' });
    await expect(client.request(contract, 'x')).rejects.toMatchObject({
      code: 'messaging.too-large',
      message: expect.stringMatching(/^the answer has 9\d{6} bytes.*NATS server takes 8388608: raise max_payload/) as string,
    });
  });

  it('carries the trace, with a span of its own for each hop', async () => {
    let there = currentTrace();
    await serve('windlass.test.trace', () => {
      there = currentTrace();
      return Promise.resolve('ok');
    });
    const here = startTrace();
    await inTrace(here, () => client.request(contractOn('windlass.test.trace'), 'x'));
    expect(there?.traceId).toBe(here.traceId);
    expect(there?.spanId).not.toBe(here.spanId);
  });

  it('is answered still while the server stops, and not taken any more', async () => {
    const hold = gate();
    const server = await serve('windlass.test.drain', () => hold.opened.then(() => 'answered'));
    const asked = client.request(contractOn('windlass.test.drain'), 'x');
    await eventually('the request to arrive', () => server.busy === 1);
    const drained = server.drain();
    await eventually('the subject to be left', async () => {
      const bytes = encode('test.echo.request', contractOn('windlass.test.drain').request, 'y');
      const seen = await asking.connection
        .request('windlass.test.drain', bytes, { timeout: 100 })
        .catch((error: unknown) => error);
      return seen instanceof Error && /no responders/i.test(seen.message);
    });
    hold.open();
    await drained;
    expect(await asked).toBe('answered');
  });
});
