import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { InvariantError, minutes, RequestError, shape, type OfMembers, type TypeOf } from '@windlass/foundation';
import { canonicalJson } from '../sealing/canonical-json.js';

const authority = shape.titled(
  'Proof that a holder of the master key asks',
  shape.closed({
    /** When the request was signed, in milliseconds since 1970. */
    at: shape.integer({ minimum: 0 }),
    nonce: shape.text({ pattern: '^[A-Za-z0-9_-]{22}$' }),
    /** HMAC-SHA-256 over the request's type, its members and the two above, base64url. */
    mac: shape.text({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  }),
);

/** Proves that a holder of the master key sent this request, at this time, once. */
export type Authority = TypeOf<typeof authority>;

/** The member that each request of administration has beside the members of its verb. */
export const administrated = { authority };

export type Administrated<Request> = Request & OfMembers<typeof administrated>;

/** How long a request is valid; the clocks of the core services' machines may differ by as much. */
const GOOD_FOR = minutes(1);
/** Nonces that one replica remembers; an operator sends some requests a minute. */
const MAX_NONCES = 10_000;

/**
 * Administration of VIMs is for holders of the master key: their requests carry a MAC under a key that derives from it. A request that comes
 * twice to one replica is refused, and so is a request that is older than a minute.
 */
export class VimAdministration {
  readonly #keys: readonly Buffer[];
  readonly #nonces = new Map<string, number>();

  /** @param masterKeys the newest first; the newest signs. */
  constructor(
    masterKeys: readonly Buffer[],
    private readonly now: () => number = Date.now,
  ) {
    this.#keys = masterKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'windlass vim administration 1', 32)));
  }

  /** The request with its authority. @param type such as `vim.update.request` */
  signed<Request extends object>(type: string, request: Request): Administrated<Request> {
    const [newest] = this.#keys;
    if (newest === undefined) throw new InvariantError('core services need a master key');
    const said = { at: this.now(), nonce: randomBytes(16).toString('base64url') };
    return {
      ...request,
      authority: { ...said, mac: macOf(newest, type, { ...request, authority: said }).toString('base64url') },
    };
  }

  /**
   * What an answer that holds a secret is bound to (the additional data of its sealed box). It can't be computed from the request without the
   * master key, and everybody on the way may have read the request.
   * @param type as of {@link signed}
   * @throws RequestError 403 `vim.not-administration` for a request that no holder of the master key has signed
   */
  boundTo<Request extends object>(type: string, { authority, ...request }: Administrated<Request>): string {
    const { mac, ...said } = authority;
    const words = { ...request, authority: said };
    const key = this.#keys.find((each) => timingSafeEqual(Buffer.from(mac, 'base64url'), macOf(each, type, words)));
    if (key === undefined) throw refused('its MAC is not that of a holder');
    return createHmac('sha256', key).update(`windlass answer ${type} ${mac}`).digest('base64url');
  }

  /** @throws RequestError 403 `vim.not-administration` */
  assertSigned<Request extends object>(type: string, { authority, ...request }: Administrated<Request>): void {
    const { mac, ...said } = authority;
    const given = Buffer.from(mac, 'base64url');
    const words = { ...request, authority: said };
    if (!this.#keys.some((key) => timingSafeEqual(given, macOf(key, type, words))))
      throw refused('its MAC is not that of a holder');
    if (Math.abs(this.now() - said.at) > GOOD_FOR)
      throw refused('it is older than a minute, or the clocks of the machines are apart');
    if (this.#nonces.has(said.nonce)) throw refused('it was asked before');
    this.#remember(said.nonce);
  }

  #remember(nonce: string): void {
    const now = this.now();
    for (const [known, at] of this.#nonces) {
      // The oldest nonces stand first. A nonce must outlive the last moment at which its request would be taken.
      if (now - at <= 2 * GOOD_FOR && this.#nonces.size < MAX_NONCES) break;
      this.#nonces.delete(known);
    }
    this.#nonces.set(nonce, now);
  }
}

const macOf = (key: Buffer, type: string, words: object): Buffer =>
  createHmac('sha256', key)
    .update(`windlass message ${type} ${canonicalJson(words)}`)
    .digest();

const refused = (why: string): RequestError =>
  new RequestError(
    403,
    'vim.not-administration',
    `administration of VIMs is for the holders of the master key, and this request was not taken: ${why}`,
  );
