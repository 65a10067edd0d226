import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { millis, minutes, TransientError, type Duration } from '@windlass/foundation';
import express, { type Response } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { eventText } from '../rendering/live-events.js';
import { EventWriter } from './event-writer.js';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A request that is answered by `serve`, and its answer, of which nothing is read yet. */
async function connection(serve: (response: Response) => void): Promise<IncomingMessage> {
  const app = express();
  app.get('/', (_request, response) => serve(response));
  server = createServer(app);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => get({ port, host: '127.0.0.1' }, resolve).on('error', reject));
}

const MEGABYTE = 'x'.repeat(1024 * 1024);
const event = { event: 'end', data: { operationState: MEGABYTE } } as const;

/** Sends events until that fails; returns why, how many went, and the most that waited in memory. */
function flood(patience: Duration, signal = new AbortController().signal) {
  let sent = 0;
  let held = 0;
  let response: Response | undefined;
  const failed = new Promise<unknown>((resolve) => {
    void connection((answer) => {
      response = answer;
      const writer = new EventWriter(answer, patience, signal);
      const send = async (): Promise<void> => {
        await writer.begin(millis(1));
        for (;;) {
          const sending = writer.send(event);
          held = Math.max(held, answer.writableLength);
          await sending;
          sent++;
        }
      };
      send().catch(resolve);
    }).then((answer) => answer.pause());
  });
  return { failed, held: () => held, sent: () => sent, response: () => response };
}

describe('a client that takes nothing in', () => {
  it('is let go after a while; meanwhile one event waits for it, not more', async () => {
    const { failed, held } = flood(millis(300));
    const error = await failed;
    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ code: 'events.too-slow' });
    expect(held()).toBeLessThan(2 * MEGABYTE.length + 1_024 * 1_024);
  });

  it('holds up no stop', async () => {
    const stopping = new AbortController();
    const { failed, held } = flood(minutes(10), stopping.signal);
    await expect.poll(held, { timeout: 15_000 }).toBeGreaterThan(MEGABYTE.length);
    stopping.abort();
    expect(await failed).toMatchObject({ name: 'AbortError' });
  });
});

describe('an event on the wire', () => {
  it('has one line of data, and an id only where it has one', () => {
    expect(eventText({ event: 'end', data: { operationState: 'a\nb' }, id: '7' })).toBe(
      'event: end\ndata: {"operationState":"a\\nb"}\nid: 7\n\n',
    );
    expect(eventText({ event: 'ready', data: { snapshot: true } })).toBe('event: ready\ndata: {"snapshot":true}\n\n');
  });
});
