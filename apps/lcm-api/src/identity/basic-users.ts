import { randomBytes, timingSafeEqual } from 'node:crypto';
import { minutes, seconds, TransientError } from '@windlass/foundation';
import { hashedLike, nobodysHash, type ScryptHash, type UserEntry } from '@windlass/service-kit';
import { LRUCache } from 'lru-cache';
import type { Identity } from '../caller/identity.js';
import { digestOf, type Credentials } from './credentials.js';
import { REALM } from './static-tokens.js';
import type { WatchedFile } from './watched-file.js';
import type { WayIn } from './way-in.js';

/** How many passwords are being checked or wait for it: each check costs memory and a thread, and anybody can send one. */
const MAX_UNDER_WAY = 16;
/** How long a right password is not checked again, as long as its user's entry stays. */
const REMEMBERED_FOR = minutes(5);
const MAX_REMEMBERED = 1_000;

/** Users of HTTP Basic (RFC 7617), from a file that is read again when it changes. */
export class BasicUsers implements WayIn {
  readonly challenge = `Basic realm="${REALM}", charset="UTF-8"`;
  /** Right passwords, with the hash of their entry: a changed password or a removed user counts at once. */
  readonly #right = new LRUCache<string, ScryptHash>({ max: MAX_REMEMBERED, ttl: REMEMBERED_FOR });
  /** A hash for unknown users, so that an unknown user takes as long as a wrong password. */
  readonly #nobody = nobodysHash();
  readonly #pepper = randomBytes(16).toString('base64');
  #underWay = 0;

  constructor(private readonly file: WatchedFile<ReadonlyMap<string, UserEntry>>) {}

  async authenticate(given: Credentials): Promise<Identity | undefined> {
    if (given.kind !== 'basic') return undefined;
    const entry = (await this.file.content()).get(given.user);
    const right = await this.#isRight(given.user, given.password, entry?.password ?? this.#nobody);
    return entry !== undefined && right ? { tenant: entry.project, user: entry.name, roles: entry.roles } : undefined;
  }

  async #isRight(user: string, password: string, kept: ScryptHash): Promise<boolean> {
    const digest = digestOf(this.#pepper, user, password);
    if (this.#right.peek(digest)?.hash.equals(kept.hash) === true) return true;
    if (this.#underWay >= MAX_UNDER_WAY)
      throw new TransientError('auth.busy', 'too many passwords are being looked at: try again in a second', {
        retryAfter: seconds(1),
      });
    this.#underWay++;
    try {
      if (!timingSafeEqual(await hashedLike(kept, password), kept.hash)) return false;
    } finally {
      this.#underWay--;
    }
    this.#right.set(digest, kept);
    return true;
  }
}
