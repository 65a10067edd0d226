import type { Secret } from '@windlass/foundation';
import { sha256Of, type TokenEntry } from '@windlass/service-kit';
import type { Identity } from '../caller/identity.js';
import type { Credentials } from './credentials.js';
import type { WatchedFile } from './watched-file.js';
import type { WayIn } from './way-in.js';

/** The realm that challenges name. */
export const REALM = 'windlass';

/** A token that stays until somebody changes it: the one of the configuration, in `X-Auth-Token` or as a bearer. */
export function staticToken(token: Secret, identity: Identity): WayIn {
  const known = sha256Of(token.reveal());
  return {
    challenge: `Bearer realm="${REALM}"`,
    authenticate: (given) => Promise.resolve(digestIn(given) === known ? identity : undefined),
  };
}

/** Tokens of a file, which is read again when it changes. They are found by their digest, so how long it takes tells nothing of them. */
export class StaticTokens implements WayIn {
  readonly challenge = `Bearer realm="${REALM}"`;

  constructor(
    private readonly file: WatchedFile<ReadonlyMap<string, TokenEntry>>,
    private readonly now: () => number = Date.now,
  ) {}

  async authenticate(given: Credentials): Promise<Identity | undefined> {
    const digest = digestIn(given);
    if (digest === undefined) return undefined;
    const entry = (await this.file.content()).get(digest);
    if (entry === undefined || (entry.expires ?? Number.POSITIVE_INFINITY) <= this.now()) return undefined;
    return { tenant: entry.project, user: entry.name, roles: entry.roles };
  }
}

const digestIn = (given: Credentials): string | undefined =>
  given.kind === 'x-auth-token' || given.kind === 'bearer' ? sha256Of(given.token) : undefined;
