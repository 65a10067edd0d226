import { describeDuration, TerminalError, TimeLimit, TransientError, type Duration } from '@windlass/foundation';
import { addressOf, known, urlOf } from './errors.js';
import type { OpenAnswer, OutboundAuth, OutboundRequest } from './outbound-request.js';

/** What is to be fetched, and what it may cost. */
export interface DownloadRequest {
  /** http or https, without user part. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: OutboundAuth | undefined;
  /** All of it. */
  readonly maxBytes: number;
  /** From the request to the last byte. */
  readonly within: Duration;
  /** Between two parts of the body. */
  readonly idleWithin: Duration;
  /** Redirects that are followed, 0 by default: only to the same host, never from https to http; credentials go to the same origin alone. */
  readonly redirects?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A download that has begun. */
export interface Download {
  readonly headers: Readonly<Record<string, string>>;
  /** As the server announces it; undefined where it does not. */
  readonly size: number | undefined;
  /** To be read once. Leaving it early ends the connection; a part of it that never comes throws. */
  readonly body: AsyncGenerator<Buffer, void, undefined>;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What sends one request and leaves its answer's body to be read. */
interface Exchanging {
  exchange(request: OutboundRequest, limit: TimeLimit): Promise<OpenAnswer>;
}

/** As `OutboundClient.download`. */
export async function downloadFrom(client: Exchanging, request: DownloadRequest): Promise<Download> {
  const limit = new TimeLimit(request.within, request.signal);
  let url = urlOf(request.url);
  try {
    const { origin } = url;
    let answer = await open(client, request, url, origin, limit);
    for (let left = request.redirects ?? 0; REDIRECTS.has(answer.status); left--) {
      answer.body.destroy();
      url = redirected(url, answer, left);
      answer = await open(client, request, url, origin, limit);
    }
    return begun(answer, url, request, limit);
  } catch (error) {
    limit.stop();
    throw known(error, url, limit, request);
  }
}

const open = (client: Exchanging, { headers, auth }: DownloadRequest, url: URL, origin: string, limit: TimeLimit) =>
  client.exchange(
    {
      method: 'GET',
      url: url.href,
      ...(headers === undefined ? {} : { headers }),
      ...(url.origin === origin ? { auth } : {}),
    },
    limit,
  );

function redirected(from: URL, { headers, status }: OpenAnswer, left: number): URL {
  const { location = '' } = headers;
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  const refused = (why: string) =>
    new TerminalError(
      'outbound.redirected',
      `${addressOf(from)} answered ${status}, a redirect ${why}: name the address it leads to`,
    );
  if (left <= 0) throw refused('that is not followed');
  if (to?.hostname !== from.hostname) throw refused('to another host');
  if (from.protocol === 'https:' && to.protocol !== 'https:') throw refused('to an address without TLS');
  return urlOf(to.href);
}

function begun(answer: OpenAnswer, url: URL, request: DownloadRequest, limit: TimeLimit): Download {
  const { status, headers, body } = answer;
  const size = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  const refuse = (error: Error): never => {
    body.destroy();
    throw error;
  };
  if (status === 429 || status >= 500)
    refuse(new TransientError('outbound.server-error', `${addressOf(url)} answered ${status}`));
  if (status !== 200) refuse(new TerminalError('outbound.refused', `${addressOf(url)} answered ${status}; expected 200`));
  if (size !== undefined && size > request.maxBytes) refuse(tooLarge(url, request.maxBytes));
  return { headers, size, body: parts(answer, size, url, request, limit) };
}

const tooLarge = (url: URL, atMost: number): TerminalError =>
  new TerminalError('outbound.too-large', `${addressOf(url)} has more than the ${atMost} bytes that are taken`);

async function* parts(
  { body }: OpenAnswer,
  announced: number | undefined,
  url: URL,
  request: DownloadRequest,
  limit: TimeLimit,
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  const idle = () =>
    body.destroy(
      new TransientError('outbound.stalled', `${addressOf(url)} sent nothing for ${describeDuration(request.idleWithin)}`),
    );
  let timer = setTimeout(idle, request.idleWithin);
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      // Time that the reader takes does not count.
      clearTimeout(timer);
      size += part.length;
      if (size > request.maxBytes) throw tooLarge(url, request.maxBytes);
      yield part;
      timer = setTimeout(idle, request.idleWithin);
    }
    if (announced !== undefined && size !== announced)
      throw new TransientError('outbound.cut-short', `${addressOf(url)} sent ${size} of ${announced} bytes`);
  } catch (error) {
    throw known(error, url, limit, request);
  } finally {
    clearTimeout(timer);
    limit.stop();
  }
}
