import { createParser } from 'eventsource-parser';
import { Refused, type ApiClient } from './client.js';

/** How the page comes to know what is news. */
export type LiveState = 'connecting' | 'live' | 'broken' | 'polling' | 'ended';

/** An event of the API's stream. `data` is the whole present state of its object. */
export interface LiveEvent {
  event: string;
  data: unknown;
}

export interface Follower {
  /** Events as they came together. */
  onEvents(events: readonly LiveEvent[]): void;
  onState(state: LiveState): void;
  /** Asks for everything, where no stream can be had. */
  poll(): Promise<void>;
}

export interface Pace {
  /** Between two tries of the stream, after one broke. */
  again: number;
  /** Between two polls. */
  poll: number;
  /** A server says something every 15 s. */
  silence: number;
}

/** Milliseconds. Polls are no faster than each 5 s. */
export const PACE: Pace = { again: 1_000, poll: 5_000, silence: 45_000 };

/** Characters: longer than any event of ours. What goes on beyond it is no event stream. */
const MAX_EVENT_LENGTH = 4 * 1024 * 1024;

/** After so many tries in a row that brought nothing, the page polls. */
const TRIES = 2;

/**
 * Follows an event stream until it ends or the signal says so: resumed with `Last-Event-ID` after a break; where it can't be had, polled.
 * @throws Refused for what will not change by itself: 401, 403, 404
 */
export async function follow(
  client: Pick<ApiClient, 'send'>,
  path: string,
  follower: Follower,
  signal: AbortSignal,
  pace = PACE,
): Promise<void> {
  let lastEventId: string | undefined;
  let failed = 0;
  follower.onState('connecting');
  while (!signal.aborted) {
    try {
      const stream = await open(client, path, lastEventId, signal, pace.silence);
      if (stream === undefined) {
        follower.onState('ended');
        return;
      }
      failed = 0;
      follower.onState('live');
      const read = await readAll(stream, follower, signal);
      lastEventId = read.lastEventId ?? lastEventId;
      if (read.ended) {
        follower.onState('ended');
        return;
      }
    } catch (error) {
      if (isAborted(signal)) return;
      if (error instanceof Refused && [401, 403, 404].includes(error.status)) throw error;
      failed++;
    }
    if (failed >= TRIES) await polled(follower);
    else follower.onState('broken');
    await pause(failed >= TRIES ? pace.poll : pace.again, signal);
  }
}

/** The signal changes while something is awaited, which the compiler does not know. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted;

async function polled(follower: Follower): Promise<void> {
  try {
    await follower.poll();
    follower.onState('polling');
  } catch (error) {
    if (error instanceof Refused && error.status < 500 && error.status !== 429) throw error;
    follower.onState('broken');
  }
}

interface OpenStream {
  body: ReadableStream<Uint8Array>;
  heard: () => void;
  close: () => void;
  lastEventId: string | undefined;
}

async function open(
  client: Pick<ApiClient, 'send'>,
  path: string,
  lastEventId: string | undefined,
  signal: AbortSignal,
  silence: number,
): Promise<OpenStream | undefined> {
  const silent = new AbortController();
  const stop = (): void => silent.abort();
  let timer = setTimeout(stop, silence);
  const close = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    silent.abort();
  };
  signal.addEventListener('abort', stop);
  const headers = { Accept: 'text/event-stream', ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }) };
  try {
    const { status, body } = await client.send('GET', path, { headers, signal: silent.signal });
    if (status !== 204 && body !== null) {
      const heard = (): void => {
        clearTimeout(timer);
        timer = setTimeout(stop, silence);
      };
      return { body, heard, close, lastEventId };
    }
  } catch (error) {
    close();
    throw error;
  }
  close();
  return undefined;
}

/** Reads until the stream ends or breaks; what has come by then counts, for the next one begins behind it. */
async function readAll(
  { body, heard, close, lastEventId }: OpenStream,
  follower: Follower,
  signal: AbortSignal,
): Promise<{ lastEventId: string | undefined; ended: boolean }> {
  let last = lastEventId;
  let ended = false;
  let batch: LiveEvent[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onError: (error) => {
      // A field that nobody knows is passed over.
      if (error.type === 'max-buffer-size-exceeded') throw new SyntaxError('an event does not end');
    },
    onEvent: ({ event = 'message', data, id }) => {
      last = id ?? last;
      ended ||= event === 'end';
      batch.push({ event, data: JSON.parse(data) as unknown });
    },
  });
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || isAborted(signal)) break;
      heard();
      parser.feed(value);
      if (batch.length > 0) follower.onEvents(batch);
      batch = [];
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    // It broke, or fell silent: it is opened again.
  } finally {
    close();
  }
  return { lastEventId: last, ended };
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
