import type { Msg } from '@nats-io/transport-node';
import { millis } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NatsLink } from '../link/nats-link.js';
import { Pulls } from './pulls.js';

/** One pull lasts 600 ms and has a heartbeat each 100. */
const LASTS = millis(600);

/** A server that says what the test wants, and the pulls that it was asked for. */
function scene() {
  const asked: { subject: string; batch: number; expires: number }[] = [];
  const given: string[] = [];
  let hear: (error: null, message: Msg) => void = () => undefined;
  const connection = {
    subscribe: (_: string, { callback }: { callback: typeof hear }) => void (hear = callback),
    publish: (_: string, text: string, { reply }: { reply: string }) => {
      const { batch, expires } = JSON.parse(text) as { batch: number; expires: number };
      asked.push({ subject: reply, batch, expires: Math.round(expires / 1e6) });
    },
  };
  const pulls = new Pulls({ connection } as unknown as NatsLink, 'next', 'inbox', LASTS, () => undefined);
  const ended: string[] = [];
  const take = (count = 1): void => {
    for (let n = 0; n < count; n += 1) void pulls.take().then(({ kind }) => ended.push(kind));
  };
  const status = (subject: string | undefined, code: number, pending?: number): void => {
    const get = () => (pending === undefined ? '' : String(pending));
    hear(null, { subject, headers: { code, description: 'said', get } } as unknown as Msg);
  };
  const deliver = (): void => {
    const reply = '$JS.ACK.s.c.1.1.1.1.0';
    hear(null, { subject: 'windlass.step.x', reply, respond: (text: string) => void given.push(text) } as unknown as Msg);
  };
  return { asked, given, ended, take, status, deliver };
}

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('what is pulled for workers', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  it('is never more than workers are free, and a worker that is free again asks for one', async () => {
    const { asked, given, ended, take, deliver } = scene();
    take(3);
    await later(1);
    expect(asked.map(({ batch }) => batch)).toEqual([3]);
    deliver();
    await later(1);
    expect(ended).toEqual(['message']);
    expect(asked).toHaveLength(1);
    take();
    await later(1);
    expect(asked.map(({ batch }) => batch)).toEqual([3, 1]);
    for (let n = 0; n < 3; n += 1) deliver();
    expect(given).toEqual([]);
    // All four have one: what comes now goes to another replica at once.
    deliver();
    expect(given).toEqual(['-NAK']);
  });

  it('ends at one moment, so that workers who became free one after another share the next pull', async () => {
    const { asked, take, status, deliver } = scene();
    take(3);
    await later(100);
    deliver();
    take();
    await later(100);
    deliver();
    take();
    await later(1);
    expect(asked.map(({ batch }) => batch)).toEqual([3, 1, 1]);
    const ends = asked.map(({ expires }, n) => expires + n * 100);
    expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(10);
    await later(400);
    for (const [n, left] of [1, 1, 1].entries()) status(asked[n]?.subject, 408, left);
    await later(0);
    take(3);
    await later(1);
    expect(asked.map(({ batch }) => batch)).toEqual([3, 1, 1, 3]);
  });

  it('is asked for anew where a pull ended with messages of it unsent: as many workers are told, and no more', async () => {
    const { asked, ended, take, status, deliver } = scene();
    take(4);
    await later(1);
    deliver();
    status(asked[0]?.subject, 408, 3);
    await later(0);
    expect(ended).toEqual(['message', 'nothing', 'nothing', 'nothing']);
  });

  it('is looked after where the server is silent, as soon as two and a half heartbeats are missing', async () => {
    const { asked, ended, take, status } = scene();
    take(2);
    await later(200);
    status(asked[0]?.subject, 100);
    await later(240);
    expect(ended).toEqual([]);
    await later(70);
    expect(ended).toEqual(['gone', 'gone']);
  });

  it('is looked after where the server lost one pull and has another', async () => {
    const { asked, ended, take, status } = scene();
    take(2);
    await later(50);
    take();
    for (let n = 0; n < 6; n += 1) {
      await later(50);
      status(asked[1]?.subject, 100);
    }
    expect(ended).toEqual(['gone', 'gone', 'gone']);
  });
});
