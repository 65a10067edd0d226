import { millis, minutes, seconds, TerminalError, TransientError, type Duration } from '@windlass/foundation';
import type { AskedGrant } from '@windlass/lifecycle';
import { OutboundClient, type OutboundAnswer } from '@windlass/outbound';
import { badAnswer, grantIn, refusal, saidIn } from './granted-answer.js';
import type { NfvoSettings } from './nfvo-config.js';

/** A longer Retry-After is cut to this. */
const LONGEST_PAUSE = minutes(5);

/** Statuses of the 400s that say "later" and not "no". */
const LATER = [408, 425, 429];

/** Grants of an NFVO (SOL003 9.4), over HTTP. Connections go only to the addresses in the configuration. */
export class NfvoClient {
  readonly #outbound: OutboundClient;
  readonly #root: URL;

  constructor(private readonly settings: NfvoSettings) {
    const { url, auth, tls = {}, proxy, answerWithin = seconds(10) } = settings;
    this.#root = new URL(`${url}/grant/v1/grants`);
    const named = [url, ...(auth?.kind === 'oauth2' ? [auth.tokenEndpoint] : [])];
    this.#outbound = new OutboundClient({
      // The operator names both addresses, so they may lie anywhere. There are no others.
      rules: {
        allow: ['0.0.0.0/0', '::/0'],
        deny: [],
        only: named.map((each) => new URL(each).hostname.replace(/^\[|\]$/g, '')),
        privateNetworks: true,
      },
      limits: { within: answerWithin },
      tls,
      ...(proxy === undefined ? {} : { proxy }),
    });
  }

  get settingsOfWaiting(): Pick<NfvoSettings, 'grantWithin' | 'askAgainEvery'> {
    return this.settings;
  }

  /**
   * Asks for a grant.
   * @param request a GrantRequest as JSON text
   * @param again whether it may have been asked before, by an attempt whose answer was lost: then the NFVO may point at the grant it gave
   * @throws TerminalError `grant.refused` with the NFVO's reason, `grant.bad-answer`
   * @throws TransientError where it is away or busy
   */
  async ask(request: string, { again, signal }: { again: boolean; signal: AbortSignal }): Promise<AskedGrant> {
    const answer = await this.#send({ method: 'POST', url: this.#root.href, body: request, signal });
    const { status, headers, text } = answer;
    if (status === 200 || status === 201) return { grant: grantIn(text) };
    const { location } = headers;
    if (status === 202 || (again && (status === 303 || status === 409) && location !== undefined))
      return { location: this.#resource(location) };
    throw refusedOr(answer);
  }

  /**
   * Asks whether the NFVO has decided.
   * @param location where the NFVO said that the grant would be
   * @returns the Grant as JSON text; until there is one, the pause that the NFVO asks for
   * @throws as {@link ask}
   */
  async look(location: string, signal: AbortSignal): Promise<{ grant: string } | { pause: Duration | undefined }> {
    const answer = await this.#send({ method: 'GET', url: this.#resource(location), signal });
    if (answer.status === 200 || answer.status === 201) return { grant: grantIn(answer.text) };
    if (answer.status === 202) return { pause: pauseOf(answer) };
    throw refusedOr(answer);
  }

  #send({
    method,
    url,
    body,
    signal,
  }: {
    method: 'GET' | 'POST';
    url: string;
    body?: string;
    signal: AbortSignal;
  }): Promise<OutboundAnswer> {
    const { auth } = this.settings;
    return this.#outbound.send({
      method,
      url,
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body }),
      ...(auth === undefined ? {} : { auth }),
      signal,
    });
  }

  /**
   * The URL of a grant of this NFVO. Any other URL is refused, because our credentials must go nowhere else. @throws TerminalError `grant.bad-answer`
   */
  #resource(location: string | undefined): string {
    if (location === undefined || location.length > 2_048 || !URL.canParse(location, this.#root.href))
      throw badAnswer('it comes later (202), and no Location says where');
    const url = new URL(location, this.#root);
    if (url.origin !== this.#root.origin || url.username !== '' || url.password !== '')
      throw badAnswer(
        `its Location is at ${url.origin}, and the NFVO is ${this.#root.origin}: give NFVO_URL as the NFVO calls itself`,
      );
    return url.href;
  }
}

/** The error of an answer that grants nothing. */
function refusedOr(answer: OutboundAnswer): TerminalError | TransientError {
  const { status, text } = answer;
  if (status >= 400 && status < 500 && !LATER.includes(status)) return refusal(status, text);
  if (status < 400) return badAnswer(`it has the status ${status}`);
  const said = saidIn(text);
  const pause = pauseOf(answer);
  return new TransientError('grant.nfvo-busy', `the NFVO answered ${status}${said === '' ? '' : `: ${said}`}`, {
    ...(pause === undefined ? {} : { retryAfter: pause }),
  });
}

/** Its Retry-After in seconds (RFC 9110 10.2.3); a date is not followed. */
function pauseOf({ headers }: OutboundAnswer): Duration | undefined {
  const said = headers['retry-after'];
  return said !== undefined && /^\d{1,6}$/.test(said) ? millis(Math.min(Number(said) * 1_000, LONGEST_PAUSE)) : undefined;
}
