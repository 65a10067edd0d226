import { describe, expect, it } from 'vitest';
import { Refused, Unreachable } from './client.js';
import { follow, PACE, type LiveEvent, type LiveState } from './live.js';

const QUICK = { again: 1, poll: 1, silence: 10_000 };

/** What a server answers, one after the other: parts of a stream that ends behind them, a status without a body, or an error. */
type Answer = readonly string[] | number | Error;

const streamOf = (parts: readonly string[]): Response =>
  new Response(
    new ReadableStream({
      start: (stream) => {
        for (const part of parts) stream.enqueue(new TextEncoder().encode(part));
        stream.close();
      },
    }),
  );

/** Follows until the answers are used up, or the stream says that it ends. */
async function followed(answers: readonly Answer[], poll = (): Promise<void> => Promise.resolve()) {
  const stop = new AbortController();
  const asked: (string | undefined)[] = [];
  const events: LiveEvent[] = [];
  const states: LiveState[] = [];
  let polls = 0;
  const left = [...answers];
  const client = {
    send: (_method: string, _path: string, init: { headers?: Readonly<Record<string, string>> } = {}): Promise<Response> => {
      const answer = left.shift();
      if (answer === undefined) {
        stop.abort();
        return Promise.reject(new Unreachable('nobody'));
      }
      asked.push(init.headers?.['Last-Event-ID']);
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve(typeof answer === 'number' ? new Response(null, { status: answer }) : streamOf(answer));
    },
  };
  const follower = {
    onEvents: (heard: readonly LiveEvent[]) => void events.push(...heard),
    onState: (state: LiveState) => void states.push(state),
    poll: () => {
      polls++;
      return poll();
    },
  };
  const failure: unknown = await follow(client, '/events', follower, stop.signal, QUICK).catch((error: unknown) => error);
  return { asked, events, states, polls, failure };
}

const event = (name: string, data: unknown, id?: string): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n${id === undefined ? '' : `id: ${id}\n`}\n`;

describe('an event stream that is followed', () => {
  it('goes on after a break behind the last event that came, wherever the stream was cut', async () => {
    const whole = event('step', { id: 'a' }, '7') + event('step', { id: 'b' }, '8');
    const { asked, events } = await followed([[whole.slice(0, 5), whole.slice(5, -9)], [event('step', { id: 'b' }, '8')], ['']]);
    expect(events.map(({ data }) => data)).toEqual([{ id: 'a' }, { id: 'b' }]);
    expect(asked).toEqual([undefined, '7', '8']);
  });

  it('ends with the operation, and is not asked for again', async () => {
    const { asked, states } = await followed([[event('end', { operationState: 'COMPLETED' }, '9')], ['never']]);
    expect([asked.length, states.at(-1)]).toEqual([1, 'ended']);
    expect((await followed([204, ['never']])).asked.length).toBe(1);
  });

  it('is polled where it can’t be had twice, and followed again once it can; polls are no faster than 5 s', async () => {
    const away = new Refused(503, 'events.full', 'full');
    const { polls, states, events } = await followed([away, away, away, [event('step', 1, '1')]]);
    expect(polls).toBe(2);
    expect(states).toContain('polling');
    expect(states.indexOf('live')).toBeGreaterThan(states.indexOf('polling'));
    expect(events.length).toBe(1);
    expect(PACE.poll).toBeGreaterThanOrEqual(5_000);
  });

  it.each([401, 403, 404])('gives up at %i, which does not pass by itself', async (status) => {
    const { failure, asked } = await followed([new Refused(status, 'no', 'no'), ['never']]);
    expect([asked.length, (failure as Refused).status]).toEqual([1, status]);
  });

  it('gives up when a poll is refused for good', async () => {
    const gone = new Refused(401, 'auth.refused', 'no');
    const { failure } = await followed([new Unreachable(''), new Unreachable(''), ['never']], () => Promise.reject(gone));
    expect(failure).toBe(gone);
  });
});
