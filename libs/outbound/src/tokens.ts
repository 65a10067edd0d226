import { isJsonObject, TerminalError, TransientError, type Secret } from '@windlass/foundation';
import { createHash } from 'node:crypto';
import { addressOf } from './errors.js';

/** An OAuth 2.0 client that gets its tokens by its credentials (RFC 6749 4.4; SOL013 8.3). */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientPassword: Secret;
  readonly tokenEndpoint: string;
}

/** Sends a form and says what came: the outbound client itself, so that the endpoint is checked by the same rules. */
export type SendForm = (
  url: string,
  form: string,
  authorization: string,
) => Promise<{ readonly status: number; readonly text: string }>;

interface Held {
  readonly value: string;
  /** By the process's monotonic clock; undefined where the endpoint did not say. */
  readonly until: number;
}

/** A token is renewed so long before its end, ms: it must still be good when the request arrives. */
const MARGIN = 10_000;
/** Held for so long, ms, where the endpoint does not say how long it is good; a 401 renews it earlier. */
const UNTOLD = 60_000;
/** Clients whose tokens are held, the oldest dropped first. */
const HELD = 1_000;

/** Tokens of OAuth 2.0 clients, one request at a time for each, held until shortly before they expire. */
export class Tokens {
  readonly #held = new Map<string, Held>();
  readonly #asking = new Map<string, Promise<Held>>();

  constructor(private readonly send: SendForm) {}

  /**
   * @throws TerminalError `outbound.token-refused` where the endpoint refuses the client or answers something else than a bearer token
   * @throws TransientError `outbound.token-unavailable` where it may do better later, and what sending throws
   */
  async of(client: ClientCredentials): Promise<string> {
    const key = keyOf(client);
    const held = this.#held.get(key);
    if (held !== undefined && held.until > performance.now()) return held.value;
    const asking = this.#asking.get(key) ?? this.#ask(key, client);
    return (await asking).value;
  }

  /** To be called when a token was refused before its time; a newer one stays. */
  forget(client: ClientCredentials, token: string): void {
    const key = keyOf(client);
    if (this.#held.get(key)?.value === token) this.#held.delete(key);
  }

  #ask(key: string, client: ClientCredentials): Promise<Held> {
    const asking = this.#request(client)
      .then((held) => {
        this.#held.delete(key);
        const [oldest] = this.#held.keys();
        if (this.#held.size >= HELD && oldest !== undefined) this.#held.delete(oldest);
        this.#held.set(key, held);
        return held;
      })
      .finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  async #request({ clientId, clientPassword, tokenEndpoint }: ClientCredentials): Promise<Held> {
    // RFC 6749 2.3.1: both are form-encoded before they become user and password.
    const user = `${formEncoded(clientId)}:${formEncoded(clientPassword.reveal())}`;
    const authorization = `Basic ${Buffer.from(user).toString('base64')}`;
    const asked = performance.now();
    const { status, text } = await this.send(tokenEndpoint, 'grant_type=client_credentials', authorization);
    const where = addressOf(new URL(tokenEndpoint));
    if (status === 429 || status >= 500)
      throw new TransientError('outbound.token-unavailable', `the token endpoint ${where} answered ${status}`);
    if (status !== 200)
      throw new TerminalError(
        'outbound.token-refused',
        `the token endpoint ${where} answered ${status}; check clientId and clientPassword`,
      );
    return heldOf(text, asked, where);
  }
}

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

/** The password is part of it: who gives another one must not get the token of the one before. */
const keyOf = ({ clientId, clientPassword, tokenEndpoint }: ClientCredentials): string =>
  createHash('sha256')
    .update(JSON.stringify([tokenEndpoint, clientId, clientPassword.reveal()]))
    .digest('base64');

/** RFC 6749 5.1. */
function heldOf(text: string, asked: number, where: string): Held {
  const answer = parsed(text);
  const { access_token: token, token_type: type, expires_in: lives } = isJsonObject(answer) ? answer : {};
  if (
    typeof token !== 'string' ||
    !/^[\x21-\x7e]{1,8192}$/.test(token) ||
    typeof type !== 'string' ||
    type.toLowerCase() !== 'bearer'
  )
    throw new TerminalError('outbound.token-refused', `the token endpoint ${where} answered no bearer token (RFC 6749 5.1)`);
  const seconds = Number(lives);
  const good = lives === undefined || !Number.isFinite(seconds) ? UNTOLD : Math.max(0, seconds * 1_000 - MARGIN);
  return { value: token, until: asked + good };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
