import { TerminalError, TimeLimit, type Duration } from '@windlass/foundation';
import { OutboundClient, type OutboundAnswer, type OutboundOptions } from '@windlass/outbound';

/** What is asked of an address. */
export interface Question {
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks one thing of the internet after another, until the time for all of them is up. */
export type Ask = (url: string, question?: Question) => Promise<OutboundAnswer>;

/** How the internet is asked. */
export interface InternetOptions extends OutboundOptions {
  /** For tests: where an address is to be found instead. Redirects are judged by the addresses that servers name. */
  readonly at?: (url: string) => string;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** As many as registries and package repositories need, and some more: each has one. */
const MOST_REDIRECTS = 5;

/** HTTPS without credentials of anybody: redirects are followed to other hosts, but never to an address without TLS. Nothing of an answer above 4 MiB is kept. */
export class InternetClient {
  readonly #client: OutboundClient;
  readonly #at: (url: string) => string;

  constructor({ at = (url) => url, ...options }: InternetOptions = {}) {
    this.#client = new OutboundClient(options);
    this.#at = at;
  }

  /**
   * Gives what it is called with the way to ask, for as long as that.
   * @throws TerminalError `defaults.redirected`, and those of {@link OutboundClient.send}; TransientError those, too
   * @throws TerminalError `defaults.too-slow` when the time is up
   */
  async within<T>(time: Duration, look: (ask: Ask) => Promise<T>): Promise<T> {
    const limit = new TimeLimit(time);
    try {
      return await look((url, question = {}) => this.#ask(url, question, { time, signal: limit.signal }));
    } catch (error) {
      if (limit.expired) throw new TerminalError('defaults.too-slow', `no whole answer within ${time / 1_000} s`);
      throw error;
    } finally {
      limit.stop();
    }
  }

  async #ask(
    first: string,
    { method = 'GET', headers = {} }: Question,
    { time, signal }: { time: Duration; signal: AbortSignal },
  ): Promise<OutboundAnswer> {
    let url = new URL(first);
    const { origin } = url;
    const { authorization, ...others } = headers;
    for (let left = MOST_REDIRECTS; ; left--) {
      // A token is for who gave it.
      const own = authorization === undefined || url.origin !== origin ? {} : { authorization };
      const answer = await this.#client.send({
        method,
        url: this.#at(url.href),
        headers: { ...others, ...own },
        within: time,
        signal,
      });
      if (!REDIRECTS.has(answer.status)) return answer;
      url = redirected(url, answer, left);
    }
  }
}

function redirected(from: URL, { status, headers }: OutboundAnswer, left: number): URL {
  const { location = '' } = headers;
  const refused = (why: string) => new TerminalError('defaults.redirected', `${from.host} answered ${status}, a redirect ${why}`);
  if (left <= 0) throw refused(`after ${MOST_REDIRECTS} others`);
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (to?.protocol !== 'https:') throw refused('to no https address');
  return to;
}
