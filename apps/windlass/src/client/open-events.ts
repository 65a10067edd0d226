import { RequestError, seconds, TransientError } from '@windlass/foundation';
import type { AxiosInstance } from 'axios';
import type { Readable } from 'node:stream';
import { axios } from './axios.js';
import { EventParser, type ReceivedEvent } from './event-stream.js';

/** A server says something every 15 seconds, if only that it is still there. */
const SILENCE = seconds(60);

/**
 * The events of one connection, until the server ends it.
 * @throws TransientError when it breaks, stays silent or is not to be had; RequestError when it is refused
 */
export async function* openEvents(
  http: AxiosInstance,
  path: string,
  lastEventId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<ReceivedEvent> {
  const stream = await open(http, path, lastEventId, signal);
  if (stream === undefined) return;
  const parser = new EventParser(lastEventId);
  const silent = setTimeout(() => stream.destroy(new Error('it fell silent')), SILENCE);
  try {
    stream.setEncoding('utf8');
    for await (const text of stream) {
      silent.refresh();
      yield* parser.push(text as string);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new TransientError(
      'api.stream-broke',
      `the event stream broke: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    clearTimeout(silent);
    stream.destroy();
  }
}

async function open(
  http: AxiosInstance,
  path: string,
  lastEventId: string | undefined,
  signal: AbortSignal,
): Promise<Readable | undefined> {
  const headers = { Accept: 'text/event-stream', ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }) };
  try {
    const { status, data } = await http.get<Readable>(path, { headers, responseType: 'stream', timeout: 0, signal });
    if (status === 200) return data;
    data.destroy();
    // Nothing will come any more.
    if (status === 204) return undefined;
    if (status >= 500 || status === 429) throw new TransientError('api.failed', `the API answers ${status}`);
    throw new RequestError(400, 'api.refused', `the API answers ${status} for ${path}`);
  } catch (error) {
    signal.throwIfAborted();
    if (!axios.isAxiosError(error)) throw error;
    // axios' own error carries the request's headers, and with them the token.
    throw new TransientError('api.unreachable', `the API does not answer (${error.code ?? 'no code'})`);
  }
}
