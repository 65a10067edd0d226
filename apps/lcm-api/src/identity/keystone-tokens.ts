import {
  describeDuration,
  RequestError,
  seconds,
  TransientError,
  Secret,
  WindlassError,
  type Duration,
} from '@windlass/foundation';
import { OpenStack, type TokenOwner, type VimConnection } from '@windlass/openstack';
import type { Role } from '@windlass/service-kit';
import { LRUCache } from 'lru-cache';
import type { Identity } from '../caller/identity.js';
import { digestOf, type Credentials } from './credentials.js';
import { mappedRoles, type Mapping } from './mapping.js';
import type { AccessLog } from '../http/access-log.js';
import type { WayIn } from './way-in.js';

export interface KeystoneSettings {
  /** Keystone's address, and this service's login there. The login must be allowed to validate other users' tokens (role `service` or `admin`). */
  connection: VimConnection;
  /** Where clients get tokens, as challenges name it. */
  publicUrl: string;
  /** How long an answer of Keystone's counts. A revoked token is accepted for at most this time. */
  keepFor: Duration;
  roles: Mapping<Role>;
  /** Tenants by the id of the project whose objects belong to them; where a project is not listed, its id is the tenant. */
  tenants: Mapping;
}

/** Tokens that are remembered at once. */
const MAX_KEPT = 10_000;

/** Validating is one read: a Keystone that takes longer is as good as away. */
const ANSWER_WITHIN = seconds(5);
const AGAIN_AFTER = seconds(5);

/** Tokens of OpenStack's Keystone, in `X-Auth-Token`. */
export class KeystoneTokens implements WayIn {
  readonly challenge: string;
  readonly #openStack: OpenStack;
  readonly #known: LRUCache<string, TokenOwner>;
  readonly #asking = new Map<string, Promise<TokenOwner | undefined>>();

  constructor(
    private readonly settings: KeystoneSettings,
    private readonly log: AccessLog,
  ) {
    this.#known = new LRUCache({ max: MAX_KEPT, ttl: settings.keepFor });
    this.challenge = `Keystone uri="${settings.publicUrl}"`;
    const limits = { connectWithin: seconds(3), readWithin: ANSWER_WITHIN, writeWithin: ANSWER_WITHIN };
    this.#openStack = OpenStack.open(settings.connection, { limits });
  }

  async authenticate(given: Credentials): Promise<Identity | undefined> {
    if (given.kind !== 'x-auth-token') return undefined;
    const owner = await this.#ownerOf(given.token);
    return owner === undefined ? undefined : this.#identityOf(owner);
  }

  close(): void {
    this.#openStack.close();
  }

  /** Asked once, however many requests show the same token. */
  async #ownerOf(token: string): Promise<TokenOwner | undefined> {
    const digest = digestOf(token);
    const known = this.#known.peek(digest);
    if (known !== undefined) return known.expiresAt.getTime() > Date.now() ? known : undefined;
    const asked = this.#asking.get(digest) ?? this.#ask(token, digest).finally(() => this.#asking.delete(digest));
    this.#asking.set(digest, asked);
    return asked;
  }

  async #ask(token: string, digest: string): Promise<TokenOwner | undefined> {
    // What can't be a token of Keystone's is not sent there.
    if (!/^[\x21-\x7e]{1,4096}$/.test(token)) return undefined;
    try {
      const owner = await this.#openStack.identity.validate(new Secret(token));
      // The cache takes a time of 0 as for ever, but an operator who sets 0 wants no cache.
      if (owner !== undefined && this.settings.keepFor > 0) this.#known.set(digest, owner);
      return owner;
    } catch (error) {
      throw this.#unanswered(error);
    }
  }

  /** The failure is not the client's: its token may be good. */
  #unanswered(error: unknown): TransientError {
    const { code, message } = error instanceof WindlassError ? error : { code: 'unknown', message: String(error) };
    const fields = { code, error: message };
    if (error instanceof TransientError) this.log.warn('Keystone could not be asked about a token', fields);
    else this.log.error('Keystone does not let this service validate tokens: look at LCM_KEYSTONE_USER and its role', fields);
    const after = describeDuration(AGAIN_AFTER);
    return new TransientError('auth.keystone-away', `Keystone can’t be asked about the token now: try again in ${after}`, {
      retryAfter: AGAIN_AFTER,
      cause: error,
    });
  }

  #identityOf({ projectId, userId, userName, roles }: TokenOwner): Identity {
    if (projectId === undefined)
      throw new RequestError(403, 'auth.unscoped', 'the token is of no project: get one that is scoped to a project');
    const { tenants } = this.settings;
    const tenant = Object.hasOwn(tenants, projectId) ? tenants[projectId] : undefined;
    return { tenant: tenant ?? projectId, user: `${userName} (${userId})`, roles: mappedRoles(roles, this.settings.roles) };
  }
}
